package assess

import (
	"context"
	"time"

	"typus"
	"typus/internal/instrument"
	"typus/internal/store"
)

// How long after the invitation somebody in a test world acts, and after which time who is
// slow goes on (our choice).
const (
	actAfter  = time.Minute
	slowAfter = day
)

// What somebody in a test world says about their result.
var replies = map[string]string{
	"de": "Das Ergebnis passt gut zu mir. Beim Dranbleiben sehe ich mich stärker.",
	"en": "The result fits me well. I see myself as more persistent.",
}

// planActs stores what new candidates of a test world will do by themselves. In a live account
// nobody acts, whatever their address.
func (s *Steps) planActs(ctx context.Context, tx *store.Tx, account typus.Account, made []Invited, now time.Time) error {
	if !account.IsWorld() {
		return nil
	}
	var acts []store.WorldAct
	for _, m := range made {
		act, vector := typus.ActOf(m.Candidate.Email)
		if m.Candidate.ID == 0 || act == "" || act == typus.ActBounce || act == typus.ActNever {
			continue
		}
		acts = append(acts, store.WorldAct{WorldID: account.ID, CandidateID: m.Candidate.ID, Act: act, Vector: vector, DueAt: now.Add(actAfter)})
	}
	return tx.AddWorldActs(ctx, acts)
}

// Act does what somebody in a test world does by themselves, with the answers that they give,
// in one transaction, and once. Whose test is withdrawn or erased does nothing more, nor does
// one that a person has begun; a test that they themselves have begun (slow) goes on, also
// where a person has answered some of it.
func (s *Steps) Act(ctx context.Context, a store.WorldAct, given []Given, at time.Time) error {
	err := s.store.InTx(ctx, func(tx *store.Tx) error {
		c, err := tx.LockCandidate(ctx, a.WorldID, a.CandidateID)
		if err != nil {
			return err
		}
		taken, err := tx.TakeWorldAct(ctx, a, at)
		goesOn := typus.StandOpen // nobody but they themselves has begun
		if a.Step > 0 {
			goesOn = typus.StandBegun
		}
		if err != nil || !taken || c.Stand(s.now()) != goesOn {
			return err
		}
		return s.act(ctx, tx, c, a, given)
	})
	if typus.Is(err, typus.NotFound) {
		return nil // erased, and the act with it
	}
	return err
}

func (s *Steps) act(ctx context.Context, tx *store.Tx, c typus.Candidate, a store.WorldAct, given []Given) error {
	switch {
	case a.Act == typus.ActDecline:
		return s.decline(ctx, tx, c)
	case a.Act == typus.ActExpire:
		return tx.EndNow(ctx, c.AccountID, c.ID, s.now())
	case a.Act == typus.ActHalf || a.Act == typus.ActSlow && a.Step == 0:
		return s.actHalf(ctx, tx, c, a, given)
	}
	in, sheet, err := s.actBegun(ctx, tx, &c)
	if err != nil {
		return err
	}
	c.CompletedAt = s.now()
	if err := s.complete(ctx, tx, c, in, sheet, given, typus.ActorCandidate); err != nil || a.Act != typus.ActReply {
		return err
	}
	return s.actReply(ctx, tx, c)
}

// actBegun begins a test that is not begun yet. Nobody has read a notice, so none is stored.
func (s *Steps) actBegun(ctx context.Context, tx *store.Tx, c *typus.Candidate) (*instrument.Instrument, instrument.Sheet, error) {
	in, sheet, _, err := s.sheet(ctx, tx, *c)
	if err != nil || c.Begun() {
		return in, sheet, err
	}
	now := s.now()
	_, err = tx.BeginCandidate(ctx, c.AccountID, c.ID, typus.Notice{}, in.Ref(), now)
	c.Status, c.StartedAt, c.Instrument = typus.StatusStarted, now, in.Ref()
	return in, sheet, err
}

// actHalf answers the first half. Who is slow goes on a day later.
func (s *Steps) actHalf(ctx context.Context, tx *store.Tx, c typus.Candidate, a store.WorldAct, given []Given) error {
	in, sheet, err := s.actBegun(ctx, tx, &c)
	if err != nil {
		return err
	}
	now := s.now()
	if _, err := s.save(ctx, tx, c, in, &sheet, &store.Sheet{}, given[:len(given)/2], now); err != nil || a.Act == typus.ActHalf {
		return err
	}
	a.Step, a.DueAt = a.Step+1, now.Add(slowAfter)
	return tx.AddWorldActs(ctx, []store.WorldAct{a})
}

func (s *Steps) actReply(ctx context.Context, tx *store.Tx, c typus.Candidate) error {
	text := replies[c.Language]
	if text == "" {
		text = replies["de"]
	}
	said := typus.Comment{CandidateID: c.ID, Author: typus.ActorCandidate, Text: text, Confirmed: typus.ConfirmedByDevice, CreatedAt: c.CompletedAt}
	if _, err := tx.AddComment(ctx, said); err != nil {
		return err
	}
	return s.recordOf(ctx, tx, c, typus.Actor{Name: typus.ActorCandidate}, typus.AuditCandidateCommented, "")
}
