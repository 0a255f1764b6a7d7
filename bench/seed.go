package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"typus"
	"typus/internal/access"
	"typus/internal/accounts"
	"typus/internal/assess"
	"typus/internal/courier"
	"typus/internal/instrument"
	"typus/internal/seal"
	"typus/internal/store"
	"typus/internal/webhook"
)

// stock is a database full of candidates, and what is known of it. All belong
// to one account: a long list is then as long as it can be.
type stock struct {
	Path       string
	Account    int64
	Key        string
	Candidates int
	Finished   []int64  // ids
	Answering  []string // links of tests that have begun, without an answer
	Finishing  []string // links of tests with every answer, not handed in
}

// Of twenty invited people sixteen finish and one breaks off in the middle; the
// others have not begun.
const (
	shareOf      = 20
	shareDone    = 16
	shareBroken  = 1
	brokenAfter  = 48 // answers
	answeringFor = 100 * connections
)

// seeder leads people through the product's own steps, so that rows, pages and
// indexes are what they are in life; only the clock runs faster.
type seeder struct {
	store    *store.Store
	steps    *assess.Steps
	access   *access.Steps
	accounts *accounts.Steps
	stock    *stock
	people   [][]assess.Given
	ticks    atomic.Int64
	past     time.Time
	mu       sync.Mutex
}

// seed makes a database with so many candidates, and with tests to work on when
// finishing is not zero. Its account has one webhook, to receiver.
func seed(ctx context.Context, path string, rows, finishing int, receiver string) (*stock, error) {
	st, err := store.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	s := &seeder{store: st, stock: &stock{Path: path}, past: time.Now().Add(-60 * 24 * time.Hour)}
	err = s.fill(ctx, rows, finishing, receiver)
	slices.Sort(s.stock.Finished)
	return s.stock, errors.Join(err, st.Close())
}

func (s *seeder) fill(ctx context.Context, rows, finishing int, receiver string) error {
	if _, err := s.store.Migrate(ctx); err != nil {
		return err
	}
	box, err := seal.New([]byte(secretKey))
	if err != nil {
		return err
	}
	s.steps = stepsOn(s.store, box, s.now)
	s.accounts = accounts.New(accounts.Options{Store: s.store, Box: box, Instrument: instrument.Own(), Guard: loopbackGuard(), BaseURL: "http://localhost", Clock: s.now})
	s.access = access.New(access.Options{Store: s.store, Box: box, Instrument: instrument.Own(), BaseURL: "http://localhost", Clock: s.now})
	for i := range 256 {
		s.people = append(s.people, plausible(uint64(i)))
	}
	if err := s.open(ctx, rows, receiver); err != nil {
		return err
	}
	if err := s.deliverFirst(ctx, box); err != nil {
		return err
	}
	if err := s.together(ctx, rows-newest-1, s.candidate); err != nil {
		return err
	}
	s.past = time.Time{} // from here on the clock is right: these people are still at it
	if finishing > 0 {
		err := errors.Join(s.together(ctx, answeringFor, s.beginner), s.together(ctx, finishing, s.finisher))
		if err != nil {
			return err
		}
	}
	return s.last(ctx, rows)
}

// stepsOn are the product's own steps on a store.
func stepsOn(st *store.Store, box *seal.Box, clock typus.Clock) *assess.Steps {
	return assess.New(assess.Options{
		Store: st, Box: box, Instrument: instrument.Own(),
		BaseURL: "http://localhost", Clock: clock, Log: slog.New(slog.DiscardHandler),
	})
}

// newest is how many people come last, one after the other, and alike in every
// database: first pages are compared.
const newest = 100

func (s *seeder) last(ctx context.Context, rows int) error {
	for n := rows - newest; n < rows; n++ {
		if err := s.candidate(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

// now runs through two months, a twentieth of a second at a time.
func (s *seeder) now() time.Time {
	if s.past.IsZero() {
		return time.Now()
	}
	at := s.past.Add(time.Duration(s.ticks.Add(1)) * 50 * time.Millisecond)
	if now := time.Now(); at.After(now) {
		return now
	}
	return at
}

// open makes the account. Its credits last.
func (s *seeder) open(ctx context.Context, rows int, receiver string) error {
	account := typus.Account{Name: "Muster GmbH", ContactEmail: "people@example.com", RoleProfile: "general_sales"}
	var err error
	if s.stock.Account, err = s.access.CreateAccount(ctx, account, int64(2*rows+1_000_000)); err != nil {
		return err
	}
	if _, s.stock.Key, err = s.access.CreateKey(ctx, s.stock.Account, "bench", typus.Actor{Name: "operator"}); err != nil {
		return err
	}
	_, _, err = s.accounts.CreateEndpoint(ctx, s.stock.Account, receiver, "", typus.Actor{Name: "operator"})
	return err
}

// deliverFirst finishes one test and has its webhook delivered, as the pattern
// for all the others.
func (s *seeder) deliverFirst(ctx context.Context, box *seal.Box) error {
	if err := s.candidate(ctx, 0); err != nil {
		return err
	}
	client, err := webhook.NewClient(webhook.ClientOptions{Guard: loopbackGuard(), BaseURL: "http://localhost"})
	if err != nil {
		return err
	}
	running, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		courier.New(courier.Options{Store: s.store, Client: client, Box: box, BaseURL: "http://localhost", Log: slog.New(slog.DiscardHandler)}).Run(running)
	}()
	err = s.untilDelivered(ctx)
	stop()
	<-ended
	return err
}

func (s *seeder) untilDelivered(ctx context.Context) error {
	e, err := s.store.EventOf(ctx, s.stock.Account, s.stock.Finished[0], typus.EventCandidateCompleted)
	if err != nil {
		return err
	}
	for range 1000 {
		list, err := s.store.DeliveriesOf(ctx, s.stock.Account, e.ID)
		if err != nil || len(list) == 1 && list[0].State == typus.DeliveryDelivered {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
	return errors.New("the first webhook was not delivered within 10 seconds")
}

// together leads people 1 to n from as many goroutines as the writer answers at once.
func (s *seeder) together(ctx context.Context, n int, lead func(context.Context, int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var all sync.WaitGroup
	for range 256 {
		all.Go(func() {
			for i := int(next.Add(1)); i <= n && ctx.Err() == nil; i = int(next.Add(1)) {
				if err := lead(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	all.Wait()
	return context.Cause(ctx)
}

// candidate leads person n as far as people get.
func (s *seeder) candidate(ctx context.Context, n int) error {
	switch kind := n % shareOf; {
	case kind < shareDone:
		token, id, err := s.begin(ctx, "crm", n)
		if err != nil {
			return err
		}
		if _, err := s.steps.Answer(ctx, token, s.people[n%len(s.people)]); err != nil {
			return err
		}
		if err := s.steps.Finish(ctx, token); err != nil {
			return err
		}
		s.note(func(k *stock) { k.Finished = append(k.Finished, id) })
		return nil
	case kind < shareDone+shareBroken:
		token, _, err := s.begin(ctx, "crm", n)
		if err == nil {
			_, err = s.steps.Answer(ctx, token, s.people[n%len(s.people)][:brokenAfter])
		}
		return err
	}
	_, err := s.invite(ctx, "crm", n)
	return err
}

func (s *seeder) beginner(ctx context.Context, n int) error {
	token, _, err := s.begin(ctx, "answering", n)
	s.note(func(k *stock) { k.Answering = append(k.Answering, token) })
	return err
}

func (s *seeder) finisher(ctx context.Context, n int) error {
	token, _, err := s.begin(ctx, "finishing", n)
	if err == nil {
		_, err = s.steps.Answer(ctx, token, s.people[n%len(s.people)])
	}
	s.note(func(k *stock) { k.Finishing = append(k.Finishing, token) })
	return err
}

func (s *seeder) begin(ctx context.Context, group string, n int) (string, int64, error) {
	out, err := s.invite(ctx, group, n)
	if err == nil {
		err = s.steps.Begin(ctx, out.Token, typus.Notice{Version: "f00ba4f00ba4f00b", Language: "de", At: s.now()}, "The text that everybody here has read.")
	}
	return out.Token, out.Candidate.ID, err
}

func (s *seeder) invite(ctx context.Context, group string, n int) (assess.Invited, error) {
	name, email := person(n)
	out, _, err := s.steps.Invite(ctx, s.stock.Account, assess.Invitation{
		Name: name, Email: email, ExternalID: fmt.Sprint(group, "-", n), SendEmail: true,
	}, nil)
	s.note(func(k *stock) { k.Candidates++ })
	return out, err
}

func (s *seeder) note(change func(*stock)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s.stock)
}

// person is a fictitious one.
func person(n int) (name, email string) {
	first := []string{"Jana", "Mehmet", "Lena", "Paweł", "Sofia", "Jonas", "Aylin", "David", "Klára", "Tomás", "Greta", "Noah"}
	last := []string{"Öztürk", "Müller", "Nowak", "Weiß", "Fernández"}
	return first[n%len(first)] + " " + last[n/len(first)%len(last)], fmt.Sprintf("person.%d@example.com", n)
}

// plausible are the answers of one person: a level per scale, some noise, a few
// seconds' thought on each.
func plausible(seed uint64) []assess.Given {
	random := rand.New(rand.NewPCG(seed, 97))
	level := map[string]float64{}
	var given []assess.Given
	for _, item := range instrument.Own().Items() {
		g := assess.Given{ItemID: item.ID, ActiveMS: 2500 + random.IntN(6000), Value: item.Expect}
		if item.Type != instrument.Instructed {
			if _, known := level[item.Scale]; !known {
				level[item.Scale] = 4.5 + 0.45*random.NormFloat64()
			}
			g.Value = min(6, max(1, int(math.Round(level[item.Scale]+0.7*random.NormFloat64()))))
			if item.Minus {
				g.Value = 7 - g.Value
			}
		}
		given = append(given, g)
	}
	return given
}
