package sandbox_test

import (
	"fmt"
	"testing"
	"time"

	"typus"
	"typus/internal/sandbox"
	"typus/internal/store"
)

// However many acts fail, all others are done in the same turn. Here they fail because there
// is no such role profile.
func TestActsThatFailHoldUpNoOther(t *testing.T) {
	run(t, func(p *play) {
		const broken = 120 // more than are read at a time
		p.Must(p.Store.InTx(p.Ctx, func(tx *store.Tx) error {
			people, acts := make([]store.NewCandidate, broken), make([]store.WorldAct, broken)
			for n := range people {
				people[n].Candidate = typus.Candidate{
					AccountID: p.Test, Name: "Kim", Email: "kim@example.com", Language: "de", RoleProfile: "nobody", CreatedAt: p.Now(),
					ExpiresAt: p.Now().Add(24 * time.Hour), TokenHash: fmt.Sprint("hash", n), SealedToken: []byte{1},
				}
			}
			ids, err := tx.AddCandidates(p.Ctx, people)
			for n, id := range ids {
				acts[n] = store.WorldAct{WorldID: p.Test, CandidateID: id, Act: typus.ActFinish, Vector: "closer", DueAt: p.Now()}
			}
			if err != nil {
				return err
			}
			return tx.AddWorldActs(p.Ctx, acts)
		}))
		c := p.invite(p.Test, "finish+closer@example.com")
		p.Later(time.Minute)
		p.Must(p.Steps.Turn(p.Ctx))
		if is := p.candidate(c.ID); is.Status != typus.StatusFinished {
			p.Errorf("behind acts that fail somebody stands at %s", is.Status)
		}
		left, err := p.Store.DueActsOf(p.Ctx, p.Test, p.Now(), store.WorldAct{}, broken+1)
		if err != nil || len(left) != broken {
			p.Errorf("%d acts have failed, %v", len(left), err)
		}
	})
}

// What comes after eight moves is left to others.
func TestAnInstanceTakesNoMoreMovesThanItHasRoomFor(t *testing.T) {
	run(t, func(p *play) {
		_, err := p.Steps.Advance(p.Ctx, p.Test, time.Hour, operator)
		p.Must(err)
		free := p.Steps.Full()
		p.Must(p.Steps.Turn(p.Ctx))
		if moves, err := p.Store.FreeMoves(p.Ctx, sandbox.Lease); err != nil || len(moves) != 1 {
			p.Errorf("%d moves are free, %v", len(moves), err)
		}
		free()
		p.Must(p.Steps.Turn(p.Ctx))
		if _, under, err := p.Steps.UnderWay(p.Ctx, p.Test); err != nil || under {
			p.Errorf("it is under way: %t, %v", under, err)
		}
	})
}
