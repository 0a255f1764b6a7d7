package dashboard

import (
	"os"
	"testing"

	"typus/internal/page/pagetest"
)

func TestTheTextsAreCompleteInBothLanguages(t *testing.T) {
	pagetest.CheckTexts(t, os.DirFS("."), os.DirFS("../page"))
}
