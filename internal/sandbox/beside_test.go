package sandbox_test

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"typus"
	"typus/internal/accounts"
	"typus/internal/assess"
	"typus/internal/sandbox"
	"typus/internal/store"
	"typus/internal/store/storetest"
	"typus/internal/webhook"
)

// What somebody does by themselves, or a courier writes back, while a move looks for its next
// stop counts for that stop: it was passed over. SQLite's one writer has no between.
func TestAMoveStopsAtWhatBecomesDueWhileItLooks(t *testing.T) {
	for name, during := range map[string]struct{ lock, do string }{
		"act": {`select 1 from candidates where account_id = $1 for no key update`, `
			insert into world_acts (account_id, candidate_id, act, vector, step, due_at) select account_id, id, 'slow', '', 1, $2 from candidates where account_id = $1`},
		"attempt": {`select 1 from webhook_endpoints where account_id = $1 for no key update`, `update webhook_endpoints set due_at = $2 where account_id = $1`},
	} {
		t.Run(name, func(t *testing.T) {
			dsn := storetest.Postgres(t)
			p := newPlay(t, storetest.Open(t, dsn))
			p.hook()
			p.invite(p.Test, "kim@example.com")
			stop := p.postman()
			for left := (store.Unsettled{Due: 1}); left != (store.Unsettled{}); {
				var err error
				left, err = p.Store.Unsettled(p.Ctx, p.Test)
				p.Must(err)
			}
			stop()
			_, err := p.Steps.Advance(p.Ctx, p.Test, 24*time.Hour, operator)
			p.Must(err)
			other, err := sql.Open("pgx", dsn)
			p.Must(err)
			defer func() { _ = other.Close() }()
			tx, err := other.BeginTx(p.Ctx, nil)
			p.Must(err)
			defer func() { _ = tx.Rollback() }()
			_, err = tx.ExecContext(p.Ctx, during.lock, p.Test)
			p.Must(err)
			moved := make(chan error, 1)
			go func() { moved <- p.Steps.Stops(p.Ctx, 1) }()
			waiting(p, tx, 1, nil)
			_, err = tx.ExecContext(p.Ctx, during.do, p.Test, p.Now().Add(10*time.Minute).UnixMilli())
			p.Must(err)
			p.Must(tx.Commit())
			p.Must(<-moved)
			if is := p.account(p.Test); is.Ahead != 10*time.Minute {
				p.Errorf("the clock is %s ahead", is.Ahead)
			}
		})
	}
}

// Whoever holds something that a move waits for gets what they lock after it: in another order
// they would wait for each other, until PostgreSQL ends one of them.
func TestAMoveWaitsForNobodyWhoWaitsForIt(t *testing.T) {
	dsn := storetest.Postgres(t)
	p := newPlay(t, storetest.Open(t, dsn))
	c := newThrong(p)
	p.Must(c.invites(0))
	p.Must(c.enrols(0))
	p.Later(time.Minute)
	p.Must(p.Steps.Turn(p.Ctx)) // somebody finishes, which the webhooks are told
	p.Must(c.keeps(0))
	other, err := sql.Open("pgx", dsn)
	p.Must(err)
	defer func() { _ = other.Close() }()
	const ofWorld, ofLink = ` where account_id = $1`, ` where link_id in (select id from public_links where account_id = $1)`
	for name, holds := range map[string][]string{
		"an erasure":                {"imports" + ofWorld, "candidates" + ofWorld, "letters" + ofWorld, "kept_letters" + ofWorld, "enrolments" + ofLink, "webhook_deliveries" + ofWorld},
		"a position that is closed": {"positions" + ofWorld, "candidates" + ofWorld},
		"a public link":             {"positions" + ofWorld, "public_links" + ofWorld},
		"the end of a test":         {"candidates" + ofWorld, "webhook_endpoints" + ofWorld, "accounts where id = $1"},
		"an attempt":                {"webhook_endpoints" + ofWorld, "webhook_deliveries" + ofWorld, "accounts where id = $1"},
		"a letter":                  {"letters" + ofWorld, "kept_letters" + ofWorld},
		"what runs out":             {"letters" + ofWorld, "kept_letters" + ofWorld, "enrolments" + ofLink},
	} {
		_, err := p.Steps.Advance(p.Ctx, p.Test, time.Minute, operator)
		p.Must(err)
		moves, err := p.Store.FreeMoves(p.Ctx, sandbox.Lease)
		p.Must(err)
		goOn := func() (store.Progress, error) { return p.Store.GoOn(p.Ctx, moves[0], "me", sandbox.Lease, p.Now()) }
		tx, err := other.BeginTx(p.Ctx, nil)
		p.Must(err)
		lock := func(rows string) {
			t.Helper()
			locked, err := tx.ExecContext(p.Ctx, `select 1 from `+rows+` for no key update nowait`, p.Test)
			p.Must(err)
			if n, err := locked.RowsAffected(); err != nil || n == 0 {
				t.Errorf("%s: %d of %s, %v", name, n, rows, err)
			}
		}
		lock(holds[0])
		moved := make(chan error, 1)
		go func() { _, err := goOn(); moved <- err }()
		waiting(p, tx, 1, nil)
		for _, rows := range holds[1:] {
			lock(rows)
		}
		p.Must(tx.Rollback())
		p.Must(<-moved)
		for step := store.MoveOn; step == store.MoveOn; {
			step, err = goOn()
			p.Must(err)
		}
	}
}

// hook adds a webhook to the world.
func (p *play) hook() int64 {
	p.Helper()
	var id int64
	p.Must(p.Store.InTx(p.Ctx, func(tx *store.Tx) error {
		var err error
		if id, err = tx.AddEndpoint(p.Ctx, typus.Endpoint{AccountID: p.Test, URL: "https://hooks.example.com/", MaxInFlight: 8, Rate: typus.Rate{PerSecond: 1000, Burst: 1000}, CreatedAt: p.Now()}); err != nil {
			return err
		}
		_, err = tx.AddSecret(p.Ctx, p.Test, id, typus.SecretCurrent, "k1", p.Now(), func(int64) ([]byte, error) { return []byte("sealed"), nil })
		return err
	}))
	return id
}

// throng is everybody who is at work in a world while its clock is moved.
type throng struct {
	*play
	link     string
	position int64 // is closed and opened

	mu     sync.Mutex
	people []int64
}

func newThrong(p *play) *throng {
	p.Helper()
	c := &throng{play: p}
	all := store.WholeAccount(p.Test)
	var err error
	c.position, err = p.Accounts.AddPosition(p.Ctx, all, typus.Position{Name: "Nord", Reminders: typus.RemindersOfAccount}, nil, operator)
	p.Must(err)
	c.opens()
	_, err = p.Assess.AddImport(p.Ctx, all, typus.Import{AccountID: p.Test, FileName: "liste.csv", Language: "de", RoleProfile: "general_sales"}, []byte("Name;E-Mail\nKim;kim@example.com\n"), operator)
	p.Must(err) // it waits: whoever erases somebody locks it
	for range 2 {
		p.hook()
	}
	return c
}

// opens lets people in by the public link of the default position.
func (c *throng) opens() {
	c.Helper()
	c.Must(c.Accounts.KeepPublicLink(c.Ctx, store.WholeAccount(c.Test), 0, operator, func(l *typus.PublicLink) bool { l.Most = 1000; return true }))
	standard, err := c.Store.StandardPosition(c.Ctx, c.Test)
	c.Must(err)
	l, err := c.Store.PublicLinkOf(c.Ctx, c.Test, standard.ID)
	c.Must(err)
	address, err := c.Accounts.PublicAddress(typus.Account{}, l)
	c.Must(err)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.link = address[strings.LastIndex(address, "/")+1:]
}

func (c *throng) invites(i int) error {
	if i >= 150 {
		return nil // there is room for no more than a thousand
	}
	who := []string{"finish+closer", "slow", "reply", "never"}[i%4]
	address := fmt.Sprintf("%s+%d@example.com", who, i)
	made, _, err := c.Assess.Invite(c.Ctx, c.Test, assess.Invitation{Name: "Kim Muster", Email: address, ExternalID: address, Language: "de", SendEmail: true}, nil)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.people = append(c.people, made.Candidate.ID)
	return nil
}

// enrols types an address at the public link; every second one is confirmed.
func (c *throng) enrols(i int) error {
	if i >= 100 {
		return nil
	}
	address := fmt.Sprintf("finish+closer+link%d@example.com", i)
	if err := c.types(i, address); err != nil || i%2 == 0 {
		return err
	}
	letters, err := c.Store.Letters(c.Ctx, c.Test, 1000)
	if err != nil {
		return err
	}
	for _, l := range letters {
		if l.Kind != typus.LetterEnrolment || l.To != address {
			continue
		}
		token, err := c.Box.Open(l.Detail, l.DetailAAD())
		if err != nil {
			return err
		}
		_, err = c.Assess.Confirm(c.Ctx, string(token))
		return err
	}
	return fmt.Errorf("no letter to %s", address)
}

// types an address at the public link.
func (c *throng) types(i int, address string) error {
	c.mu.Lock()
	link := c.link
	c.mu.Unlock()
	return c.Assess.Enrol(c.Ctx, link, typus.Enrolment{Name: "Kim", Email: address, Language: "de"}, fmt.Sprintf("10.%d.%d.1", i/250, i%250))
}

func (c *throng) erases(int) error {
	c.mu.Lock()
	if len(c.people) < 3 {
		c.mu.Unlock()
		return nil
	}
	id := c.people[0]
	c.people = c.people[1:]
	c.mu.Unlock()
	return c.Assess.Erase(c.Ctx, store.WholeAccount(c.Test), id, operator)
}

func (c *throng) closes(int) error {
	all := store.WholeAccount(c.Test)
	if _, err := c.Accounts.ClosePosition(c.Ctx, all, c.position, accounts.CancelOpen, operator); err != nil {
		return err
	}
	return c.Accounts.ReopenPosition(c.Ctx, all, c.position, operator)
}

func (c *throng) keeps(int) error {
	letters, err := c.Store.ClaimLetters(c.Ctx, store.Claim{Owner: "keeper", Lease: time.Minute, Limit: 5, Kept: true})
	for _, l := range letters {
		l.State = typus.LetterSent
		if _, err := c.Store.KeepLetter(c.Ctx, "keeper", l, []byte("sealed"), true); err != nil {
			return err
		}
	}
	return err
}

// delivers brings what is due; every second attempt fails.
func (c *throng) delivers(i int) error {
	claimed, err := c.Store.ClaimDeliveries(c.Ctx, "courier", time.Minute, 4)
	for n, d := range claimed {
		out := webhook.Outcome{Delivered: true, Attempt: typus.Attempt{N: d.Delivery.Attempt, Outcome: "delivered", HTTPStatus: 204}}
		if (i+n)%2 == 0 {
			out = webhook.Outcome{Attempt: typus.Attempt{N: d.Delivery.Attempt, Outcome: "failed", HTTPStatus: 503, ErrorCode: webhook.Code5xx}}
		}
		_, err := c.Store.FinishAttempt(c.Ctx, "courier", d.Delivery, out.Attempt, func(e typus.Endpoint, is typus.Delivery, late bool, now time.Time) typus.Verdict {
			return webhook.Judge(e, is, webhook.Result{Outcome: out, Late: late, Wait: 5 * time.Minute}, now)
		})
		if err != nil {
			return err
		}
	}
	return err
}

// begin puts everybody to work until the returned function is called, while time passes. A busy
// machine lets nobody wait for more than seconds; what else goes wrong is a fault, unless it is
// of one of the given kinds.
func (c *throng) begin(steps map[string]func(int) error, fine ...typus.Kind) (stop func()) {
	c.Helper()
	fine = append(fine, typus.Unavailable)
	steps["time"] = func(int) error { c.Later(50 * time.Millisecond); return nil }
	ctx, over := context.WithCancel(c.Ctx)
	var all sync.WaitGroup
	for name, step := range steps {
		all.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				if err := step(i); err != nil && !slices.Contains(fine, typus.KindOf(err)) {
					c.Errorf("%s: %v", name, err)
				}
				time.Sleep(5 * time.Millisecond)
			}
		})
	}
	return func() { over(); all.Wait() }
}

// noDeadlocks reads what PostgreSQL has counted in a database that is closed.
func (c *throng) noDeadlocks(dsn string) {
	c.Helper()
	c.On(storetest.Open(c.T, dsn))
	if got := c.rows("select deadlocks from pg_stat_database where datname = current_database()"); len(got) != 1 || got[0] != "0" {
		c.Errorf("%s deadlocks", got)
	}
}

// Whoever is at work beside a move waits for it or is waited for, in one order: PostgreSQL
// counts who was not. What belongs together is moved together.
func TestNobodyDeadlocksBesideAMove(t *testing.T) {
	dsn := storetest.Postgres(t)
	s := storetest.Open(t, dsn)
	p := newPlay(t, s)
	c := newThrong(p)
	stop := c.begin(map[string]func(int) error{
		"invite": c.invites, "enrol": c.enrols, "erase": c.erases, "close": c.closes, "keep": c.keeps, "deliver": c.delivers,
	})
	for range 6 {
		m, err := p.Steps.Advance(p.Ctx, p.Test, 5*time.Hour, operator)
		p.Must(err)
		p.Must(p.Steps.Turn(p.Ctx))
		if m, err = p.Steps.MoveOf(p.Ctx, p.Test, m.ID); err != nil || !m.Done {
			t.Fatalf("the clock comes to %+v, %v", m, err)
		}
	}
	stop()
	c.belongsTogether()
	p.Must(s.Close()) // whose end hands its counts in
	c.noDeadlocks(dsn)
}

// A reset waits for whoever is at work, too, and they for it; who comes later finds nothing.
// (An erasure locks the lists once more after the person: one that is uploaded between may have
// it wait for a reset that waits for it, and be run again.)
func TestNobodyDeadlocksBesideAReset(t *testing.T) {
	for _, left := range []string{"erase", "import"} {
		t.Run("no "+left, func(t *testing.T) { besideResets(t, left) })
	}
}

// besideResets resets a world some times in which everybody is at work but one.
func besideResets(t *testing.T, left string) {
	t.Helper()
	dsn := storetest.Postgres(t)
	s := storetest.Open(t, dsn)
	p := newPlay(t, s)
	c := newThrong(p)
	all := store.WholeAccount(p.Test)
	steps := map[string]func(int) error{
		"invite": func(i int) error { return c.invites(i % 100) }, "erase": c.erases, "keep": c.keeps, "deliver": c.delivers,
		"enrol": func(i int) error { return c.types(i, fmt.Sprintf("link%d@example.com", i)) },
		"import": func(int) error {
			_, err := p.Assess.AddImport(p.Ctx, all, typus.Import{AccountID: p.Test, FileName: "liste.csv", Language: "de", RoleProfile: "general_sales"}, []byte("Name;E-Mail\n"), operator)
			return err
		},
		"position": func(i int) error {
			_, err := p.Accounts.AddPosition(p.Ctx, all, typus.Position{Name: fmt.Sprint("Süd ", i), Reminders: typus.RemindersOfAccount}, nil, operator)
			return err
		},
		"balance": func(i int) error { return p.Steps.SetBalance(p.Ctx, p.Test, int64(500+i), operator) },
		"act":     func(int) error { return p.Steps.Turn(p.Ctx) },
	}
	delete(steps, left)
	stop := c.begin(steps, typus.NotFound, typus.Conflict, typus.TooMany)
	for range 6 {
		for crowd := 0; crowd < 2 && !t.Failed(); { // who were invited since the last reset, and not erased
			c.mu.Lock()
			crowd = len(c.people)
			c.mu.Unlock()
			time.Sleep(time.Millisecond)
		}
		err := p.Steps.Reset(p.Ctx, p.Test, operator)
		for typus.Is(err, typus.Unavailable) {
			err = p.Steps.Reset(p.Ctx, p.Test, operator)
		}
		p.Must(err)
		c.mu.Lock()
		c.people = nil
		c.mu.Unlock()
		c.opens()
	}
	stop()
	p.Must(s.Close()) // whose end hands its counts in
	c.noDeadlocks(dsn)
}

// belongsTogether finds times of one moment, give or take some seconds, that were moved apart.
func (c *throng) belongsTogether() {
	c.Helper()
	for what, query := range map[string]string{
		"invitations and their letters": `select c.id from candidates c join letters l on l.candidate_id = c.id and l.kind = 'invitation' group by c.id, c.created_at having abs(min(l.created_at) - c.created_at) > 30000`,
		"addresses and their letters":   `select e.letter_id from enrolments e join letters l on l.id = e.letter_id where abs(l.created_at - e.created_at) > 30000`,
		"ends of addresses":             `select letter_id from enrolments where expires_at - created_at <> ` + strconv.FormatInt(typus.EnrolmentLife.Milliseconds(), 10),
		"results and their events":      `select c.id from candidates c join webhook_events v on v.candidate_id = c.id and v.test = 0 where abs(v.occurred_at - c.completed_at) > 30000`,
		"results and their entries":     `select c.id from candidates c join credit_ledger l on l.candidate_id = c.id and l.reason = 'completion' where abs(l.created_at - c.completed_at) > 30000`,
		"what arrived twice":            `select delivery_id from webhook_attempts where outcome = 'delivered' group by delivery_id having count(*) > 1`,
		"people before their letters":   `select c.id from candidates c where c.erased_at is null and not exists (select 1 from letters l where l.candidate_id = c.id)`,
	} {
		if apart := c.rows(query); len(apart) > 0 {
			c.Errorf("%s: %d are apart, such as %s", what, len(apart), apart[0])
		}
	}
	if n := c.rows(`select count(*) from webhook_attempts`); len(n) != 1 || n[0] == "0" {
		c.Error("nothing was delivered; the test says little")
	}
}
