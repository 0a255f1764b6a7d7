package dashboard

import (
	"errors"

	"typus"
	"typus/internal/accounts"
	"typus/internal/clerk"
	"typus/internal/store"
)

// replayObstacles say in words why nothing is sent again, by text key.
var replayObstacles = map[accounts.ReplayObstacle]string{
	accounts.ReplayUnderWay: "replay.refused.underWay",
	accounts.ReplayOff:      "replay.refused.off",
	accounts.ReplayDeleted:  "replay.refused.deleted",
	accounts.ReplayErased:   "replay.refused.erased",
	accounts.ReplayOfTest:   "replay.refused.test",
	accounts.ReplayBusy:     "replay.refused.busy",
	accounts.ReplayNothing:  "replay.refused.nothing",
}

// replayDelivery sends a delivery again, or at once if it waits for its next attempt.
func (f *face) replayDelivery(v *visit) error {
	d, err := f.Store.DeliveryFor(v.Context(), v.Reader, v.PathValue("delivery"))
	if err != nil {
		return err
	}
	next, err := f.Accounts.ReplayDelivery(v.Context(), v.Account.ID, d.ID, v.actor())
	if obstacle, there := errors.AsType[accounts.ReplayObstacle](err); there {
		return f.undone(v, deliveryPath(d.ID), f.say(v, replayObstacles[obstacle]))
	}
	_, before := clerk.SentBefore(err)
	switch {
	case before:
		return f.goOn(v, deliveryPath(d.ID))
	case err != nil:
		return err
	case next == d.ID:
		return f.done(v, deliveryPath(next), f.say(v, "replay.now"))
	}
	return f.done(v, deliveryPath(next), f.say(v, "replay.again"))
}

// replayButton is the text key of the button that sends a delivery again, "" where it cannot
// be sent: it is under way, its webhook is off, or its content is gone.
func replayButton(d store.LoggedDelivery, e typus.Endpoint) string {
	switch {
	case d.Test() || d.Erased || !e.On():
		return ""
	case d.State.Ended():
		return "replay.one"
	case d.State == typus.DeliverySending:
		return ""
	default:
		return "replay.trouble.do"
	}
}
