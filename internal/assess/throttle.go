package assess

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"typus"
	"typus/internal/auth"
	"typus/internal/store"
)

// pace is how fast something may be tried: so many failures cost nothing, the
// next ones cost first, twice that, and so on up to slowest.
type pace struct {
	free    int64
	first   time.Duration
	slowest time.Duration
}

var (
	// loginPace bounds guessing of passwords.
	loginPace = pace{free: 5, first: 2 * time.Second, slowest: 15 * time.Minute}
	// networkPace bounds guessing, and asking for letters, from a whole network, at
	// however many addresses: an office behind one address mistypes and forgets, too, and
	// each of its people only a little.
	networkPace = pace{free: 40, first: 2 * time.Second, slowest: 15 * time.Minute}
	// codePace leaves ten codes in a quarter of an hour to whoever has the password.
	codePace = pace{free: 5, first: 16 * time.Second, slowest: 15 * time.Minute}
	// letterPace bounds letters to one address that strangers can have sent.
	letterPace = pace{free: 3, first: time.Minute, slowest: 15 * time.Minute}
)

// wait is the pause after so many failures.
func (p pace) wait(failures int64) time.Duration {
	over := failures - p.free
	if over < 0 {
		return 0
	}
	if over > 20 { // beyond any slowest; a shift by more would overflow
		return p.slowest
	}
	return min(p.first<<over, p.slowest)
}

// triesKept is how long failures are remembered after the last one: an office
// behind one address mistypes now and then for ever.
const triesKept = time.Hour

// waitError is the cause of an error of kind TooMany.
type waitError time.Duration

// Error says how long the wait is.
func (w waitError) Error() string { return "wait " + time.Duration(w).String() }

// Wait is how long to wait after an error of kind TooMany, 0 for other errors.
func Wait(err error) time.Duration {
	w, _ := errors.AsType[waitError](err)
	return time.Duration(w)
}

// try counts a try of each of who as failed before it is made: tries at the same
// time count each other. TooMany, with the Wait, when one of them has to wait; then
// none is counted. The order of who must be the same everywhere, the most particular
// first: each is locked until the transaction ends.
func (s *Steps) try(ctx context.Context, tx *store.Tx, p pace, who ...string) error {
	now := s.now()
	for _, w := range who {
		p := p
		if strings.HasPrefix(w, networkTries) || strings.HasPrefix(w, networkLetters) {
			p = networkPace
		}
		t, err := tx.CountTry(ctx, w, now, triesKept)
		if err != nil {
			return err
		}
		if left := typus.Ahead(t.Until, now, p.slowest); left > 0 {
			return typus.Errorf(typus.TooMany, "too many tries; wait %s", left.Round(time.Second)).WithCause(waitError(left))
		}
		if wait := p.wait(t.Failures); wait > 0 {
			if err := tx.Delay(ctx, w, now.Add(wait)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Names of what is counted. An address is counted by its hash: a list of those
// who mistype is nobody's business.
func addressKey(what, email string) string {
	return what + " " + auth.Hash(strings.ToLower(email))
}

// networkOf is the network an address belongs to: whoever has one address of a
// network usually has them all.
func networkOf(ip string) string {
	addr, err := netip.ParseAddr(ip)
	if err != nil {
		return "unknown"
	}
	bits := 24
	if addr = addr.Unmap(); addr.Is6() {
		bits = 48
	}
	prefix, err := addr.WithZone("").Prefix(bits)
	if err != nil {
		return "unknown"
	}
	return prefix.String()
}

// What is counted for a whole network has a name that begins so: log-ins, and letters
// that strangers can have sent.
const (
	networkTries   = "network "
	networkLetters = "letters "
)

// loginTries names what a log-in is counted by. A device that has logged in
// before has a count of its own, so that no stranger's guesses keep its owner out.
func loginTries(email, ip, device string) []string {
	if device != "" {
		return []string{"device " + device}
	}
	network := networkOf(ip)
	return []string{addressKey("login", email) + " " + network, networkTries + network}
}

func codeTries(userID int64, device string) []string {
	if device != "" {
		return []string{fmt.Sprintf("code %d %s", userID, device)}
	}
	return []string{fmt.Sprintf("code %d", userID)}
}
