package sandbox_test

import (
	"database/sql"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// Whoever is invited while a clock is being moved is invited before or after: all of it goes
// back, or nothing. SQLite's one writer has no between.
func TestNobodyIsInvitedBetweenTwoStatementsOfAMove(t *testing.T) {
	dsn := storetest.Postgres(t)
	p := newPlay(t, storetest.Open(t, dsn))
	note := typus.Note{CandidateID: p.invite(p.Test, "never@example.com").ID, Body: "Rückruf"}
	p.Must(p.Assess.AddNote(p.Ctx, store.WholeAccount(p.Test), note, operator))
	p.Must(p.bring(true))
	_, err := p.Steps.Advance(p.Ctx, p.Test, time.Hour, operator)
	p.Must(err)
	other, err := sql.Open("pgx", dsn)
	p.Must(err)
	defer func() { _ = other.Close() }()
	tx, err := other.BeginTx(p.Ctx, nil)
	p.Must(err)
	defer func() { _ = tx.Rollback() }()
	_, err = tx.ExecContext(p.Ctx, `select 1 from notes where candidate_id in (select id from candidates where account_id = $1) for update`, p.Test)
	p.Must(err)

	moved, invited := make(chan error, 1), make(chan typus.Candidate, 1)
	go func() { moved <- p.Steps.Stops(p.Ctx, 1) }()
	waiting(p, tx, 1, nil)
	go func() { invited <- p.invite(p.Test, "finish+closer@example.com") }()
	c := waiting(p, tx, 2, invited)
	p.Must(tx.Rollback())
	p.Must(<-moved)
	if c.ID == 0 {
		c = <-invited
	}
	is := p.candidate(c.ID)
	letters, err := p.Store.LettersOf(p.Ctx, p.Test, c.ID)
	p.Must(err)
	acts, err := p.Store.DueActsOf(p.Ctx, p.Test, p.Now().Add(time.Hour), store.WorldAct{}, 10)
	p.Must(err)
	if len(letters) != 1 || len(acts) != 1 || !letters[0].CreatedAt.Equal(is.CreatedAt) || !acts[0].DueAt.Equal(is.CreatedAt.Add(time.Minute)) {
		p.Errorf("invited at %s, with %+v, who does %+v", is.CreatedAt, letters, acts)
	}
}

// waiting returns when so many wait for a lock, or somebody is done who should.
func waiting(p *play, tx *sql.Tx, n int, done <-chan typus.Candidate) typus.Candidate {
	p.Helper()
	for waits := 0; waits < n; {
		p.Must(tx.QueryRowContext(p.Ctx, `
			select count(*) from pg_locks where not granted and (transactionid = pg_current_xact_id()::xid
				or locktype = 'advisory' and database = (select oid from pg_database where datname = current_database()))`).Scan(&waits))
		select {
		case c := <-done:
			return c
		default:
		}
	}
	return typus.Candidate{}
}

// A clock that cannot go on locks nobody out: a reset ends its move.
func TestAResetEndsAMoveThatCannotGoOn(t *testing.T) {
	run(t, func(p *play) {
		c := p.invite(p.Test, "never@example.com")
		m, err := p.Steps.Advance(p.Ctx, p.Test, 40*24*time.Hour, operator)
		p.Must(err)
		stop := p.postman()
		p.Must(p.Steps.Stops(p.Ctx, 2)) // and dies
		stop()
		p.Must(p.Steps.Reset(p.Ctx, p.Test, operator))
		if is := p.account(p.Test); is.Ahead != 0 {
			p.Errorf("the clock is %s ahead", is.Ahead)
		}
		_, err = p.Steps.MoveOf(p.Ctx, p.Test, m.ID)
		p.WantKind(err, typus.NotFound)
		_, err = p.Store.Candidate(p.Ctx, p.Test, c.ID)
		p.WantKind(err, typus.NotFound)
		p.Later(time.Minute)
		p.advance(time.Hour)
	})
}
