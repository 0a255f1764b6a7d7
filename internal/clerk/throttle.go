package clerk

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

// Pace is how fast something may be tried: so many failures cost nothing, the
// next ones cost first, twice that, and so on up to slowest.
type Pace struct {
	free    int64
	first   time.Duration
	slowest time.Duration
}

var (
	// LoginPace bounds guessing of passwords.
	LoginPace = Pace{free: 5, first: 2 * time.Second, slowest: 15 * time.Minute}
	// networkPace bounds guessing, and asking for letters, from a whole network, at
	// however many addresses: an office behind one address mistypes and forgets, too, and
	// each of its people only a little.
	networkPace = Pace{free: 40, first: 2 * time.Second, slowest: 15 * time.Minute}
	// CodePace leaves ten codes in a quarter of an hour to whoever has the password.
	CodePace = Pace{free: 5, first: 16 * time.Second, slowest: 15 * time.Minute}
	// LetterPace bounds letters to one address that strangers can have sent.
	LetterPace = Pace{free: 3, first: time.Minute, slowest: 15 * time.Minute}
)

// wait is the pause after so many failures.
func (p Pace) wait(failures int64) time.Duration {
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

// TooMany is an error of that kind whose Wait is known.
func TooMany(wait time.Duration, format string, args ...any) error {
	return typus.Errorf(typus.TooMany, format, args...).WithCause(waitError(wait))
}

// Wait is how long to wait after an error of kind TooMany, 0 for other errors.
func Wait(err error) time.Duration {
	w, _ := errors.AsType[waitError](err)
	return time.Duration(w)
}

// Try counts a try of each of who as failed before it is made: tries at the same
// time count each other. TooMany, with the Wait, when one of them has to wait; then
// none is counted. The order of who must be the same everywhere, the most particular
// first: each is locked until the transaction ends.
func (c *Clerk) Try(ctx context.Context, tx *store.Tx, p Pace, who ...string) error {
	now := c.clock.Now()
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
			return TooMany(left, "too many tries; wait %s", left.Round(time.Second))
		}
		if wait := p.wait(t.Failures); wait > 0 {
			if err := tx.Delay(ctx, w, now.Add(wait)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Forgive undoes what Try has counted once the password was right. What is counted
// for a whole network is only taken back: others there may be guessing.
func (c *Clerk) Forgive(ctx context.Context, tx *store.Tx, who []string) error {
	if err := tx.ForgetTries(ctx, who[0]); err != nil {
		return err
	}
	for _, w := range who[1:] {
		if err := tx.UncountTry(ctx, w); err != nil {
			return err
		}
	}
	return nil
}

// DropTries removes counts of tries that hold nobody up any more, as many as one
// batch takes, and says how many.
func DropTries(ctx context.Context, tx *store.Tx, settled time.Time) (int, error) {
	return tx.DropTries(ctx, settled.Add(-triesKept-LoginPace.slowest))
}

// ByAddress names what is counted for an address, by its hash: a list of those who
// mistype is nobody's business.
func ByAddress(what, email string) string {
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

// LoginTries names what a log-in is counted by. A device that has logged in
// before has a count of its own, so that no stranger's guesses keep its owner out.
func LoginTries(email, ip, device string) []string {
	if device != "" {
		return []string{"device " + device}
	}
	network := networkOf(ip)
	return []string{ByAddress("login", email) + " " + network, networkTries + network}
}

// CodeTries names what a code of the second factor is counted by, in the same way.
func CodeTries(userID int64, device string) []string {
	if device != "" {
		return []string{fmt.Sprintf("code %d %s", userID, device)}
	}
	return []string{fmt.Sprintf("code %d", userID)}
}

// LetterTries names what a letter that a stranger can have sent is counted by.
func LetterTries(email, ip string) []string {
	return []string{ByAddress("letter", email), networkLetters + networkOf(ip)}
}
