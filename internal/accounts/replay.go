package accounts

import (
	"context"

	"typus"
	"typus/internal/store"
	"typus/internal/webhook"
)

// ReplayObstacle is the code of a reason why nothing is sent again. It is the cause of an
// error, so that a page can say it in its own language.
type ReplayObstacle string

// The obstacles.
const (
	ReplayUnderWay ReplayObstacle = "under_way" // it is being sent at the moment
	ReplayOff      ReplayObstacle = "off"       // the webhook is off
	ReplayDeleted  ReplayObstacle = "deleted"   // the webhook is
	ReplayErased   ReplayObstacle = "erased"    // the person is, or the content is gone
	ReplayOfTest   ReplayObstacle = "test"      // it is a test event
	ReplayBusy     ReplayObstacle = "busy"      // another run of the webhook has not ended
	ReplayNothing  ReplayObstacle = "nothing"   // the filter finds nothing
)

// Error says it in words, with the remedy.
func (r ReplayObstacle) Error() string { return replayObstacles[r] }

var replayObstacles = map[ReplayObstacle]string{
	ReplayUnderWay: "this delivery is being sent already",
	ReplayOff:      "the webhook is off; switch it on first",
	ReplayDeleted:  "the webhook is deleted",
	ReplayErased:   "the person is erased, and with them what was to be sent",
	ReplayOfTest:   "this was a test event; send a new one",
	ReplayBusy:     "this webhook is being sent deliveries again already; wait for the end, or cancel that first",
	ReplayNothing:  "there is nothing that could be sent again",
}

func (r ReplayObstacle) fault() error {
	return typus.Errorf(typus.Conflict, "%s", r.Error()).WithCause(r)
}

// ReplayDelivery sends a delivery again, and returns the id of the one that goes out. One
// that waits for its next attempt is due at once and keeps its id and its failures. One that
// has ended gets a successor with the same event, so with the same webhook-id, which is
// repeated and counted like any other. Conflict with its ReplayObstacle as cause, or if the
// form was sent before; NotFound.
//
// Who may: the face lets admins only.
func (s *Steps) ReplayDelivery(ctx context.Context, accountID int64, id string, by typus.Actor) (string, error) {
	next := id
	err := s.store.InTx(ctx, func(tx *store.Tx) error {
		return s.clerk.Once(ctx, tx, accountID, by, func() (int64, error) {
			d, err := tx.LockToReplay(ctx, accountID, id)
			if err != nil {
				return 0, err
			}
			if err := mayReplay(d); err != nil {
				return 0, err
			}
			if next, err = s.replay(ctx, tx, d); err != nil {
				return 0, err
			}
			return d.EndpointID, s.clerk.Audit(ctx, tx, by, typus.AuditEntry{
				AccountID: accountID, CandidateID: d.CandidateID, Action: typus.AuditWebhookReplayed, Detail: d.Endpoint.Trace(),
			})
		})
	})
	return next, err
}

// mayReplay returns why a locked delivery cannot be sent again.
func mayReplay(d store.ReplaySource) error {
	switch {
	case d.Kind == typus.DeliveryTest:
		return ReplayOfTest.fault()
	case !d.Kept:
		return ReplayErased.fault()
	case d.Endpoint.Status == typus.EndpointDeleted:
		return ReplayDeleted.fault()
	case d.State == typus.DeliverySending:
		return ReplayUnderWay.fault()
	case !d.Endpoint.On():
		return ReplayOff.fault()
	}
	return nil
}

// replay sends a locked delivery again. One that is still held although its webhook is on
// is about to be released.
func (s *Steps) replay(ctx context.Context, tx *store.Tx, d store.ReplaySource) (string, error) {
	if !d.State.Ended() {
		return d.ID, tx.AttemptNow(ctx, d)
	}
	id := s.newDeliveryID()
	return id, tx.AddReplay(ctx, d, id)
}

func (s *Steps) newDeliveryID() string { return webhook.NewDeliveryID(s.now()) }
