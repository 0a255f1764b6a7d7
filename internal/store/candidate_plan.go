package store

import (
	"strconv"
	"strings"

	"typus"
	"typus/internal/db"
	"typus/internal/words"
)

// How the list for people is read.
//
// An account has up to a million candidates, and whoever looks through them types a few
// letters, picks a tag, a status, a week, an order, and pages on. A page must cost the
// same whatever is asked and however many there are; and SQLite has no statistics,
// PostgreSQL's know nothing of texts. So the databases are left no choice: each
// statement says which index is gone along and how far.
//
// A page is two statements. The first one counts the candidates in each status, to be
// shown above the list, as far as a bound (Count.More: it was reached). What it has
// learnt decides how the second one reads the page:
//
//   - Nothing is searched for: the counts are read from the index of each status
//     (countAll). Newest first, the page lies in the index of that order (walk). So do
//     the other two orders, by name and by score, but of an account with few
//     candidates in the status and the time that are asked for, those are read and
//     sorted (sortFew): along the order they might lie at its end.
//   - A word or a tag is searched for, or the list is narrowed to a position, a role
//     profile, a stage or a need: everybody who has it stands together in an index
//     (source). So does whom a reader of some positions only reads. Of several, the
//     smallest one is gone through, as far as fewRows, and
//     each candidate in it is looked up once and held against all that is asked
//     (find). While that bound is not reached, all who match are known: they are
//     counted exactly and sorted, and the first statement names the page's ids
//     already. The second one reads their rows (CandidateRowsOf).
//   - A reader of some positions only (restricted): the candidates of each position stand
//     together in an index. As far as a bound they are counted (countReached), and while
//     it is not reached, read and sorted (sortReached). More than that: many, so that
//     whoever goes along the order comes upon enough of them soon.
//   - More have it than that: then many match, and whoever goes along the order comes
//     upon enough of them soon (walk). Whoever has a word may by name be called Z all; so
//     more of them are looked up before walking is the better way (fewRowsSorted).
//
// What makes the databases do as they are told:
//
//   - "materialized" is read first, and by itself.
//   - A subquery in the list of columns is asked once for each row. A join would leave
//     to PostgreSQL which side it begins with: it reads all candidates sooner than some
//     thousand by their ids.
//   - db.OffIndex behind a column keeps it from its index.
//   - "between x and x" joins like "= x", but by no hash of everything: PostgreSQL looks each
//     row up by its index.
//   - A limit in a subquery that finds one row keeps it from being turned into a join.
//   - "case when … then 1 else 0 end <> 0" hides how rare a condition is. PostgreSQL takes
//     a pattern in the middle of a text for very rare, and would read all words again for
//     every candidate that it expects not to find. And it hides that somebody was not erased
//     (unerased): most indexes have only such candidates, and before it has statistics
//     PostgreSQL expects one row from each of them.
//   - "p.id + 0 = p.id" (rare) is true of every row, as db.FewOnes is: PostgreSQL expects few
//     rows of what says so, and begins a join with it.
//   - The place in a list is a bound of the index, "(key, id) < (…)", and its start is
//     a place, too: the first page and the others are one statement.
//
// The statements are put together from constants, never from what somebody types. As
// they are run they stand in testdata/list.sql, to be read and tried at the prompt, and
// TestTheListsStatementsAreThoseThatStandInTheFile holds them to it. Their plans are
// held by statements_test.go.

const (
	// fewRows is how many candidates of a word or a tag are looked up to be counted
	// and sorted, fewRowsSorted how many in another order than the newest first.
	fewRows       = 3000
	fewRowsSorted = 10_000
	// countUpTo bounds how far candidates are counted; countEnd goes one further.
	countUpTo = 10_000
	// maxOverall is the best overall score.
	maxOverall   = 100
	tagSeparator = "\n" // no tag holds a control character, and a prompt takes this one
)

// plan is a statement for a page of the list that a user reads.
type plan struct {
	*db.StatementBuilder
	reader Reader
	f      CandidateQuery
	asks   words.Search
}

func newPlan(reader Reader, f CandidateQuery, asks words.Search) *plan {
	p := &plan{reader.statement(), reader, f, asks}
	from, to := f.span()
	p.Set("from", from)
	p.Set("to", to)
	p.Set("status", string(f.Status))
	p.Set("tag", f.Tag)
	p.Set("position", f.Position)
	p.Set("general", db.Flag(f.General))
	profile, _ := typus.OwnRoleID(f.Role)
	p.Set("role", f.Role)
	p.Set("profile", profile)
	p.Set("stage", string(f.Stage))
	p.Set("now", db.Millis(f.Now))
	p.Set("soon", db.Millis(f.Now.Add(ExpiresSoon)))
	p.Set("readto", db.Millis(f.ReadTo))
	for i, key := range asks.Keys {
		p.Set("word"+strconv.Itoa(i+1), key)
		p.Set("behind"+strconv.Itoa(i+1), words.After(key))
	}
	for i, pattern := range asks.Patterns {
		p.Set("pattern"+strconv.Itoa(i+1), pattern)
	}
	p.setPlace()
	return p
}

// eachTag are the tags of an account, found by stepping from one to the next along
// their index; shownTags are they as one text.
const (
	eachTag = `each_tag (tag) as (
	select (select t.tag from candidate_tags t where t.account_id = :account order by t.tag limit 1)
	union all
	select (select t.tag from candidate_tags t where t.account_id = :account and t.tag > each_tag.tag order by t.tag limit 1)
	from each_tag where each_tag.tag is not null)`
	shownTags = `coalesce((select string_agg(tag, '` + tagSeparator + `') from (
		select tag from each_tag where tag is not null limit 200) listed), '')`
	// eachRole and shownRoles are the same for role profiles.
	eachRole = `each_role (role) as (
	select (select c.role_profile from candidates c where c.account_id = :account and ` + unerased + ` order by c.role_profile limit 1)
	union all
	select (select c.role_profile from candidates c where c.account_id = :account and ` + unerased + ` and c.role_profile > each_role.role
		order by c.role_profile limit 1)
	from each_role where each_role.role is not null)`
	shownRoles = `coalesce((select string_agg(role || ' ' || ` + roleName + `, '` + tagSeparator + `') from (
		select role from each_role where role is not null limit 200) listed), '')`
	// roleName is the name of an account's own role profile, '' for one of the test.
	roleName = `coalesce((select p.name from role_profiles p where p.account_id = :account and 'own-' || cast(p.id as text) = listed.role), '')`
)

// These count the candidates in each status where nothing is searched for. One index has them
// in the order that is asked for, and PostgreSQL takes no other, which might cost the same.
const (
	countOpen     = countBegin + `'offen' and 'offen'` + countEnd
	countStarted  = countBegin + `'begonnen' and 'begonnen'` + countEnd
	countFinished = countBegin + `'abgeschlossen' and 'abgeschlossen'` + countEnd
	countBegin    = `,
	(select count(*) from (
		select 1 from candidates where account_id = :account and erased_at is null and status between `
	countEnd = `
			and created_at >= :from and created_at < :to order by status, created_at limit 10001) counted)`
)

// count is the first of the two statements: how many candidates were gone through, how
// many match in each status, the ids of the page where those were found, and the tags.
func (p *plan) count() {
	switch {
	case p.f.searched():
		p.countFound()
	case p.restricted():
		p.countReached()
	default:
		p.Add(`with recursive ` + eachTag + `, ` + eachRole + `
select 0` + countOpen + countStarted + countFinished + `,
	'',
	` + p.offers("", "", ""))
	}
}

// restricted reports whether the list is of some positions only.
func (p *plan) restricted() bool { return !p.reader.Positions.Everything }

// offers are the columns of what the list can be narrowed to: tags, role profiles and
// positions. All of the account, or where the list is restricted those of the candidates in
// a part of the statement, the newest fewRows, whose ids and role profiles are columns of it;
// and of the positions those that the reader reads.
func (p *plan) offers(part, id, role string) string {
	roles, within := shownRoles, ``
	if p.restricted() {
		roles = `coalesce((select string_agg(role || ' ' || ` + roleName + `, '` + tagSeparator + `') from (
		select distinct ` + role + ` as role from ` + p.newest(part, id) + ` limit 200) listed), '')`
		within = ` and ` + readable
	}
	return p.tags(part, id) + `,
	` + roles + `,
	coalesce((select string_agg(cast(id as text) || ' ' || cast(standard as text) || ' ' || name, '` + tagSeparator + `') from (
		select p.id, p.standard, p.name from positions p where p.account_id = :account and p.state <> 'archived'` + within + ` order by p.id desc limit 200) listed), '')`
}

// newest are the newest rows of a part of a restricted statement, not too many of them.
func (p *plan) newest(part, id string) string {
	return `(select * from ` + part + ` order by ` + id + ` desc limit ` + strconv.Itoa(fewRows) + `) newest`
}

// tags is the column of the tags that are offered. Some of them may stand there twice.
func (p *plan) tags(part, id string) string {
	switch {
	case p.reader.Blind.Somewhere:
		return `''`
	case p.restricted():
		return `coalesce((select string_agg(tags, '` + tagSeparator + `') from (
		select distinct (select string_agg(t.tag, '` + tagSeparator + `') from candidate_tags t where t.candidate_id = ` + id + `) as tags from ` + p.newest(part, id) + ` limit 1000) listed), '')`
	}
	return shownTags
}

// reach are the positions that a restricted list is of, as far as they are rows.
var reach = `reach as materialized (
	select p.id as reach_id from positions p where p.account_id = :account and ` + rare("p.id") + ` and ` + readable + `)`

// rare is true of every number, which PostgreSQL does not know.
func rare(number string) string { return number + db.OffIndex + ` = ` + number }

// reached writes the candidates of a restricted list, position by position, each as far
// as a bound.
func (p *plan) reached(columns, condition, bound string) {
	within := `case when c.erased_at is null and c.created_at >= :from and c.created_at < :to` + condition + ` then 1 else 0 end <> 0` + bound
	p.Add(`
	select * from (select ` + columns + ` from reach cross join candidates c
		where c.account_id = :account and c.position_id between reach_id and reach_id and ` + within + `) named
	union all
	select * from (select ` + columns + ` from candidates c
		where c.account_id = :account and c.position_id is null and :standard <> 0 and ` + within + `) unnamed`)
}

// countReached counts the candidates of a restricted list where nothing is searched for.
func (p *plan) countReached() {
	p.Add(`with ` + reach + `,
reached as materialized (`)
	p.reached(`c.id as reached_id, c.status as reached_status, c.role_profile as reached_role`, ``, ` limit 10001`)
	p.Add(`)
select (select count(*) from reached),
	(select count(*) from reached where reached_status = 'offen'),
	(select count(*) from reached where reached_status = 'begonnen'),
	(select count(*) from reached where reached_status = 'abgeschlossen'),
	'',
	` + p.offers("reached", "reached_id", "reached_role"))
}

// countFound is count for a search or a tag.
func (p *plan) countFound() {
	p.find()
	p.Add(`,
sums as materialized (
	select (select count(*) from walked) as walked_over,
		count(case hit_status when 'offen' then 1 end) as offen,
		count(case hit_status when 'begonnen' then 1 end) as begonnen,
		count(case hit_status when 'abgeschlossen' then 1 end) as abgeschlossen
	from found)
select walked_over, offen, begonnen, abgeschlossen,
	coalesce((select string_agg(cast(hit_id as text), ' ' order by ` + p.order("hit_key", "hit_id") + `) from (
		select hit_id, hit_key from found where hit_status is not null`)
	if p.f.Status != "" {
		p.Add(` and hit_status = :status`)
	}
	p.Add(`
			and ` + p.behind("hit_key", "hit_id") + `
		order by ` + p.order("hit_key", "hit_id") + ` limit ` + p.rows() + `) listed), ''),
	` + p.offers("found where hit_status is not null", "hit_id", "hit_role") + `
from sums`)
}

// find writes whom a search or a tag finds: found, with their status, null where
// another condition is not fulfilled, and what the order goes by. Those of the smallest
// source are looked up one by one, each once, in the order of the table.
func (p *plan) find() {
	sources := p.sources()
	p.Add(`with recursive ` + eachTag + `, ` + eachRole + `,`)
	if p.restricted() {
		p.Add(`
` + reach + `,`)
	}
	p.walkSmallest(sources)
	p.Add(`
hit as materialized (select distinct candidate_id as hit_id from walked order by hit_id),
found as materialized (
	select hit_id, c.` + p.key() + ` as hit_key, c.role_profile as hit_role,
		case when c.erased_at is null and c.created_at >= :from and c.created_at < :to` + p.reader.within("c"))
	if p.f.Search != "" && (len(sources) > 1 || p.asks.More) {
		p.Add(matches)
	}
	if len(sources) > 1 {
		p.tagged()
	}
	p.narrowed(false, false)
	p.Add(` then c.status end as hit_status
	from hit cross join candidates c where c.id = hit_id and ` + rare("hit_id") + ` and c.account_id` + db.OffIndex + ` = :account)`)
}

// sources are the parts of an index in each of which everybody stands whom the query
// finds.
func (p *plan) sources() []string {
	var list []string
	for i := range p.asks.Keys {
		n := strconv.Itoa(i + 1)
		list = append(list, `candidate_words where account_id = :account and word >= :word`+n+` and word < :behind`+n)
	}
	if p.f.Tag != "" {
		list = append(list, `candidate_tags where account_id = :account and tag = :tag`)
	}
	const of = `(select c.id as candidate_id from ` + ofAccount
	if p.f.placed() {
		list = append(list, of+`c.position_id = :position
			union all select c.id from `+ofAccount+`c.position_id is null and `+isGeneral+`) placed where 0 = 0`)
	}
	if p.f.Role != "" {
		list = append(list, of+`c.role_profile = :role) profiled where 0 = 0`)
	}
	switch p.f.Stage {
	case "":
	case typus.StageNew:
		list = append(list, of+`c.stage = ''
			union all select c.id from `+ofAccount+`c.stage = :stage) staged where 0 = 0`)
	default:
		list = append(list, of+`c.stage = :stage) staged where 0 = 0`)
	}
	if p.f.Need != "" {
		list = append(list, needing(p.f.Need))
	}
	if p.restricted() && !p.f.placed() && p.f.Need == "" {
		list = append(list, `(select c.id as candidate_id from reach cross join `+ofAccount+`c.position_id between reach_id and reach_id
			union all select c.id from `+ofAccount+`c.position_id is null and :standard <> 0) reachable where 0 = 0`)
	}
	return list
}

// unerased asks whether a candidate c was not erased, and hides it: so there is no index to go
// along but of everybody, of which there is one by position, by role profile and by stage.
const unerased = `case when c.erased_at is null then 1 else 0 end <> 0`

// ofAccount begins a condition on candidates c of the account who were not erased.
const ofAccount = `candidates c where c.account_id = :account and ` + unerased + ` and `

// isGeneral asks whether the list is of the account's default position.
const isGeneral = `(:general <> 0 or (select count(*) from positions p where p.id = :position and p.account_id = :account and p.standard = 1) <> 0)`

// ofNewestVersion asks whether the result of a candidate c goes by the newest version of the
// own role profile that the list is narrowed to.
const ofNewestVersion = `(select r.role_profile from results r where r.candidate_id = c.id order by r.id desc limit 1)
			= :role || '@' || cast((select max(v.version) from role_versions v where v.profile_id = :profile) as text)`

// narrowed asks for the position, the role profile, the stage and the need of a candidate c.
// What is not along says how rare it is to no database, and offers it no index.
func (p *plan) narrowed(alongRole, alongStage bool) {
	ask := func(along bool, condition string) {
		if !along {
			condition = `case when ` + condition + ` then 1 else 0 end <> 0`
		}
		p.Add(`
		and ` + condition)
	}
	if p.f.placed() {
		ask(false, `c.position_id = :position or c.position_id is null and `+isGeneral)
	}
	if p.f.Role != "" {
		ask(alongRole, `c.role_profile = :role`)
	}
	if p.f.versioned() {
		ask(false, ofNewestVersion)
	}
	switch p.f.Stage {
	case "":
	case typus.StageNew:
		ask(false, `c.stage in ('', :stage)`)
	default:
		ask(alongStage, `c.stage = :stage`)
	}
	if p.f.Need != "" {
		ask(false, p.reader.needs(p.f.Need))
	}
}

// walkSmallest writes whom the smallest of some sources names, as far as the bound; so
// far their sizes are taken.
func (p *plan) walkSmallest(sources []string) {
	bound := `limit ` + strconv.Itoa(p.f.few()+1)
	if len(sources) == 1 {
		p.Add(`
walked as materialized (select candidate_id from ` + sources[0] + ` ` + bound + `),`)
		return
	}
	var sizes, walks []string
	for i, from := range sources {
		n := strconv.Itoa(i)
		sizes = append(sizes, `
	select `+n+` as n, (select count(*) from (select 1 from `+from+` `+bound+`) counted) as size`)
		walks = append(walks, `
	select candidate_id from `+from+` and (select n from smallest) = `+n)
	}
	p.Add(`
sized as materialized (` + strings.Join(sizes, `
	union all`) + `),
smallest as materialized (select n from sized order by size, n limit 1),
walked as materialized (` + strings.Join(walks, `
	union all`) + `
	` + bound + `),`)
}

// matches asks for all words of the search. Unused places match everything, so that
// there is one statement for any number of words.
const matches = `
		and case when c.words like :pattern1 escape '\' and c.words like :pattern2 escape '\' and c.words like :pattern3 escape '\'
			and c.words like :pattern4 escape '\' and c.words like :pattern5 escape '\' then 1 else 0 end <> 0`

// tagged asks for the tag of a candidate that was found otherwise.
func (p *plan) tagged() {
	if p.f.Tag != "" {
		p.Add(`
		and (select t.candidate_id from candidate_tags t
			where t.account_id = c.account_id and t.tag = :tag and t.candidate_id = c.id limit 1) is not null`)
	}
}

// rowsOf ends a statement: the rows of its page.
func (p *plan) rowsOf() {
	order := p.order("row_key", "row_id")
	p.Add(`
	order by ` + order + ` limit ` + p.rows() + `)
select ` + rowColumns(p.reader) + `
from page cross join candidates where candidates.id = page.row_id and ` + rare("page.row_id") + ` order by ` + order)
}

// sortFew is the second statement where few candidates are read and then sorted.
func (p *plan) sortFew() {
	if p.restricted() {
		p.sortReached()
		return
	}
	p.Add(`with few as materialized (
	select c.id as row_id, c.` + p.key() + ` as row_key from candidates c
	where c.account_id = :account and c.erased_at is null
		and c.created_at >= :from and c.created_at < :to`)
	if p.f.Status != "" {
		p.Add(`
		and c.status = :status`)
	}
	p.Add(`),
page as materialized (
	select row_id, row_key from few where ` + p.behind("row_key", "row_id"))
	p.rowsOf()
}

// sortReached is sortFew for a restricted list.
func (p *plan) sortReached() {
	status := ""
	if p.f.Status != "" {
		status = ` and c.status = :status`
	}
	p.Add(`with ` + reach + `,
few as materialized (`)
	p.reached(`c.id as row_id, c.`+p.key()+` as row_key`, status, ``)
	p.Add(`),
page as materialized (
	select row_id, row_key from few where ` + p.behind("row_key", "row_id"))
	p.rowsOf()
}

// walk is the second statement where candidates are come upon in the order of an index,
// and of no other one.
func (p *plan) walk() {
	newest := p.f.Sort == SortNewest
	there := `c.erased_at is null`
	if newest && (p.f.Role != "" || p.f.Stage != "" && p.f.Stage != typus.StageNew) {
		there = unerased // along the role profile or the stage
	}
	p.Add(`with page as materialized (
	select c.id as row_id, c.` + p.key() + ` as row_key from candidates c
	where c.account_id = :account and ` + there + `
		and ` + p.behind("c."+p.key(), "c.id"))
	status := ``
	if p.f.Status != "" {
		status = ` and c.status = :status`
	}
	if newest {
		p.Add(`
		and c.created_at >= :from` + status)
	} else {
		p.Add(`
		and case when c.created_at >= :from and c.created_at < :to` + status + ` then 1 else 0 end <> 0`)
	}
	p.narrowed(p.f.Sort != SortName, newest)
	p.Add(p.reader.within("c"))
	if p.f.Search != "" {
		p.Add(matches)
	}
	p.tagged()
	p.rowsOf()
}

// rows is one more than a page has, which tells whether more follow.
func (p *plan) rows() string { return strconv.Itoa(p.f.size() + 1) }

// key is the column that the order goes by.
func (p *plan) key() string {
	switch p.f.Sort {
	case SortName:
		return "name_key"
	case SortOverall:
		return "overall"
	}
	return "created_at"
}

func (p *plan) order(key, id string) string {
	if p.f.Sort == SortName {
		return key + ", " + id
	}
	return key + " desc, " + id + " desc"
}

// behind asks for what comes behind a place, which setPlace sets.
func (p *plan) behind(key, id string) string {
	switch p.f.Sort {
	case SortName:
		return `(` + key + `, ` + id + `) > (:placekey, :placeid)`
	case SortOverall:
		return key + ` is not null and (` + key + `, ` + id + `) < (:placekey, :placeid)`
	}
	return `(` + key + `, ` + id + `) < (:placekey, :placeid)`
}

func (p *plan) setPlace() {
	c := p.f.After
	p.Set("placeid", c.ID)
	switch p.f.Sort {
	case SortName:
		p.Set("placekey", append([]byte{}, c.NameKey...))
	case SortOverall:
		score := c.Overall
		if c.ID == 0 {
			score = maxOverall + 1
		}
		p.Set("placekey", score)
	default:
		before := db.Millis(c.At)
		if c.ID == 0 {
			_, before = p.f.span()
		}
		p.Set("placekey", before)
	}
}
