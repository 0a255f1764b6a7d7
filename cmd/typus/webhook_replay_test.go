package main

import (
	"slices"
	"strings"
	"testing"

	"typus/internal/waittest"
)

// replayed is what `webhook replay --json` prints.
type replayed struct {
	ID         string `json:"id"`
	Run        int64  `json:"run"`
	Deliveries int    `json:"deliveries"`
	More       bool   `json:"more"`
}

// header is a header of each request so far.
func (a *answering) header(name string) []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var list []string
	for _, r := range a.got {
		list = append(list, r.Header.Get(name))
	}
	return list
}

func TestDeliveriesAreSentAgainBesideARunningServer(t *testing.T) {
	both(t, func(t *testing.T, environ []string) {
		receiver := newAnswering(t)
		_, account, hook := handed(t, environ, receiver.URL)
		acc, here := "--account="+itoa(account), "--id="+itoa(hook)
		p := serve(t, environ)
		arrived := func(n int) {
			t.Helper()
			waittest.Until(t, itoa(int64(n))+" deliveries arrive", func() bool { return receiver.requests() >= n })
		}
		arrived(1)
		// Its end is written a moment after it has arrived.
		waittest.Until(t, "the delivery has ended", func() bool {
			return must[replayed](t, environ, "webhook", "replay", acc, here, "--dry-run").Deliveries == 1
		})
		for _, none := range []string{"--state=exhausted", "--outcome=tls", "--since=2099-01-01"} {
			if got := must[replayed](t, environ, "webhook", "replay", acc, here, "--dry-run", none); got.Deliveries != 0 || got.More {
				t.Errorf("%s: %+v", none, got)
			}
		}
		code, _, errOut := command(t, environ, "webhook", "replay", acc, here, "--state=exhausted")
		if code != 1 || !strings.Contains(errOut, "there is nothing that could be sent again") {
			t.Errorf("nothing: exit %d, %s", code, errOut)
		}
		if got := must[replayed](t, environ, "webhook", "replay", acc, here, "--state=delivered", "--since=2020-01-01T00:00:00Z"); got.Run == 0 || got.Deliveries != 1 {
			t.Errorf("many: %+v", got)
		}
		arrived(2)
		one := must[replayed](t, environ, "webhook", "replay", acc, "--delivery="+receiver.header("X-Service-Delivery")[0])
		arrived(3)
		if ids := receiver.header("webhook-id"); len(slices.Compact(ids)) != 1 {
			t.Errorf("they came as %v", ids)
		}
		if ids := receiver.header("X-Service-Delivery"); ids[2] != one.ID || ids[0] == ids[1] {
			t.Errorf("they were %v, the last one made as %s", ids, one.ID)
		}
		for _, args := range [][]string{{acc}, {acc, here, "--delivery=x"}, {acc, "--delivery=x", "--dry-run"}} {
			if code, _, _ := command(t, environ, append([]string{"webhook", "replay"}, args...)...); code != 2 {
				t.Errorf("%v: exit %d, want 2", args, code)
			}
		}
		code, _, errOut = command(t, environ, "webhook", "replay", acc, here, "--state=pending", "--outcome=x", "--since=x")
		for _, said := range []string{"state", "outcome", "since"} {
			if code == 0 || !strings.Contains(errOut, said) {
				t.Errorf("wrong flags: exit %d, %s", code, errOut)
			}
		}
		p.stop(t)
	})
}
