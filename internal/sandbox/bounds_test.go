package sandbox_test

import (
	"testing"
	"time"

	"typus"
	"typus/internal/sandbox"
	"typus/internal/store"
)

// Beyond some three hundred years a duration has no room: a move never ended.
func TestAClockStaysWithinAHundredYears(t *testing.T) {
	run(t, func(p *play) {
		p.Must(p.Store.InTx(p.Ctx, func(tx *store.Tx) error { return tx.MoveWorld(p.Ctx, p.Test, sandbox.Horizon-time.Hour) }))
		_, err := p.Steps.Advance(p.Ctx, p.Test, 2*time.Hour, operator)
		p.WantKind(err, typus.Invalid)
		if _, moving, err := p.Store.Moving(p.Ctx, p.Test); err != nil || moving {
			p.Errorf("a move that was refused is under way: %v, %v", moving, err)
		}
		p.advance(time.Hour)
		if is := p.account(p.Test).Ahead; is < sandbox.Horizon-time.Minute || is > sandbox.Horizon {
			p.Errorf("the world is %v ahead", is)
		}
		p.Must(p.Steps.Reset(p.Ctx, p.Test, operator))
	})
}

// A receiver that hangs uses up the patience of a move once.
func TestAReceiverThatHangsHoldsUpAMoveOnce(t *testing.T) {
	run(t, func(p *play) {
		p.invite(p.Test, "never@example.com") // its letter waits: nobody brings letters in this test
		began := time.Now()
		p.Must(p.Steps.Impatient(p.Ctx, p.Test, 40, 200*time.Millisecond))
		if took := time.Since(began); took < 200*time.Millisecond {
			p.Errorf("40 stops took %v: nothing was waited for", took)
		}
	})
}
