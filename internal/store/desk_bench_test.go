package store_test

import (
	"database/sql"
	"fmt"
	"slices"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// deskPeople is how many candidates there are, in as many positions as positions.md asks for.
const (
	deskPeople    = 100_000
	deskPositions = 200
)

// What the pages cost that a team works with all day, in an account of 100,000 candidates in
// 200 positions: all the statements of each. No page depends on what PostgreSQL knows of the
// tables: they are read as they were written, and once more after a vacuum.
func BenchmarkDesk(b *testing.B) {
	b.Run("sqlite", func(b *testing.B) { newDesk(b, storetest.OpenSQLite(b)).measure(b) })
	b.Run("postgres", func(b *testing.B) {
		dsn := storetest.Postgres(b)
		admin := must[*sql.DB](b)(sql.Open("pgx", dsn))
		defer admin.Close()
		s := storetest.Open(b, dsn)
		for _, table := range rows(b, s, `select relname from pg_class where relkind = 'r' and relnamespace = current_schema::regnamespace`) {
			run(b, s, `alter table %s set (autovacuum_enabled = false)`, table)
		}
		d := newDesk(b, s)
		b.Run("written", d.measure)
		if _, err := admin.ExecContext(b.Context(), "vacuum analyze"); err != nil { //nolint:misspell // the word is PostgreSQL's
			b.Fatal(err)
		}
		b.Run("vacuumed", d.measure)
	})
}

// desk is an account, and who looks at it.
type desk struct {
	*store.Store
	account, user int64
	first         int64 // id of the first position
	now           time.Time
}

// newDesk makes a crowd in 200 positions, one of them the default one, and seven role
// profiles; two thirds have finished, and there is something to do today.
func newDesk(b *testing.B, s *store.Store) desk {
	b.Helper()
	d := desk{Store: s, account: newAccount(b, s), now: noon.Add(deskPeople * time.Second)}
	d.user = newUser(b, s, typus.User{AccountID: d.account, Email: "ada@example.com", Role: typus.RoleOwner, CreatedAt: noon}, "x")
	write(b, s, func(tx *store.Tx) error {
		return tx.AddSession(b.Context(), typus.Session{Hash: "session", UserID: d.user, AccountID: d.account, CreatedAt: noon, SeenAt: noon, ExpiresAt: d.now})
	})
	run(b, s, `with recursive n (i) as (select 1 union all select i + 1 from n where i < %d)
		insert into positions (account_id, name, created_at) select %d, 'Stelle ' || i, 0 from n`, deskPositions-1, d.account)
	d.first = number(b, rows(b, s, `select cast(min(id) as text) from positions`)[0])
	run(b, s, `insert into position_members (position_id, user_id) select id, %d from positions where id < %d`, d.user, d.first+3)
	d.people(b)
	d.traces(b)
	return d
}

// people makes the candidates: none of what they have goes with their position.
func (d desk) people(b *testing.B) {
	at := fmt.Sprint(noon.UnixMilli()) + ` + i * 1000`
	crowdOf(b, d.Store, d.account, deskPeople, `status, role_profile, position_id, stage, expires_at, started_at, completed_at, overall, scores`,
		`case when i %% 3 > 0 then 'abgeschlossen' when i %% 6 = 0 then 'begonnen' else 'offen' end, 'role' || (i %% 7),
		case when i %% `+fmt.Sprint(deskPositions)+` > 0 then `+fmt.Sprint(d.first-1)+` + i %% `+fmt.Sprint(deskPositions)+` end,
		case i / 200 %% 10 when 0 then 'offer' when 1 then 'interview' when 2 then 'rejection' when 3 then 'rejection' when 4 then 'rejection' else '' end, `+at+` + 14 * 86400000,
		case when i %% 3 > 0 or i %% 6 = 0 then `+at+` + 1800000 end, case when i %% 3 > 0 then `+at+` + 3600000 end,
		case when i %% 3 > 0 and i / 200 %% 20 > 0 then i %% 101 end,
		case when i %% 3 > 0 then cast('`+"1\x1f70\x1fB\x1f\x1fcloser\x1f\x1f\x1f0"+`' as `+bytesOf(d.Store)+`) end`)
}

// traces makes what the candidates leave in other tables: letters of which some came back,
// asked for links, looks of the user at most results, tags.
func (d desk) traces(b *testing.B) {
	const part = 5000 // a statement of more takes longer than any may
	for from := int64(1); from <= deskPeople; from += part {
		these := fmt.Sprintf(` from candidates where account_id = %d and id between %d and %d`, d.account, 100000000000000+from, 100000000000000+from+part-1)
		for _, q := range []string{
			`insert into letters (account_id, candidate_id, kind, language, recipient, state, created_at, next_attempt_at)
				select account_id, id, 'invitation', 'de', email, case when id % 30 = 0 then 'failed' else 'sent' end, created_at, created_at` + these,
			`insert into audit_log (account_id, candidate_id, actor, action, detail, created_at)
				select account_id, id, 'candidate', 'candidate.link_requested', '', expires_at + 1` + these + ` and id % 30 = 3`,
			`insert into audit_log (account_id, candidate_id, user_id, actor, action, detail, created_at)
				select account_id, id, ` + fmt.Sprint(d.user) + `, 'a', 'report.viewed', '', created_at` + these + ` and completed_at is not null and id % 10 > 0`,
			`insert into candidate_tags (account_id, tag, candidate_id) select account_id, 'tag' || (id % 9), id` + these + ` and id % 4 = 0`,
		} {
			run(b, d.Store, "%s", q)
		}
	}
}

// readers are who reads everything, the candidates of three positions only, those with rating
// before seeing, and of all positions but the default one.
func (d desk) readers() []struct {
	name string
	store.Reader
} {
	whole := store.Reader{AccountID: d.account, UserID: d.user, Role: typus.RoleOwner, Positions: store.Positions{Everything: true}}
	three, blind, most := whole, whole, whole
	three.Role, three.Positions = typus.RoleMember, store.Positions{}
	blind.Role, blind.Positions, blind.Blind = typus.RoleMember, store.Positions{}, store.Blind{Somewhere: true}
	most.Role, most.Positions = typus.RoleMember, store.Positions{Open: true}
	return []struct {
		name string
		store.Reader
	}{{"owner", whole}, {"three", three}, {"three blind", blind}, {"most", most}}
}

func (d desk) queries() []struct {
	name string
	q    store.CandidateQuery
} {
	const role = "role3"
	return []struct {
		name string
		q    store.CandidateQuery
	}{
		{"newest", store.CandidateQuery{}},
		{"name", store.CandidateQuery{Sort: store.SortName}},
		{"status", store.CandidateQuery{Status: typus.StatusFinished}},
		{"status by name", store.CandidateQuery{Status: typus.StatusOpen, Sort: store.SortName}},
		{"position", store.CandidateQuery{Position: d.first}},
		{"default position", store.CandidateQuery{General: true}},
		{"role", store.CandidateQuery{Role: role}},
		{"role by name", store.CandidateQuery{Role: role, Sort: store.SortName}},
		{"role by score", store.CandidateQuery{Role: role, Sort: store.SortOverall}},
		{"position and role by score", store.CandidateQuery{Position: d.first, Role: role, Sort: store.SortOverall}},
		{"stage", store.CandidateQuery{Stage: typus.StageOffer}},
		{"new", store.CandidateQuery{Stage: typus.StageNew, Status: typus.StatusFinished}},
		{"stage by name", store.CandidateQuery{Stage: typus.StageRejection, Sort: store.SortName}},
		{"stage and role", store.CandidateQuery{Stage: typus.StageOffer, Role: role}},
		{"tag", store.CandidateQuery{Tag: "tag4"}},
		{"search", store.CandidateQuery{Search: "crm-77777"}},
		{"search many", store.CandidateQuery{Search: "m"}},
		{"search many by name", store.CandidateQuery{Search: "m", Sort: store.SortName}},
		{"search and role", store.CandidateQuery{Search: "example.com", Role: role}},
		{"need link", store.CandidateQuery{Need: store.NeedLink}},
		{"need address", store.CandidateQuery{Need: store.NeedAddress}},
		{"need time", store.CandidateQuery{Need: store.NeedTime}},
		{"need care", store.CandidateQuery{Need: store.NeedCare}},
		{"need look and role by score", store.CandidateQuery{Need: store.NeedLook, Role: role, Sort: store.SortOverall}},
		{"need look in a position", store.CandidateQuery{Need: store.NeedLook, Position: d.first}},
	}
}

func (d desk) measure(b *testing.B) {
	for _, reader := range d.readers() {
		d.home(b, reader.name, reader.Reader)
		for _, of := range d.queries() {
			of.q.Now, of.q.ReadTo = d.now, d.now.AddDate(0, 0, -30)
			d.page(b, "list "+reader.name+" "+of.name, func() error {
				_, err := d.CandidatePage(b.Context(), reader.Reader, of.q)
				return err
			})
		}
		d.places(b, reader.name, reader.Reader)
	}
	d.own(b)
}

func (d desk) home(b *testing.B, name string, reader store.Reader) {
	d.page(b, "home "+name, func() error {
		if _, err := d.Needing(b.Context(), reader, store.Needs(), d.now, d.now.AddDate(0, 0, -30)); err != nil {
			return err
		}
		if _, err := d.OpenRequests(b.Context(), reader, 26); err != nil {
			return err
		}
		_, err := d.Endpoints(b.Context(), d.account)
		return err
	})
}

// places are the page of all positions, and those of one and of the default one.
func (d desk) places(b *testing.B, name string, reader store.Reader) {
	d.page(b, "positions "+name, func() error {
		all, err := d.Positions(b.Context(), reader)
		if err != nil {
			return err
		}
		_, err = d.PositionCounts(b.Context(), reader, all[:min(len(all), store.RowsOnScreen)])
		return err
	})
	d.page(b, "position "+name, func() error {
		p, err := d.PositionFor(b.Context(), reader, d.first)
		if err != nil {
			return err
		}
		if _, err := d.PositionFigures(b.Context(), reader, p, d.now); err != nil {
			return err
		}
		_, err = d.NewestOf(b.Context(), reader, p)
		return err
	})
}

// own is a candidate's page of their own result.
func (d desk) own(b *testing.B) {
	b.Run("own result", func(b *testing.B) {
		d.timed(b, func() error {
			v, err := d.VisitByToken(b.Context(), "h77777")
			if err != nil {
				return err
			}
			_, err = d.OwnPage(b.Context(), v.Candidate)
			return err
		})
	})
}

// page measures a page of the dashboard, which finds the visitor first.
func (d desk) page(b *testing.B, name string, read func() error) {
	b.Run(name, func(b *testing.B) {
		d.timed(b, func() error {
			if _, err := d.SessionByToken(b.Context(), "session"); err != nil {
				return err
			}
			return read()
		})
	})
}

// timed reports the middle and the least of the times, in milliseconds, and how much of the
// processor one took: a busy machine makes some times long.
func (d desk) timed(b *testing.B, read func() error) {
	var times []float64
	before := cpu(b, d.Store)
	for b.Loop() {
		began := time.Now()
		if err := read(); err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(began).Seconds()*1000)
	}
	took := cpu(b, d.Store) - before
	slices.Sort(times)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(times[len(times)/2], "ms/middle")
	b.ReportMetric(times[0], "ms/least")
	b.ReportMetric(took.Seconds()*1000/float64(len(times)), "ms/processor")
}
