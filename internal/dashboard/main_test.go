package dashboard

import (
	"os"
	"testing"

	"typus/internal/page/browsertest"
)

func TestMain(m *testing.M) { os.Exit(browsertest.Run(m)) }
