// Package courier is the worker that brings each due delivery and letter of the outbox
// (job queue) once, or again later (retry), and runs the chores (cron jobs) in their turns
// (scheduler).
package courier

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	mathrand "math/rand/v2"
	"runtime/debug"
	"sync"
	"time"

	"typus"
	"typus/internal/mail"
	"typus/internal/seal"
	"typus/internal/store"
	"typus/internal/webhook"
)

const (
	// maxPause is how long a loop rests at most while the database fails.
	maxPause = 15 * time.Second
	// StopBudget is how long attempts in flight may take once Run is told to
	// stop. What is not done then is cut and given back.
	StopBudget = 12 * time.Second
	// writeBudget bounds one write of an outcome, releaseBudget the giving back.
	writeBudget   = 4 * time.Second
	releaseBudget = 3 * time.Second
)

// pace says how often each thing is done. Tests use another pace than usualPace.
type pace struct {
	// poll is how often the database is asked what is due. We rely on it; Wake only saves
	// the wait, and may be missed.
	poll time.Duration
	// sweep is how often we look for leases that have run out. So a crash delays work
	// by one lease and one sweep at most.
	sweep time.Duration
	// lease is how long a delivery is claimed for.
	lease time.Duration
	// ladder is the wait after a number of failures of a delivery, letterGap the wait
	// after a number of attempts at a letter.
	ladder    func(failures int, hint time.Duration, random func() float64) time.Duration
	letterGap func(attempts int, random func() float64) time.Duration
}

func usualPace() pace {
	return pace{poll: time.Second, sweep: 15 * time.Second, lease: lease, ladder: webhook.Backoff, letterGap: mail.Backoff}
}

// Mailer hands letters to a mail server; mail.SMTP is one. It yields the outcome of
// each message in order, with its index, as soon as it is known. Before it gives the
// server the text of a message it calls before; if that returns an error, it does not
// send the message.
type Mailer interface {
	Send(ctx context.Context, msgs []mail.Message, before func(i int) error) iter.Seq2[int, error]
}

// Options are what a Courier needs.
type Options struct {
	Store   *store.Store
	Client  *webhook.Client
	Box     *seal.Box
	Mailer  Mailer // nil: live letters stay in the outbox
	PerDay  int    // letters of one account to others in a day, 0 for any number; the others wait
	BaseURL string // without a slash at the end; links in letters begin with it
	// ReturnPath is the envelope sender of a letter that is being sent: a tag in a mailbox, ""
	// for the server's. It returns "" for the address of who sends; nil: that for all.
	ReturnPath func(l typus.Letter, mailbox string) string
	Chores     []Chore      // each turn is taken by one instance
	Shared     []Chore      // run by every instance; they share the work among themselves
	Clock      typus.Clock  // nil: the machine's; of the Store it is its own
	Log        *slog.Logger // nil: slog's own
	Alone      bool         // no other courier works on this database: what is under way at the start is left behind
	Owner      string       // names this instance in leases; "" for a random name
}

// Courier brings what is due. One Run at a time.
type Courier struct {
	store  *store.Store
	alone  bool
	client *webhook.Client
	box    *seal.Box
	mailer Mailer
	heads  *mail.Letterheads
	perDay int
	sender func(l typus.Letter, mailbox string) string // Options.ReturnPath
	links  typus.Links
	chores []Chore
	shared []Chore
	clock  typus.Clock
	log    *slog.Logger
	owner  string
	random func() float64
	pace   pace

	deliveries map[typus.Lane]bell
	settling   bell
	letters    bell
	kept       bell  // letters of test worlds
	forwards   bell  // those of them that are sent, too
	swept      int64 // the last endpoint the sweep has looked at
}

// New makes a courier; Run starts it.
func New(o Options) *Courier {
	c := &Courier{
		store: o.Store, alone: o.Alone, client: o.Client, box: o.Box, mailer: o.Mailer, perDay: o.PerDay, sender: o.ReturnPath, links: typus.Links{BaseURL: o.BaseURL},
		clock: o.Clock, log: o.Log, owner: o.Owner, random: mathrand.Float64, pace: usualPace(),
		deliveries: map[typus.Lane]bell{}, settling: newBell(), letters: newBell(), kept: newBell(), forwards: newBell(),
	}
	for _, lane := range typus.Lanes {
		c.deliveries[lane] = newBell()
	}
	c.chores, c.shared, c.heads = o.Chores, o.Shared, mail.NewLetterheads(o.Store, o.Log)
	if c.owner == "" {
		// Two instances under one name would take each other's leases for their own.
		c.owner = rand.Text()
	}
	if c.log == nil {
		c.log = slog.Default()
	}
	return c
}

// Wake tells the courier that something may be due. It never blocks and may
// be called at any time. The store does so after every commit that makes something due.
func (c *Courier) Wake() {
	c.ring()
	c.settling.ring()
	c.letters.ring()
	c.kept.ring()
	c.forwards.ring()
}

// Run works until ctx ends and then stops in order: it claims nothing more, lets what
// is in flight finish within StopBudget, cuts off the rest, and gives back what has no
// outcome, so that the next instance gets it at once. It returns within 20 seconds of
// the end of ctx.
func (c *Courier) Run(ctx context.Context) {
	defer c.store.OnDue(c.Wake)()
	work, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	if c.alone {
		c.takeBack(ctx)
	}
	var loops sync.WaitGroup
	for _, lane := range typus.Lanes {
		loops.Go(func() { c.deliver(ctx, work, lane) })
	}
	loops.Go(func() { c.settle(ctx) })
	loops.Go(func() { c.store.Listen(ctx, c.Wake) }) // to other servers
	loops.Go(func() { c.keepLetters(ctx, work) })
	if c.mailer != nil {
		loops.Go(func() { c.sendLetters(ctx, work) })
		loops.Go(func() { c.forwardLetters(ctx, work) })
	}
	loops.Go(func() { c.repeat(ctx, Chore{Name: "sweep", Every: c.pace.sweep, Run: c.sweep}) })
	for _, chore := range c.chores {
		loops.Go(func() { c.turns(ctx, chore) })
	}
	for _, chore := range c.shared {
		loops.Go(func() { c.repeat(ctx, chore) })
	}
	<-ctx.Done()
	late := time.AfterFunc(StopBudget, cut)
	defer late.Stop()
	loops.Wait()
	c.release(work)
}

// loop calls step until ctx ends. step returns how long it has nothing to do; the bell
// or the next poll may end that pause early. After errors the pauses grow, so that a
// database that is full or unreachable is not flooded.
func (c *Courier) loop(ctx context.Context, b bell, step func() (time.Duration, error)) {
	rest := c.pace.poll
	for ctx.Err() == nil {
		pause, err := c.safely(step)
		if err != nil {
			if ctx.Err() == nil { // a claim that a stop cuts off is no fault
				c.complain("courier: nothing can be claimed", err)
			}
			sleep(ctx, rest)
			rest = min(2*rest, maxPause)
			continue
		}
		rest = c.pace.poll
		if pause > 0 {
			b.wait(ctx, min(pause, c.pace.poll))
		}
	}
}

// complain logs what failed. About a full disk it is silent: the server says that once, and
// every loop would say it again and again.
func (c *Courier) complain(what string, err error, more ...any) {
	if !store.DiskFull(err) {
		c.log.Error(what, append(more, "error", err)...)
	}
}

// safely turns a panic of step into an error, so that a loop never dies.
func (c *Courier) safely(step func() (time.Duration, error)) (time.Duration, error) {
	var (
		pause time.Duration
		err   error
	)
	if fault := recovered(func() { pause, err = step() }); fault != nil {
		return 0, fault
	}
	return pause, err
}

// recovered runs fn and returns its panic as an error, nil when there was none.
func recovered(fn func()) error {
	var fault error
	func() {
		defer func() {
			if p := recover(); p != nil {
				fault = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			}
		}()
		fn()
	}()
	return fault
}

// persist stores an outcome, and tries again while the database is unreachable. If an
// outcome is lost here, the delivery or letter is brought a second time. It gives up
// when ctx ends or the lease is about to end. It may also try again after a commit
// whose outcome is unknown, because the lease guards the write and ends with it.
func (c *Courier) persist(ctx context.Context, within time.Duration, write func(context.Context) error) error {
	deadline := time.Now().Add(within)
	for pause := 100 * time.Millisecond; ; pause *= 2 {
		err := once(ctx, write)
		if err == nil || !typus.Passing(err) || ctx.Err() != nil || time.Now().Add(pause).After(deadline) {
			return err
		}
		sleep(ctx, pause)
	}
}

// once writes once, even if ctx has already ended.
func once(ctx context.Context, write func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeBudget)
	defer cancel()
	return write(ctx)
}

// sweep takes up what others have left behind. No part of it depends on another: if one
// part kept failing, the rest would otherwise never be done.
func (c *Courier) sweep(ctx context.Context) error {
	return errors.Join(
		c.sweepLeases(ctx),
		c.sweepEndpoints(ctx),
		c.store.TellFailing(ctx, webhook.WarnAfter),
		c.releaseHeld(ctx),
	)
}

// sweepLeases takes up what was claimed and never finished.
func (c *Courier) sweepLeases(ctx context.Context) error {
	deliveries, err := c.store.SweepDeliveries(ctx, c.pace.lease, interrupted)
	letters, wrong := c.store.SweepLetters(ctx, store.Ahead{Lease: letterLease, Again: mail.MaxBackoff})
	if deliveries+letters > 0 {
		c.log.Info("courier: took up what was left behind", "deliveries", deliveries, "letters", letters)
	}
	return errors.Join(err, wrong)
}

// sweepEndpoints goes on where the last sweep of the endpoints ended.
func (c *Courier) sweepEndpoints(ctx context.Context) error {
	last, mended, err := c.store.SweepEndpoints(ctx, c.swept)
	if err != nil {
		return err
	}
	c.swept = last
	if mended > 0 {
		c.log.Warn("courier: webhooks were not looked at in time", "webhooks", mended)
	}
	return nil
}

// releaseHeld sends off the letters whose day has come.
func (c *Courier) releaseHeld(ctx context.Context) error {
	held, err := c.store.ReleaseHeld(ctx)
	if err == nil && held > 0 {
		c.log.Info("courier: letters that were held for their day go out", "letters", held)
	}
	return err
}

// takeBack ends at once the leases of the courier that ran before this one and died.
func (c *Courier) takeBack(ctx context.Context) {
	deliveries, err := c.store.TakeBackDeliveries(ctx, interrupted)
	if err != nil {
		// The leases run out by themselves.
		c.log.Error("courier: deliveries that were left behind could not be taken up", "error", err)
	}
	letters, err := c.store.TakeBackLetters(ctx)
	if err != nil {
		c.log.Error("courier: letters that were left behind could not be taken up", "error", err)
	}
	if deliveries+letters > 0 {
		c.log.Info("courier: took up what was left behind", "deliveries", deliveries, "letters", letters)
	}
}

func (c *Courier) release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseBudget)
	defer cancel()
	deliveries, err := c.store.ReleaseDeliveries(ctx, c.owner, giveBack)
	if err != nil {
		// The leases run out by themselves.
		c.log.Error("courier: deliveries could not be given back", "error", err)
	}
	letters, err := c.store.ReleaseLetters(ctx, c.owner)
	if err != nil {
		c.log.Error("courier: letters could not be given back", "error", err)
	}
	c.log.Info("courier: stopped", "deliveries_given_back", deliveries, "letters_given_back", letters)
}
