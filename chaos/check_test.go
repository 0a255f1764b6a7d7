//go:build chaos

package chaos

import (
	"bytes"
	"compress/flate"
	"context"
	"database/sql"
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"typus"
	"typus/internal/instrument"
	"typus/internal/waittest"
)

// check compares what is stored with the journals of all drivers of an installation, and the
// books with each other. The drivers stand still; servers may run.
func check(t *testing.T, s *site, drivers ...*driver) {
	t.Helper()
	s.looking(t, func(db *sql.DB) {
		checkWhole(t, s, db)
		checkBooks(t, db)
		for _, d := range drivers {
			checkJournal(t, db, d)
		}
	})
}

// checkWhole wants an undamaged file.
func checkWhole(t *testing.T, s *site, db *sql.DB) {
	t.Helper()
	if s.postgres() {
		return
	}
	var said string
	if err := db.QueryRowContext(context.Background(), "pragma integrity_check").Scan(&said); err != nil || said != "ok" {
		t.Errorf("integrity_check: %s, %v", said, err)
	}
	if n := number(t, db, "select count(*) from pragma_foreign_key_check"); n != 0 {
		t.Errorf("foreign_key_check: %d", n)
	}
}

// never are queries for what must not be, as ids of those it concerns.
var never = []struct{ what, query string }{
	{"candidates who are finished without a ledger entry", `
		select id from candidates c where status = 'abgeschlossen' and not exists
			(select 1 from credit_ledger l where l.candidate_id = c.id and l.delta = -1 and l.reason = 'completion')`},
	{"ledger entries of those who are not finished", `
		select l.id from credit_ledger l join candidates c on c.id = l.candidate_id where c.status <> 'abgeschlossen'`},
	{"candidates with two ledger entries", `
		select candidate_id from credit_ledger where candidate_id is not null group by candidate_id having count(*) > 1`},
	{"candidates who are finished without an event", `
		select id from candidates c where status = 'abgeschlossen' and not exists
			(select 1 from webhook_events e where e.candidate_id = c.id and e.type = 'candidate.completed' and e.test = 0 and e.payload is not null)`},
	{"events of those who are not finished", `
		select c.id from webhook_events e join candidates c on c.id = e.candidate_id
		where e.type = 'candidate.completed' and e.test = 0 and c.status <> 'abgeschlossen'`},
	{"candidates with two events", `
		select candidate_id from webhook_events where type = 'candidate.completed' and test = 0 group by candidate_id having count(*) > 1`},
	{"candidates who are finished without a result", `
		select id from candidates c where status = 'abgeschlossen' and
			(scores is null or completed_at is null or 1 <> (select count(*) from results r where r.candidate_id = c.id))`},
	{"results of those who are not finished", `
		select c.id from results r join candidates c on c.id = r.candidate_id where c.status <> 'abgeschlossen'`},
	{"accounts whose credits are not the sum of the ledger", `
		select id from accounts a where credits <> (select coalesce(sum(delta), 0) from credit_ledger l where l.account_id = a.id)`},
	{"ledger entries whose balance is not the sum up to them", `
		select id from (select id, balance_after, sum(delta) over (partition by account_id order by id) as balance from credit_ledger) as x
		where balance_after <> balance`},
	{"events without one delivery for each endpoint", `
		select e.candidate_id from webhook_events e where e.test = 0 and
			(select count(*) from webhook_deliveries d where d.event_id = e.id and d.kind = 'auto') <>
			(select count(*) from webhook_endpoints w where w.account_id = e.account_id and w.created_at <= e.occurred_at)`},
}

// checkBooks wants candidates, ledger, results, events and deliveries to agree.
func checkBooks(t *testing.T, db *sql.DB) {
	t.Helper()
	for _, n := range never {
		if found := numbers(t, db, n.query); len(found) > 0 {
			t.Errorf("%d %s: %v", len(found), n.what, found[:min(5, len(found))])
		}
	}
}

// row is what is stored of a candidate.
type row struct {
	id        int64
	begun     bool
	status    string
	body      []byte // of the sheet
	answers   []byte // of the result
	completed bool
}

// checkJournal wants everything that was acknowledged, and nothing that was not sent.
func checkJournal(t *testing.T, db *sql.DB, d *driver) {
	t.Helper()
	rows := storedRows(t, db, d)
	d.mu.Lock()
	defer d.mu.Unlock()
	finished := int64(0)
	for _, p := range d.people {
		found := rows[p.ref]
		delete(rows, p.ref)
		if len(found) > 1 {
			t.Errorf("%s was invited %d times", p.ref, len(found))
		}
		if len(found) == 0 {
			if p.id != 0 {
				t.Errorf("the invitation of %s, number %d, is lost", p.ref, p.id)
			}
			continue
		}
		if found[0].status == string(typus.StatusFinished) {
			finished++
		}
		for _, fault := range p.faults(found[0]) {
			t.Errorf("%s, number %d: %s", p.ref, found[0].id, fault)
		}
	}
	for ref := range rows {
		t.Errorf("%s was invited by nobody", ref)
	}
	granted := number(t, db, "select coalesce(sum(delta), 0) from credit_ledger where account_id = $1 and reason = 'grant'", d.account.id)
	credits := number(t, db, "select credits from accounts where id = $1", d.account.id)
	all := number(t, db, "select count(*) from candidates where account_id = $1 and status = 'abgeschlossen'", d.account.id)
	if granted != d.account.granted || credits != granted-all || finished > all {
		t.Errorf("%d credits of %d granted, %d wanted, after %d finished tests, %d of this driver", credits, granted, d.account.granted, all, finished)
	}
}

// storedRows are the candidates of a driver, by reference.
func storedRows(t *testing.T, db *sql.DB, d *driver) map[string][]row {
	t.Helper()
	rows, err := db.QueryContext(context.Background(), `
		select c.external_id, c.id, c.started_at, c.status, c.completed_at, s.body, r.answers
		from candidates c left join sheets s on s.candidate_id = c.id left join results r on r.candidate_id = c.id
		where c.account_id = $1 and c.external_id like $2`, d.account.id, d.name+"-%")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	all := map[string][]row{}
	for rows.Next() {
		var ref string
		var r row
		var started, completed sql.NullInt64
		if err := rows.Scan(&ref, &r.id, &started, &r.status, &completed, &r.body, &r.answers); err != nil {
			t.Fatal(err)
		}
		r.begun, r.completed = started.Valid, completed.Valid
		all[ref] = append(all[ref], r)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// faults are all differences between what was acknowledged of a person and what is stored.
func (p *person) faults(r row) []string {
	var list []string
	fault := func(is bool, format string, args ...any) {
		if is {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	finished := r.status == string(typus.StatusFinished)
	fault(!p.asked, "was never invited")
	fault(p.id != 0 && p.id != r.id, "the acknowledged number is %d", p.id)
	fault(p.begun && !r.begun, "the beginning is lost")
	fault(p.finished && !finished, "the test was handed in and is %s", r.status)
	fault(finished && !p.tried, "nobody has handed in")
	fault(r.completed != finished, "half finished")
	packed := r.body
	if finished {
		packed = r.answers
	}
	stored, err := values(packed, len(p.values))
	fault(err != nil, "the answers: %v", err)
	fault(finished && slices.Contains(stored, 0), "finished without all answers")
	for i, value := range stored {
		fault(p.stored[i] && value == 0, "answer %d is lost", i+1)
		fault(value != 0 && (!p.sent[i] || value != p.values[i]), "answer %d is %d, sent was %d", i+1, value, p.values[i])
	}
	return list
}

// values are the answers of a packed sheet, 0 for none. That of a result is compressed,
// behind one byte.
func values(packed []byte, items int) ([]int, error) {
	list := make([]int, items)
	if len(packed) == 0 {
		return list, nil
	}
	if packed[0] == 'z' {
		var err error
		if packed, err = io.ReadAll(flate.NewReader(bytes.NewReader(packed[1:]))); err != nil {
			return list, err
		}
	}
	var sheet instrument.Sheet
	if err := sheet.UnmarshalBinary(packed); err != nil {
		return list, err
	}
	for i, a := range sheet.Answers {
		list[i] = a.Value
	}
	return list, nil
}

// awaitDeliveries waits until nothing is due to go out any more.
func awaitDeliveries(t *testing.T, s *site, within time.Duration) {
	t.Helper()
	s.looking(t, func(db *sql.DB) {
		waittest.Within(t, within, "every delivery has arrived", func() bool {
			return number(t, db, "select count(*) from webhook_deliveries where state in ('pending', 'sending')") == 0
		})
	})
}

// checkDelivered wants every event of the database to have arrived at the receivers, none of
// them unknown, and says how many events there are, how many requests and how many of those
// came although the event had arrived.
func checkDelivered(t *testing.T, s *site, list ...*receiver) (events, requests, again int) {
	t.Helper()
	again, arrived := checkArrivals(t, list...)
	s.looking(t, func(db *sql.DB) {
		rows, err := db.QueryContext(context.Background(), "select id, candidate_id from webhook_events where type = 'candidate.completed' and test = 0")
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var event string
			var candidate int64
			if err := rows.Scan(&event, &candidate); err != nil {
				t.Fatal(err)
			}
			events++
			if arrived[event] == 0 {
				t.Errorf("event %s of candidate %d has not arrived", event, candidate)
			}
			requests += arrived[event]
			delete(arrived, event)
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	})
	for event, n := range arrived {
		t.Errorf("event %s came %d times and is not stored", event, n)
	}
	return events, requests, again
}
