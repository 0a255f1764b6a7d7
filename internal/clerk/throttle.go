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

// Pace is how fast something may be tried. The first free failures cost no wait. The
// next one costs first, each further one twice as much, up to slowest.
type Pace struct {
	free    int64
	first   time.Duration
	slowest time.Duration
}

var (
	// LoginPace bounds guessing of passwords.
	LoginPace = Pace{free: 5, first: 2 * time.Second, slowest: 15 * time.Minute}
	// networkPace bounds guessing and asking for letters from a whole network, over all
	// addresses. It leaves room for an office behind one address, where many people
	// each mistype a little.
	networkPace = Pace{free: 40, first: 2 * time.Second, slowest: 15 * time.Minute}
	// CodePace allows about ten codes in a quarter of an hour to whoever has the
	// password.
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

// triesKept is how long failures are remembered after the last one. It is short because
// in an office behind one address somebody mistypes every now and then.
const triesKept = time.Hour

// waitError is the cause of an error of kind TooMany.
type waitError time.Duration

// Error says how long the wait is.
func (w waitError) Error() string { return "wait " + time.Duration(w).String() }

// TooMany makes an error of the kind TooMany that carries a Wait.
func TooMany(wait time.Duration, format string, args ...any) error {
	return typus.Errorf(typus.TooMany, format, args...).WithCause(waitError(wait))
}

// Wait is how long to wait after an error of kind TooMany, 0 for other errors.
func Wait(err error) time.Duration {
	w, _ := errors.AsType[waitError](err)
	return time.Duration(w)
}

// Try counts a try as failed for each of who before it is made, so that tries at the
// same time count as well. TooMany, with the Wait, if one of who has to wait; then
// nothing is counted. Each of who is locked until the transaction ends, so their order
// must be the same everywhere: the most particular first.
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

// Forgive undoes what Try has counted, once the password was right. For a whole network
// it takes back only this one try, because others there may be guessing.
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

// DropTries deletes counts of tries that no longer make anybody wait, up to one batch,
// and returns how many.
func DropTries(ctx context.Context, tx *store.Tx, settled time.Time) (int, error) {
	return tx.DropTries(ctx, settled.Add(-triesKept-LoginPace.slowest))
}

// ByAddress is the name under which tries are counted for an address. It holds the
// address as a hash, because nobody needs a list of people who mistype.
func ByAddress(what, email string) string {
	return what + " " + auth.Hash(typus.MailboxKey(email))
}

// networkOf is the network to which an address belongs, because whoever has one address
// of a network usually has all of them.
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

// LoginTries are the names under which a log-in is counted. A device that has logged in
// before has a count of its own, so that a stranger's guesses do not keep its owner
// out.
func LoginTries(email, ip, device string) []string {
	if device != "" {
		return []string{"device " + device}
	}
	network := networkOf(ip)
	return []string{ByAddress("login", email) + " " + network, networkTries + network}
}

// CodeTries are the names under which a code of the second factor is counted, in the
// same way.
func CodeTries(userID int64, device string) []string {
	if device != "" {
		return []string{fmt.Sprintf("code %d %s", userID, device)}
	}
	return []string{fmt.Sprintf("code %d", userID)}
}

// LetterTries are the names under which a letter is counted that a stranger can have
// sent.
func LetterTries(email, ip string) []string {
	return []string{ByAddress("letter", email), networkLetters + networkOf(ip)}
}

// OwnCodeTries are the names under which entering a code to a candidate's own result is
// counted, by the hash of the link's token. A stranger elsewhere keeps nobody out.
func OwnCodeTries(tokenHash, ip string) []string {
	network := networkOf(ip)
	return []string{"own code " + tokenHash + " " + network, networkTries + network}
}

// OwnCodeLetters are the names under which the letters with such a code are counted: of a link
// from a network, of the network, and of the link whoever asks for them. The team and its
// programs know the link: who asks elsewhere keeps the candidate from no code until they have
// asked as often as a whole network may.
func OwnCodeLetters(tokenHash, ip string) []string {
	network := networkOf(ip)
	return []string{"own code letter " + tokenHash + " " + network, networkLetters + network, networkLetters + "to " + tokenHash}
}
