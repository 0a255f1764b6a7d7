package sandbox_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/db"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// belongs says how rows of a table are found that belong to live accounts, by a column that it
// has. What has none of these belongs to no account.
var belongs = []struct{ column, whose string }{
	{"account_id", `account_id in (select id from accounts where parent_id is null)`},
	{"candidate_id", `candidate_id in (select c.id from candidates c join accounts a on a.id = c.account_id where a.parent_id is null)`},
	{"endpoint_id", `endpoint_id in (select e.id from webhook_endpoints e join accounts a on a.id = e.account_id where a.parent_id is null)`},
	{"import_id", `import_id in (select i.id from imports i join accounts a on a.id = i.account_id where a.parent_id is null)`},
	{"parent_id", `parent_id is null`},
}

func (p *play) rows(query string) []string {
	p.Helper()
	list, err := db.All(p.Ctx, p.Store, func(row db.Row) (string, error) {
		columns, err := row.(interface{ Columns() ([]string, error) }).Columns()
		if err != nil {
			return "", err
		}
		values := make([]any, len(columns))
		for i := range values {
			values[i] = new(any)
		}
		err = row.Scan(values...)
		texts := make([]string, len(values))
		for i, v := range values {
			texts[i] = fmt.Sprint(*v.(*any))
		}
		return strings.Join(texts, "|"), err
	}, query)
	p.Must(err)
	return list
}

// live is every row of every live account.
func (p *play) live() map[string][]string {
	p.Helper()
	columns := `select cast(table_name as text), cast(column_name as text) from information_schema.columns where table_schema = current_schema`
	if p.Store.Dialect() == "sqlite" {
		columns = `select m.name, c.name from sqlite_master m join pragma_table_info(m.name) c where m.type = 'table' and m.name not like 'sqlite%'`
	}
	of := map[string][]string{}
	for _, line := range p.rows(columns) {
		table, column, _ := strings.Cut(line, "|")
		of[table] = append(of[table], column)
	}
	all := map[string][]string{}
	for table, has := range of {
		for _, b := range belongs {
			if slices.Contains(has, b.column) {
				all[table] = p.rows(`select * from ` + table + ` where ` + b.whose)
				slices.Sort(all[table])
				break
			}
		}
	}
	return all
}

// chores is what the server does over all accounts.
func (p *play) chores() {
	p.Helper()
	for _, do := range []func() error{
		func() error { return p.Assess.RemindDue(p.Ctx, p.Now()) },
		func() error { return p.Assess.ExpireDue(p.Ctx, p.Now()) },
		func() error { return p.Assess.Retain(p.Ctx, p.Now()) },
		func() error { return p.Assess.ForgetImports(p.Ctx, p.Now()) },
		func() error { return p.Assess.ForgetEnrolments(p.Ctx, p.Now()) },
		func() error { return p.Accounts.ForgetRecipients(p.Ctx, p.Now()) },
		func() error { return p.Accounts.ForgetExperts(p.Ctx, p.Now()) },
		func() error { return p.Accounts.ForgetAnswers(p.Ctx, p.Now()) },
		func() error { return p.Clerk.ForgetKeys(p.Ctx, p.Now()) },
		func() error { return p.Clerk.ForgetForms(p.Ctx, p.Now()) },
		func() error { return p.Steps.DropLetters(p.Ctx, p.Now()) },
		func() error { return p.Accounts.RunReplays(p.Ctx) },
		func() error { _, err := p.Store.ReleaseHeld(p.Ctx); return err },
		func() error { return p.Store.TellFailing(p.Ctx, time.Hour) },
		func() error { _, _, err := p.Store.SweepEndpoints(p.Ctx, 0); return err },
		func() error { return p.Steps.Turn(p.Ctx) },
	} {
		p.Must(do())
	}
}

// Whatever happens in test worlds changes nothing of live accounts, not a byte.
func TestNothingOfALiveAccountChangesWhileWorldsArePlayed(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		p := newPlay(t, s)
		accounts, worlds := []int64{p.Account}, []int64{p.Test}
		for range 2 {
			id := p.NewAccount(typus.Account{Name: "Zweite GmbH", ContactEmail: "zwei@example.com"}, 10)
			world, err := p.Steps.World(p.Ctx, id)
			p.Must(err)
			accounts, worlds = append(accounts, id), append(worlds, world.ID)
		}
		for _, id := range append(slices.Clone(accounts), worlds...) {
			p.Must(p.Store.InTx(p.Ctx, func(tx *store.Tx) error {
				a, err := tx.Account(p.Ctx, id)
				if err != nil || a.IsWorld() {
					return err
				}
				a.KeepFinishedDays, a.KeepUnfinishedDays = 20, 20
				return tx.SetAccount(p.Ctx, a)
			}))
			for _, who := range []string{"finish+closer", "slow", "never", "kim", "decline"} {
				p.invite(id, who+"@example.com")
			}
		}
		stop := p.postman()
		p.finishLive(accounts)
		p.Later(time.Second)
		p.chores()
		stop()
		p.Must(p.bring(true)) // what it had not come to
		p.Must(p.bring(false))
		before := p.live()
		if len(before["candidates"]) != 15 || len(before["results"]) != 3 || len(before["accounts"]) != 3 {
			t.Fatalf("there are %d candidates, %d results", len(before["candidates"]), len(before["results"]))
		}
		for round := range 2 {
			for _, world := range worlds {
				p.Test = world
				p.advance(time.Duration(20+20*round) * 24 * time.Hour)
			}
			p.chores()
		}
		p.Must(p.Steps.SetBalance(p.Ctx, worlds[1], 3, operator))
		p.Must(p.Steps.Reset(p.Ctx, worlds[0], operator))
		if n := len(p.rows(`select id from results where candidate_id in (select c.id from candidates c join accounts a on a.id = c.account_id where a.parent_id is not null)`)); n != 0 {
			t.Errorf("retention has left %d results in the worlds", n)
		}
		after := p.live()
		for table := range before {
			if !slices.Equal(before[table], after[table]) {
				t.Errorf("%s of live accounts was\n%s\nand is\n%s", table, strings.Join(before[table], "\n"), strings.Join(after[table], "\n"))
			}
		}
	})
}

// finishLive has the first candidate of each live account finish.
func (p *play) finishLive(accounts []int64) {
	p.Helper()
	given := make([]assess.Given, 0, 97)
	for _, item := range p.Instrument.Items() {
		given = append(given, assess.Given{ItemID: item.ID, Value: 3, ActiveMS: 4000})
	}
	for _, id := range accounts {
		c, _, err := p.Store.CandidateByRef(p.Ctx, id, "kim@example.com", store.ByEither, store.AnyPosition)
		p.Must(err)
		p.Must(p.Assess.FinishFor(p.Ctx, id, c.ID, given, "candidate"))
	}
}
