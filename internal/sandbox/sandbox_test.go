package sandbox_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"typus"
	"typus/internal/assess"
	"typus/internal/auth"
	"typus/internal/clerk"
	"typus/internal/sandbox"
	"typus/internal/store"
	"typus/internal/store/storetest"
	"typus/internal/worldtest"
)

func init() { auth.Weaken() }

// play is a live account with its test world.
type play struct {
	*worldtest.World
	Steps *sandbox.Steps
	Test  int64
}

var operator = typus.Actor{Name: typus.ActorOperator}

func run(t *testing.T, test func(p *play)) {
	storetest.Run(t, func(t *testing.T, s *store.Store) { test(newPlay(t, s)) })
}

func newPlay(t *testing.T, s *store.Store) *play {
	t.Helper()
	w := worldtest.New(t, s, worldtest.Options{Log: slog.New(slog.DiscardHandler)})
	w.On(s.WithClock(w.Now))
	p := &play{World: w}
	p.Steps = p.another()
	world, err := p.Steps.World(w.Ctx, w.Account)
	w.Must(err)
	p.Test = world.ID
	return p
}

// another instance on the same database.
func (p *play) another() *sandbox.Steps {
	return sandbox.New(sandbox.Options{Store: p.Store, Assess: p.Assess, Box: p.Box, Clock: p.Now, Log: slog.New(slog.DiscardHandler)}).Hurry()
}

func (p *play) invite(account int64, address string) typus.Candidate {
	p.Helper()
	out, _, err := p.Assess.Invite(p.Ctx, account, assess.Invitation{Name: "Kim Muster", Email: address, ExternalID: address, Language: "de", SendEmail: true}, nil)
	p.Must(err)
	return out.Candidate
}

func (p *play) candidate(id int64) typus.Candidate {
	p.Helper()
	c, err := p.Store.Candidate(p.Ctx, p.Test, id)
	p.Must(err)
	return c
}

func (p *play) account(id int64) typus.Account {
	p.Helper()
	a, err := p.Store.Account(p.Ctx, id)
	p.Must(err)
	return a
}

// advance moves the clock on, and brings letters meanwhile as the courier does.
func (p *play) advance(by time.Duration) sandbox.Move {
	p.Helper()
	m, err := p.Steps.Advance(p.Ctx, p.Test, by, operator)
	p.Must(err)
	defer p.postman()()
	p.Must(p.Steps.Turn(p.Ctx))
	m, err = p.Steps.MoveOf(p.Ctx, p.Test, m.ID)
	p.Must(err)
	if !m.Done || m.Left != 0 {
		p.Fatalf("the clock comes to %+v", m)
	}
	return m
}

// postman brings letters until the returned function is called.
func (p *play) postman() func() {
	ctx, stop := context.WithCancel(p.Ctx)
	var done sync.WaitGroup
	done.Go(func() {
		for ctx.Err() == nil {
			for _, kept := range []bool{true, false} {
				if err := p.bring(kept); err != nil && ctx.Err() == nil {
					p.Error(err)
				}
			}
			time.Sleep(time.Millisecond)
		}
	})
	return func() { stop(); done.Wait() }
}

func (p *play) bring(kept bool) error {
	letters, err := p.Store.ClaimLetters(p.Ctx, store.Claim{Owner: "postman", Lease: time.Minute, Limit: 50, Kept: kept})
	for _, l := range letters {
		l.State = typus.LetterSent
		if _, err := p.Store.FinishLetter(p.Ctx, "postman", l, 0); err != nil {
			return err
		}
	}
	return err
}

// letters counts the letters to a candidate of the world by kind.
func (p *play) letters(id int64) string {
	p.Helper()
	list, err := p.Store.LettersOf(p.Ctx, p.Test, id)
	p.Must(err)
	var kinds []string
	for _, l := range list {
		kinds = append(kinds, string(l.Kind))
	}
	slices.Sort(kinds)
	return strings.Join(kinds, " ")
}

// The vectors are those that the instrument was checked with.
func TestEachVectorComesToTheResultOfTheReference(t *testing.T) {
	source, err := os.ReadFile("../instrument/testdata/golden_vectors_2.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Order   []string
		Vectors []struct {
			Name    string
			Answers []int
		}
	}
	if err := json.Unmarshal(source, &golden, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	vectors, dimensions := sandbox.Vectors()
	if len(vectors) != 15 || len(dimensions) != 9 {
		t.Fatalf("%d vectors, %d dimensions", len(vectors), len(dimensions))
	}
	for _, v := range vectors {
		for _, g := range golden.Vectors {
			if g.Name == v.From && strings.Trim(strings.ReplaceAll(fmt.Sprint(g.Answers), " ", ""), "[]") != v.Answers {
				t.Errorf("%s has other answers than %s", v.Name, v.From)
			}
		}
	}
	run(t, func(p *play) {
		people := map[string]typus.Candidate{}
		for _, v := range vectors {
			people[v.Name] = p.invite(p.Test, "finish+"+v.Name+"@example.com")
		}
		p.Later(time.Minute)
		p.Must(p.Steps.Turn(p.Ctx))
		for _, v := range vectors {
			c := p.candidate(people[v.Name].ID)
			if c.Status != typus.StatusFinished || c.Scores == nil {
				p.Errorf("%s stands at %s", v.Name, c.Status)
				continue
			}
			var scores []int
			for _, d := range c.Scores.Dimensions {
				scores = append(scores, d.Score)
			}
			if c.Scores.Overall != v.Overall || !slices.Equal(scores, v.Dimensions) {
				p.Errorf("%s comes to %+v, want %+v", v.Name, c.Scores, v)
			}
		}
		if live, is := p.account(p.Account), p.account(p.Test); live.Credits != 10 || is.Credits != sandbox.Credits-15 {
			p.Errorf("live has %d credits, the world %d", live.Credits, is.Credits)
		}
	})
}

func TestPeopleInATestWorldActByThemselves(t *testing.T) {
	run(t, func(p *play) {
		stands := func(id int64) typus.Stand { c := p.candidate(id); return c.Stand(p.Now()) }
		for address, want := range map[string][3]typus.Stand{ // after a minute, a day more, a month more
			"finish+closer@example.com": {typus.StandFinished, typus.StandFinished, typus.StandFinished},
			"reply@example.com":         {typus.StandFinished, typus.StandFinished, typus.StandFinished},
			"slow@example.com":          {typus.StandBegun, typus.StandFinished, typus.StandFinished},
			"half+2@example.com":        {typus.StandBegun, typus.StandBegun, typus.StandExpired},
			"decline@example.com":       {typus.StandDeclined, typus.StandDeclined, typus.StandExpired},
			"expire@example.com":        {typus.StandExpired, typus.StandExpired, typus.StandExpired},
			"bounce@example.com":        {typus.StandOpen, typus.StandOpen, typus.StandExpired},
			"never@example.com":         {typus.StandOpen, typus.StandOpen, typus.StandExpired},
			"kim@example.com":           {typus.StandOpen, typus.StandOpen, typus.StandExpired},
			"finish+nobody@example.com": {typus.StandOpen, typus.StandOpen, typus.StandExpired},
		} {
			p.Must(p.Steps.Reset(p.Ctx, p.Test, operator))
			c := p.invite(p.Test, address)
			p.Later(59 * time.Second)
			p.Must(p.Steps.Turn(p.Ctx))
			if stand := stands(c.ID); stand != typus.StandOpen {
				p.Errorf("%s: within a minute %s", address, stand)
			}
			p.Later(time.Second)
			p.Must(p.Steps.Turn(p.Ctx))
			var got [3]typus.Stand
			got[0] = stands(c.ID)
			p.advance(24*time.Hour + time.Minute)
			got[1] = stands(c.ID)
			p.advance(31 * 24 * time.Hour)
			got[2] = stands(c.ID)
			if got != want {
				p.Errorf("%s: %v, want %v", address, got, want)
			}
			var said typus.Comment
			err := p.Store.InTx(p.Ctx, func(tx *store.Tx) error {
				var err error
				said, err = tx.LastComment(p.Ctx, c.ID)
				return err
			})
			if err != nil || (said.Text != "") != strings.HasPrefix(address, "reply") {
				p.Errorf("%s says %+v, %v", address, said, err)
			}
		}
	})
}

// A clock that is moved on stops at full minutes, so that "after a minute" is less than two, as
// the documentation says.
func TestWhoActsAfterAMinuteActsWithinTwoWhileTheClockIsMoved(t *testing.T) {
	run(t, func(p *play) {
		p.Later(time.Minute - time.Duration(p.Now().Second())*time.Second + 20*time.Second)
		for by, after := range map[time.Duration]time.Duration{time.Minute: time.Minute, 24 * time.Hour: 100 * time.Second} {
			p.Must(p.Steps.Reset(p.Ctx, p.Test, operator))
			c := p.invite(p.Test, "finish+closer@example.com")
			p.advance(by)
			is := p.candidate(c.ID)
			if got := is.CompletedAt.Sub(is.CreatedAt).Truncate(time.Second); got != after {
				p.Errorf("moved on by %s, the test is finished %s after the invitation, want %s", by, got, after)
			}
		}
	})
}

// In a live account an address is an address.
func TestNobodyActsInALiveAccount(t *testing.T) {
	run(t, func(p *play) {
		c := p.invite(p.Account, "finish+closer@example.com")
		p.Later(time.Hour)
		p.Must(p.Steps.Turn(p.Ctx))
		if is, err := p.Store.Candidate(p.Ctx, p.Account, c.ID); err != nil || is.Status != typus.StatusOpen {
			p.Errorf("they stand at %s, %v", is.Status, err)
		}
		_, err := p.Steps.Advance(p.Ctx, p.Account, time.Hour, operator)
		p.WantKind(err, typus.Forbidden)
		p.WantKind(p.Steps.Reset(p.Ctx, p.Account, operator), typus.Forbidden)
		p.WantKind(p.Steps.SetBalance(p.Ctx, p.Account, 0, operator), typus.Forbidden)
		_, err = p.Steps.Advance(p.Ctx, 999_999, time.Hour, operator)
		p.WantKind(err, typus.NotFound)
	})
}

// Several instances at once do each act once.
func TestManyInstancesActOnce(t *testing.T) {
	run(t, func(p *play) {
		var people []typus.Candidate
		for n := range 8 {
			people = append(people, p.invite(p.Test, fmt.Sprintf("finish+closer+%d@example.com", n)))
		}
		withdrawn := p.invite(p.Test, "finish+rock@example.com")
		p.Must(p.Assess.Cancel(p.Ctx, store.WholeAccount(p.Test), withdrawn.ID, operator))
		erased := p.invite(p.Test, "finish+spark@example.com")
		p.Must(p.Assess.Erase(p.Ctx, store.WholeAccount(p.Test), erased.ID, operator))
		p.Later(time.Minute)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if err := p.another().Turn(p.Ctx); err != nil {
					p.Error(err)
				}
			})
		}
		all.Wait()
		events, err := p.Store.WorldEvents(p.Ctx, p.Test, "", 100)
		if err != nil || len(events) != len(people) {
			p.Errorf("%d events, %v", len(events), err)
		}
		for i, e := range events {
			after, err := p.Store.WorldEvents(p.Ctx, p.Test, e.ID, 100)
			if err != nil || len(after) != len(events)-i-1 || len(e.Payload) == 0 {
				p.Errorf("after event %d there are %d, %v", i, len(after), err)
			}
		}
		if c := p.candidate(withdrawn.ID); c.Stand(p.Now()) != typus.StandWithdrawn {
			p.Errorf("who is withdrawn stands at %s", c.Stand(p.Now()))
		}
		if is := p.account(p.Test); is.Credits != sandbox.Credits-int64(len(people)) {
			p.Errorf("the world has %d credits", is.Credits)
		}
	})
}

// Three days later somebody is reminded once, a month later their invitation has run out; what
// was shown of a time stays as it was.
func TestAMoveDoesWhatFallsDueOnTheWay(t *testing.T) {
	run(t, func(p *play) {
		c, live := p.invite(p.Test, "never@example.com"), p.invite(p.Account, "never@example.com")
		invited, start := c.CreatedAt, p.Now()
		if m := p.advance(72 * time.Hour); !m.WorldTime.Equal(start.Add(72 * time.Hour)) {
			p.Errorf("the clock shows %s", m.WorldTime)
		}
		if got := p.letters(c.ID); got != "invitation reminder" {
			p.Errorf("after three days the letters are %s", got)
		}
		is, world := p.candidate(c.ID), p.account(p.Test)
		if !world.WorldTime(is.CreatedAt).Equal(invited) || world.Ahead != 72*time.Hour {
			p.Errorf("%s ahead they were invited at %s, before at %s", world.Ahead, world.WorldTime(is.CreatedAt), invited)
		}
		p.advance(31 * 24 * time.Hour)
		if got := p.letters(c.ID); got != "invitation reminder reminder" {
			p.Errorf("after a month the letters are %s", got)
		}
		if is := p.candidate(c.ID); is.Stand(p.Now()) != typus.StandExpired {
			p.Errorf("after a month they stand at %s", is.Stand(p.Now()))
		}
		entries, err := p.Store.AuditOf(p.Ctx, p.Test, c.ID)
		if err != nil || !slices.ContainsFunc(entries, func(e typus.AuditEntry) bool { return e.Action == typus.AuditCandidateExpired }) {
			p.Errorf("the log says %+v, %v", entries, err)
		}
		if is, err := p.Store.Candidate(p.Ctx, p.Account, live.ID); err != nil || !is.CreatedAt.Equal(live.CreatedAt) || is.Stand(p.Now()) != typus.StandOpen {
			p.Errorf("the live candidate is %+v, %v", is, err)
		}
	})
}

// A double click moves the clock once, also where the first move is done when the second click
// comes.
func TestAFormMovesTheClockOnce(t *testing.T) {
	run(t, func(p *play) {
		who := operator
		who.Form = strings.Repeat("f", 26)
		m, err := p.Steps.Advance(p.Ctx, p.Test, time.Hour, who)
		p.Must(err)
		p.Must(p.Steps.Turn(p.Ctx))
		_, err = p.Steps.Advance(p.Ctx, p.Test, time.Hour, who)
		if made, before := clerk.SentBefore(err); !before || made != m.ID {
			p.Errorf("the second click moves the clock: %v", err)
		}
		if is := p.account(p.Test); is.Ahead != time.Hour {
			p.Errorf("the clock is %s ahead", is.Ahead)
		}
	})
}

// An instance that dies between two stops leaves the rest to another, and nothing comes twice.
func TestAnotherInstanceGoesOnWhereOneHasDied(t *testing.T) {
	run(t, func(p *play) {
		c, quick := p.invite(p.Test, "never@example.com"), p.invite(p.Test, "finish+closer@example.com")
		m, err := p.Steps.Advance(p.Ctx, p.Test, 40*24*time.Hour, operator)
		p.Must(err)
		_, err = p.Steps.Advance(p.Ctx, p.Test, time.Hour, operator)
		p.WantKind(err, typus.Conflict)
		stop := p.postman()
		p.Must(p.Steps.Stops(p.Ctx, 2))
		other := p.another()
		p.Must(other.Turn(p.Ctx))
		if is, err := other.MoveOf(p.Ctx, p.Test, m.ID); err != nil || is.Done || is.Left == 0 {
			p.Errorf("while the first one has it: %+v, %v", is, err)
		}
		p.Later(sandbox.Lease + time.Second)
		p.Must(other.Turn(p.Ctx))
		stop()
		if is, err := other.Await(p.Ctx, p.Test, m.ID, time.Minute); err != nil || !is.Done {
			p.Errorf("after that: %+v, %v", is, err)
		}
		if got := p.letters(c.ID); got != "invitation reminder reminder" {
			p.Errorf("the letters are %s", got)
		}
		if is := p.candidate(quick.ID); is.Status != typus.StatusFinished {
			p.Errorf("who finishes stands at %s", is.Status)
		}
	})
}

func TestAResetLeavesAWorldAsItWasAtFirst(t *testing.T) {
	run(t, func(p *play) {
		for _, who := range []string{"reply", "half", "decline", "never", "finish+closer"} {
			p.invite(p.Test, who+"@example.com")
		}
		p.advance(10 * 24 * time.Hour)
		p.Must(p.Steps.SetBalance(p.Ctx, p.Test, 0, operator))
		_, _, err := p.Assess.Invite(p.Ctx, p.Test, assess.Invitation{Name: "Kim", Email: "kim@example.com"}, nil)
		p.WantKind(err, typus.NoCredit)
		p.Must(p.Steps.Reset(p.Ctx, p.Test, operator))
		if is := p.account(p.Test); is.Ahead != 0 || is.Credits != sandbox.Credits {
			p.Errorf("the world is %+v", is)
		}
		if n, err := p.Store.CountPeople(p.Ctx, p.Test); err != nil || n != 0 {
			p.Errorf("%d people, %v", n, err)
		}
		c := p.invite(p.Test, "finish+closer@example.com")
		p.Later(time.Minute)
		p.Must(p.Steps.Turn(p.Ctx))
		if is := p.candidate(c.ID); is.Status != typus.StatusFinished {
			p.Errorf("after a reset they stand at %s", is.Status)
		}
		p.WantKind(p.Steps.SetBalance(p.Ctx, p.Test, -1, operator), typus.Invalid)
		for _, by := range []time.Duration{0, -time.Hour, sandbox.Farthest + 1} {
			_, err := p.Steps.Advance(p.Ctx, p.Test, by, operator)
			p.WantKind(err, typus.Invalid)
		}
	})
}

func TestADurationIsWrittenAsItIsAsked(t *testing.T) {
	for d, want := range map[time.Duration]string{
		72 * time.Hour: "P3D", time.Minute: "PT1M", 25*time.Hour + 5*time.Second: "P1DT1H5S", time.Millisecond: "PT0S", 90 * time.Minute: "PT1H30M",
	} {
		if got := sandbox.ISO(d); got != want {
			t.Errorf("%s is %s, want %s", d, got, want)
		}
	}
}
