package sandbox

import (
	"context"
	"time"

	"typus"
	"typus/internal/mail"
	"typus/internal/store"
)

// Letter is a letter of a test world that can be read.
type Letter struct {
	ID          int64
	LetterID    int64 // of the same letter in the log of letters
	CandidateID int64 // 0 for letters about nobody
	Kind        typus.LetterKind
	FromName    string // shown before the operator's address
	To          string
	ToName      string // "" for none
	ReplyTo     string // "" for none
	Subject     string
	Text        string
	HTML        string    // with the name of who writes where mail programs show the logo
	CreatedAt   time.Time // when it was written, in the world's time
}

// Letters lists the letters that a test world keeps and that are older than the one before
// (0: the newest), at most limit, newest first. NotFound: there is no such account.
func (s *Steps) Letters(ctx context.Context, worldID, before int64, limit int) ([]Letter, error) {
	world, err := s.store.Account(ctx, worldID)
	if err != nil {
		return nil, err
	}
	kept, err := s.store.KeptLetters(ctx, worldID, before, limit)
	if err != nil {
		return nil, err
	}
	return s.openAll(world, kept)
}

// LettersTo is Letters of those to one address, however it is spelled (typus.MailboxKey).
func (s *Steps) LettersTo(ctx context.Context, worldID int64, to string, before int64, limit int) ([]Letter, error) {
	world, err := s.store.Account(ctx, worldID)
	if err != nil {
		return nil, err
	}
	kept, err := s.store.KeptLettersTo(ctx, worldID, to, before, limit)
	if err != nil {
		return nil, err
	}
	return s.openAll(world, kept)
}

func (s *Steps) openAll(world typus.Account, kept []typus.KeptLetter) ([]Letter, error) {
	var err error
	letters := make([]Letter, len(kept))
	for i, k := range kept {
		if letters[i], err = s.open(world, k); err != nil {
			return nil, err
		}
	}
	return letters, nil
}

// Letter reads a letter that a test world keeps. NotFound.
func (s *Steps) Letter(ctx context.Context, worldID, id int64) (Letter, error) {
	world, err := s.store.Account(ctx, worldID)
	if err != nil {
		return Letter{}, err
	}
	kept, err := s.store.KeptLetter(ctx, worldID, id)
	if err != nil {
		return Letter{}, err
	}
	return s.open(world, kept)
}

// LetterPage is the HTML of a letter that a test world keeps, with the logo that stands at its
// top now. NotFound.
func (s *Steps) LetterPage(ctx context.Context, worldID, id int64) (string, error) {
	kept, err := s.store.KeptLetter(ctx, worldID, id)
	if err != nil {
		return "", err
	}
	m, err := s.unseal(kept)
	if err == nil {
		m, err = s.heads.Put(ctx, m)
	}
	if err != nil {
		return "", err
	}
	return m.Page()
}

// DropLetters deletes the kept letters of all test worlds whose 30 days are over at a settled
// time.
func (s *Steps) DropLetters(ctx context.Context, settled time.Time) error {
	_, err := s.store.InBatches(ctx, func(tx *store.Tx) (int, error) { return tx.DropKeptLetters(ctx, settled) })
	return err
}

func (s *Steps) open(world typus.Account, k typus.KeptLetter) (Letter, error) {
	m, err := s.unseal(k)
	return Letter{
		ID: k.ID, LetterID: k.LetterID, CandidateID: k.CandidateID, Kind: k.Kind, FromName: m.FromName, To: m.To, ToName: m.ToName,
		ReplyTo: m.ReplyTo, Subject: m.Subject, Text: m.Text, HTML: m.HTML, CreatedAt: world.WorldTime(k.CreatedAt),
	}, err
}

func (s *Steps) unseal(k typus.KeptLetter) (mail.Message, error) {
	packed, err := s.box.Open(k.Sealed, k.AAD())
	if err != nil {
		return mail.Message{}, err
	}
	return mail.Unpack(packed)
}
