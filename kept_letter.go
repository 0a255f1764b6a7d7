package typus

import (
	"fmt"
	"time"
)

// KeepKeptLetters is for how long a test world keeps a letter, by the machine's clock.
const KeepKeptLetters = 30 * 24 * time.Hour

// KeptLetter is a letter of a test world as it would have gone out. Nobody gets it; the
// people of the account read it.
type KeptLetter struct {
	ID          int64
	AccountID   int64 // the test world
	LetterID    int64
	CandidateID int64 // 0 for letters about nobody
	Kind        LetterKind
	To          string
	Sealed      []byte // what it says, sealed with AAD
	CreatedAt   time.Time
}

// AAD ties what a kept letter says to its letter.
func (k KeptLetter) AAD() string { return fmt.Sprintf("kept letter|%d|%d", k.AccountID, k.LetterID) }
