package courier

import (
	"strings"
	"testing"
	"time"

	"typus/internal/store"
	"typus/internal/store/storetest"
)

// A test world may be reset while a receiver answers: its delivery is gone, and that is no
// fault. In a live account nothing deletes a delivery.
func TestADeliveryThatAResetHasDeletedIsNoFault(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		for what, want := range map[string]struct {
			test  bool
			level string
		}{"a test world": {true, "INFO"}, "a live account": {false, "ERROR"}} {
			for _, status := range []int{204, 500, 0} { // 0: the attempt is not made
				w := newWorld(t, s, nil)
				if want.test {
					w.tx(func(tx *store.Tx) error {
						world, _, err := tx.AddWorld(t.Context(), w.account, time.Now())
						w.account = world
						return err
					})
				}
				r := newReceiver(t, statuses(status))
				w.endpoint(r.url)
				w.event(42)
				c := w.courier(nil, nil)
				claimed, err := s.ClaimDeliveries(t.Context(), c.owner, lease, 1)
				if err != nil || len(claimed) != 1 {
					t.Fatalf("claimed %v, %v", claimed, err)
				}
				w.tx(func(tx *store.Tx) error { return tx.ResetWorld(t.Context(), w.account) })
				if status == 0 {
					c.handBack(t.Context(), claimed[0], c.log)
				} else {
					c.bring(t.Context(), claimed[0], c.log)
				}
				if log := w.logs.String(); strings.Count(log, "level=") != 1 || !strings.Contains(log, "level="+want.level) {
					t.Errorf("%s, %d: the log says %s", what, status, log)
				}
			}
		}
	})
}
