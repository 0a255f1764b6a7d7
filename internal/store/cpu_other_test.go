//go:build !linux

package store_test

import (
	"testing"
	"time"

	"typus/internal/store"
)

// cpu is not known on this system.
func cpu(*testing.B, *store.Store) time.Duration { return 0 }
