package store

import (
	"context"
	"strconv"
	"strings"
	"time"

	"typus"
	"typus/internal/db"
)

// The bounds of what the page of a position reads.
const (
	newestOfPosition = 10
	testsOfPosition  = 1000 // finished tests whose time is read, and given up ones whose answers are
)

// PositionFigures are how far the candidates of a position are. The numbers are exact up
// to 10,000.
type PositionFigures struct {
	Open, Started, Finished Count
	Decided                 Count           // their newest stage is an offer, a rejection or a withdrawal
	Times                   []time.Duration // from beginning to hand-in, of the newest 1,000 who finished
	GivenUp                 []GivenUp       // of the newest 1,000 who began and can no longer finish
	Questions               int             // chosen for everybody; 0: those that the program proposes
	Public                  *PublicFigures  // of the public link, nil where there is none
	Named                   []typus.User    // whom the position names, by name; only what they are called by
}

// PublicFigures are how many a public link lets in, and how many of them have confirmed.
type PublicFigures struct{ Confirmed, Most int }

// Begun is how many have begun the test, finished ones included.
func (p PositionFigures) Begun() Count { return p.Started.and(p.Finished) }

// Invited is how many there are.
func (p PositionFigures) Invited() Count { return p.Open.and(p.Begun()) }

func (c Count) and(d Count) Count { return Count{N: c.N + d.N, More: c.More || d.More} }

// GivenUp is a test that was begun and is over without a result.
type GivenUp struct {
	Instrument string // id@version
	Sheet      []byte // the packed answers, nil without any
}

// BlindTo reports whether the reader sees results of a position only after rating.
func (r Reader) BlindTo(p typus.Position) bool { return p.Blind && (p.BlindAll || r.rates()) }

// inPosition begins a statement about the candidates of a position, and returns the
// condition by which they are found: none, if the reader does not read them.
func (r Reader) inPosition(p typus.Position) (*db.StatementBuilder, string) {
	q := r.statement()
	if p.Standard {
		q.Set("unnamed", db.Flag(r.AtStandard()))
		q.Add(`with reached as (select 0 as reach_id)`)
		return q, `c.account_id = :account and c.position_id is null and :unnamed <> 0`
	}
	q.Set("position", p.ID)
	q.Add(`with reached as materialized (
	select p.id as reach_id from positions p where p.account_id = :account and p.id = :position` + r.reaches() + `)`)
	return q, `c.account_id = :account and c.position_id = (select reach_id from reached)`
}

// decidedStages are those after which nothing more is to be decided.
const decidedStages = `('` + string(typus.StageOffer) + `', '` + string(typus.StageRejection) + `', '` + string(typus.StageWithdrew) + `')`

// PositionFigures reads how far the candidates of a position are, for a user. To who is
// blind to the position it tells neither what was decided nor how the tests were taken.
func (r *reads) PositionFigures(ctx context.Context, reader Reader, p typus.Position, now time.Time) (PositionFigures, error) {
	q, of := reader.inPosition(p)
	q.Set("now", db.Millis(now))
	q.Set("questions", p.ID)
	q.Set("link", p.ID)
	q.Set("named", p.ID)
	q.Set("told", db.Flag(!reader.BlindTo(p)))
	number := func(what, counting string) {
		q.Add(`
union all
select '` + what + `', (select count(*) from (
		` + counting + `) counted), '', cast(null as bytea)`)
	}
	within := func(status string) string {
		return `select 1 from candidates c where ` + of + ` and ` + counted + ` and c.status = '` + status + `' limit ` + strconv.Itoa(countUpTo+1)
	}
	newest := ` order by c.created_at desc, c.id desc limit `
	q.Add(`
select * from (
		select 'givenUp' as what, 0 as n, c.instrument as test, (select s.body from sheets s where s.candidate_id = c.id) as body
		from candidates c where ` + of + ` and c.erased_at is null and :told <> 0
			and c.status` + db.OffTextIndex + ` = 'begonnen' and (c.cancelled_at is not null or c.declined_at is not null or c.expires_at` + db.OffIndex + ` <= :now)
		` + newest + strconv.Itoa(testsOfPosition) + `) listed
union all
select * from (
		select 'time', c.completed_at - c.started_at, '', cast(null as bytea)
		from candidates c where ` + of + ` and c.erased_at is null and :told <> 0
			and c.status` + db.OffTextIndex + ` = 'abgeschlossen' and c.started_at is not null
		` + newest + strconv.Itoa(testsOfPosition) + `) listed`)
	number("open", within("offen"))
	number("started", within("begonnen"))
	number("finished", within("abgeschlossen"))
	number("decided", `select 1 from candidates c where `+of+` and `+counted+` and :told <> 0 and c.stage`+db.OffTextIndex+` in `+decidedStages+` limit `+strconv.Itoa(countUpTo+1))
	number("questions", `select 1 from core_questions k where k.account_id = :account and k.position_id = :questions and k.place is not null`)
	q.Add(`
union all
select 'link', l.confirmed, cast(l.most as text), cast(null as bytea)
from public_links l where l.position_id = :link and l.account_id = :account and l.revoked_at is null`)
	q.Add(`
union all
select * from (
		select 'named', 0, u.name || '` + tagSeparator + `' || u.email, cast(null as bytea)
		from position_members m join users u on u.id = m.user_id
		where m.position_id = :named and u.account_id` + db.OffIndex + ` = :account
		order by lower(u.name), lower(u.email)) listed`)
	query, args := q.Numbered()
	var f PositionFigures
	_, err := db.All(ctx, r, func(row db.Row) (int, error) { return 0, f.scan(row) }, query, args...)
	return f, err
}

func (p *PositionFigures) scan(row db.Row) error {
	var (
		what, test string
		n          int64
		body       []byte
	)
	if err := row.Scan(&what, &n, &test, &body); err != nil {
		return err
	}
	count := Count{N: int(min(n, countUpTo)), More: n > countUpTo}
	switch what {
	case "givenUp":
		p.GivenUp = append(p.GivenUp, GivenUp{test, body})
	case "time":
		p.Times = append(p.Times, time.Duration(n)*time.Millisecond)
	case "open":
		p.Open = count
	case "started":
		p.Started = count
	case "finished":
		p.Finished = count
	case "decided":
		p.Decided = count
	case "questions":
		p.Questions = int(n)
	case "link":
		most, err := strconv.Atoi(test)
		p.Public = &PublicFigures{int(n), most}
		return err
	case "named":
		name, email, _ := strings.Cut(test, tagSeparator)
		p.Named = append(p.Named, typus.User{Name: name, Email: email})
	}
	return nil
}

// NewestOf reads the ten newest candidates of a position, for a user.
func (r *reads) NewestOf(ctx context.Context, reader Reader, p typus.Position) ([]CandidateRow, error) {
	q, of := reader.inPosition(p)
	q.Add(`,
page as materialized (
	select c.id as row_id, c.created_at as row_key from candidates c where ` + of + ` and c.erased_at is null
	order by c.created_at desc, c.id desc limit ` + strconv.Itoa(newestOfPosition) + `)
select ` + rowColumns(reader) + `
from page cross join candidates where candidates.id = page.row_id order by row_key desc, row_id desc`)
	query, args := q.Numbered()
	return db.All(ctx, r, scanRow, query, args...)
}

// Unbegun is how many invitations have not been followed.
type Unbegun struct {
	Open int // their link works
	Over int // it ran out
}

// All is how many accounts.CancelOpen cancels.
func (u Unbegun) All() int { return u.Open + u.Over }

// CountUnbegun counts the invitations to a position, for a user.
func (r *reads) CountUnbegun(ctx context.Context, reader Reader, p typus.Position, now time.Time) (Unbegun, error) {
	q, of := reader.inPosition(p)
	q.Set("now", db.Millis(now))
	q.Add(`
select coalesce(sum(case when c.expires_at > :now then 1 else 0 end), 0), count(*) from candidates c where ` + of + ` and ` + unbegun)
	query, args := q.Numbered()
	return db.One(ctx, r, func(row db.Row) (Unbegun, error) {
		var open, all int
		err := row.Scan(&open, &all)
		return Unbegun{open, all - open}, err
	}, "", query, args...)
}
