package courier

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"typus"
	"typus/internal/webhook"
)

// signs is a secret of a site: from when it is the current one and until when it signs, by
// the clock of the house. Zero for from the beginning and for no end.
type signs struct {
	plain string
	from  time.Time
	until time.Time
}

// signers are those that sign now: the current one, and the other while they change.
func signers(list []*signs, house time.Time) []*signs {
	var live []*signs
	for _, one := range list {
		if one.until.IsZero() || house.Before(one.until) {
			live = append(live, one)
		}
	}
	if len(live) == 2 && !house.Before(live[1].from) {
		slices.Reverse(live)
	}
	return live
}

func isRotating(s *site) bool { return len(s.secrets) == 2 && !s.deleted }

// rotate gives a site a new secret. Somebody switches to it after a while, or time does,
// and a test event is tried on the way.
func (tr *trial) rotate(s *site) {
	secret, role, err := tr.process.accounts.RotateSecret(tr.t.Context(), s.account, s.id, ada)
	if !tr.did(err) {
		return
	}
	now := tr.clock.Now()
	if role != typus.SecretNext {
		tr.breaks("%s has got the secret as %s", s, role)
	}
	live := signers(s.secrets, now)
	if len(live) != 1 {
		tr.breaks("%s has got a third secret", s)
	}
	next := now.Add(typus.SecretOverlap)
	tr.turn(s, &signs{plain: live[0].plain, until: next.Add(typus.SecretOverlap)}, &signs{plain: secret, from: next})
	tr.onSiteAfter(2*time.Second, s, "test event", (*trial).testSite)
	if tr.draw.IntN(3) > 0 {
		tr.onSiteAfter(pick(tr.draw, 10*time.Second, 20*time.Minute, 5*time.Hour, 26*time.Hour), s, "switch of the secret", (*trial).switchSecret)
	}
}

func (tr *trial) switchSecret(s *site) {
	if !tr.did(tr.process.accounts.SwitchSecret(tr.t.Context(), s.account, s.id, ada)) {
		return
	}
	now := tr.clock.Now()
	live := signers(s.secrets, now)
	if len(live) != 2 || live[0] != s.secrets[0] {
		tr.breaks("%s has switched to a secret that it did not have", s)
		return
	}
	tr.turn(s, &signs{plain: live[0].plain, until: now.Add(typus.SecretOverlap)}, &signs{plain: live[1].plain})
	tr.onSiteAfter(2*time.Second, s, "test event", (*trial).testSite)
}

// turn notes the secrets after a step of a change, the older one first. What waits is due.
func (tr *trial) turn(s *site, older, newer *signs) {
	s.former, s.secrets, s.turned = s.secrets, []*signs{older, newer}, time.Now()
	s.freed = time.Now()
}

// onSiteAfter lets something befall a site after a while, if a server runs then.
func (tr *trial) onSiteAfter(d time.Duration, s *site, name string, do func(*trial, *site)) {
	tr.after(d, func() {
		tr.mu.Lock()
		defer tr.mu.Unlock()
		if tr.process != nil && !tr.process.dead.Load() {
			tr.note("%s, of %s", name, s)
			s.touched, tr.fault = time.Now(), name
			do(tr, s)
			tr.fault = ""
		}
	})
}

// checkSignatures wants each header to be signed as it should be now: the seed's by the
// current secret, the one beside it by the other while they change, and the standard's by
// both in this order.
func (tr *trial) checkSignatures(s *site, r *http.Request, body []byte, house time.Time) {
	stamp := r.Header.Get("Webhook-Timestamp")
	if stamp != timestamp(house) {
		tr.breaks("%s got a call signed for %s at %s", s, stamp, timestamp(house))
	}
	live := signers(s.secrets, house)
	got := [3]string{r.Header.Get("X-Service-Signature"), r.Header.Get("X-Service-Signature-Alt"), r.Header.Get("Webhook-Signature")}
	before := s.turned.Equal(time.Now()) && got == tr.signatures(signers(s.former, house), r, body, house) // claimed at this moment
	if want := tr.signatures(live, r, body, house); got != want && !before {
		tr.breaks("%s got the signatures %.18q, want %.18q", s, got, want)
	}
	switch {
	case len(live) < 2:
	case live[1] == s.secrets[0]:
		tr.took("a previous secret signs")
	default:
		tr.took("a next secret signs")
	}
}

// signatures are the three headers that some secrets make, the current one first.
func (tr *trial) signatures(live []*signs, r *http.Request, body []byte, house time.Time) [3]string {
	var plain [2]string
	var standard []string
	for i, one := range live {
		signature, err := webhook.SignStandard(one.plain, r.Header.Get("Webhook-Id"), house.Unix(), body)
		if err != nil {
			tr.t.Error(err)
		}
		plain[i], standard = webhook.Sign(one.plain, body), append(standard, signature)
	}
	return [3]string{plain[0], plain[1], strings.Join(standard, " ")}
}
