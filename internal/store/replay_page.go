package store

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"typus"
	"typus/internal/db"
)

const (
	// ReplayCounted is up to how many deliveries are counted before a run and when it
	// begins. To count takes longer than to begin.
	ReplayCounted = 10_000
	// replayPage bounds what one step of a run sends off.
	replayPage = manyIDs
	// replaySlow is how many deliveries of a run wait for an endpoint that gets one at a
	// time.
	replaySlow = 2
	// replayAhead is for how many seconds an endpoint that answers quickly has deliveries of
	// a run waiting. What is to go out besides waits for no longer behind them.
	replayAhead = 2
)

// replayable are queries for the ids of the deliveries that a run with a filter, which names
// an endpoint, would send again, behind one id and up to another, each oldest first and
// :limit at most. It is one constant text for each combination of filters, and walks along
// the indexes of the log.
//
// A delivery counts if it has ended, its payload is still there, and it is the last of its
// event to the endpoint that has ended: so a run sends nothing twice, and nothing that was
// sent again since.
func (f DeliveryFilter) replayable(q *db.StatementBuilder, accountID int64, after, through string) {
	from, before := f.span()
	q.Set("account", accountID)
	q.Set("endpoint", f.EndpointID)
	q.Set("from", max(from, after))
	q.Set("through", min(through, before))
	q.Set("after", after)
	q.Set("before", before)
	if f.CandidateID != 0 {
		f.replayableOf(q)
		return
	}
	walk := `select d.id as found_id from webhook_deliveries d
		where d.account_id = :account and d.endpoint_id = :endpoint and ` + inSpan("d.id") +
		endedLast + ` and exists (select 1 from webhook_events v where v.id = d.event_id and v.payload is not null)`
	stands := f.setStands(q)
	if len(stands) == 0 {
		q.Add(walk + ` order by d.id limit :limit`)
		return
	}
	var walks []string
	for i, stand := range stands {
		walks = append(walks, `select found_id from (`+walk+` and d.state || ' ' || d.outcome = `+stand+` order by d.id limit :limit) listed`+strconv.Itoa(i))
	}
	q.Add(strings.Join(walks, `
	union all
	`))
}

// replayableOf is replayable for one candidate, who has one event: it starts there.
func (f DeliveryFilter) replayableOf(q *db.StatementBuilder) {
	q.Set("candidate", f.CandidateID)
	q.Set("type", typus.EventCandidateCompleted)
	id := `d.id` + db.OffTextIndex
	q.Add(`select ` + id + ` as found_id from webhook_events w join webhook_deliveries d on d.event_id = w.id
		where w.account_id = :account and w.type = :type and w.candidate_id = :candidate and w.test = 0 and w.payload is not null
			and d.endpoint_id` + db.OffIndex + ` = :endpoint
			and ` + inSpan(id) + endedLast)
	if stands := f.setStands(q); len(stands) > 0 {
		q.Add(` and d.state || ' ' || d.outcome` + db.OffTextIndex + ` in (` + strings.Join(stands, `, `) + `)`)
	}
	q.Add(` order by found_id limit :limit`)
}

// inSpan are the conditions on an id of a delivery: behind one, up to another, and between
// those of the filter. It has no more than two bounds, because SQLite takes four for so
// narrow that any index would do.
func inSpan(id string) string {
	return id + ` >= :from and ` + id + ` <= :through and ` + id + ` <> :after and ` + id + ` <> :before`
}

// endedLast continues a condition: the delivery d has ended and is the last of its event to
// the endpoint that has, and is neither a test nor of the run itself.
const endedLast = `
			and d.kind <> 'test' and coalesce(d.replay_id, -1) <> :run and d.finished_at` + db.OffIndex + ` is not null and not exists (
				select 1 from webhook_deliveries n
				where n.event_id = d.event_id and n.endpoint_id = d.endpoint_id and n.id <> d.id
					and (n.finished_at is null or n.finished_at > d.finished_at or n.finished_at = d.finished_at and n.id > d.id))`

// setStands sets what endedStands are, and returns their names in a statement.
func (f DeliveryFilter) setStands(q *db.StatementBuilder) []string {
	var names []string
	for i, stand := range f.endedStands() {
		name := "stand" + strconv.Itoa(i)
		q.Set(name, stand)
		names = append(names, ":"+name)
	}
	return names
}

// endedStands are the pairs of state and outcome that the filter lets through, of what has
// ended; none where it asks for neither.
func (f DeliveryFilter) endedStands() []string {
	if f.State != "" {
		return f.stands()
	}
	var pairs []string
	for _, state := range typus.DeliveryStates() {
		if f.Outcome != "" && state.Ended() {
			f.State = state
			pairs = append(pairs, f.stands()...)
		}
	}
	return pairs
}

// CountReplayable counts what a run with the filter, which names an endpoint, would send
// again, up to most; one more stands for any larger number.
func (r *reads) CountReplayable(ctx context.Context, accountID int64, f DeliveryFilter, most int) (int, error) {
	if !f.possible() {
		return 0, nil
	}
	q := &db.StatementBuilder{}
	q.Set("run", 0)
	q.Set("limit", most+1)
	q.Add(`select count(*) from (select found_id from (`)
	f.replayable(q, accountID, "", deliveryIDAfterAll)
	q.Add(`) listed limit :limit) found`)
	query, args := q.Numbered()
	n, err := db.One(ctx, r, db.ScanInt, "", query, args...)
	return int(n), err
}

// ReplayMore sends off the next page of a claimed run to its endpoint, oldest first, but
// keeps no more waiting for it than it takes in a moment. It returns how many those are, and
// whether any may be left. While the endpoint is off or fails, the run waits.
func (t *Tx) ReplayMore(ctx context.Context, run ReplayRun, e typus.Endpoint, newID func() string) (int, bool, error) {
	if e.Status != typus.EndpointActive {
		return 0, true, nil
	}
	waiting, err := db.One(ctx, t, db.ScanInt, "", `
		select count(*) from webhook_deliveries where replay_id = $1 and state in ('pending', 'sending') and failures = 0`, run.ID)
	room := min(replayWindow(e)-int(waiting), replayPage)
	if err != nil || room <= 0 {
		return 0, true, err
	}
	page, err := t.replaySources(ctx, run, room)
	if err != nil || len(page) == 0 {
		return 0, false, err
	}
	made, err := t.replayThese(ctx, run, page, newID)
	return made, true, err
}

// replayWindow is how many deliveries of a run wait for an endpoint at most.
func replayWindow(e typus.Endpoint) int {
	if e.Lane() != typus.LaneQuick {
		return replaySlow
	}
	return max(replaySlow, replayAhead*e.Rate.PerSecond)
}

// replaySource is what a run needs of a delivery.
type replaySource struct {
	id, event string
	candidate int64
}

func (t *Tx) replaySources(ctx context.Context, run ReplayRun, limit int) ([]replaySource, error) {
	q := &db.StatementBuilder{}
	q.Set("run", run.ID)
	q.Set("limit", limit)
	q.Add(`with page as materialized (select found_id from (`)
	run.Filter.replayable(q, run.AccountID, run.after, run.through)
	q.Add(`) listed order by found_id limit :limit)
		select d.id, d.event_id, v.candidate_id from page cross join webhook_deliveries d join webhook_events v on v.id = d.event_id
		where d.id = page.found_id order by d.id`)
	query, args := q.Numbered()
	return db.All(ctx, t, func(row db.Row) (replaySource, error) {
		var s replaySource
		err := row.Scan(&s.id, &s.event, &s.candidate)
		return s, err
	}, query, args...)
}

// replayThese sends off a page. It locks the candidates first and looks at the events after
// that, so that whoever is erased meanwhile is either left out here or found there.
func (t *Tx) replayThese(ctx context.Context, run ReplayRun, page []replaySource, newID func() string) (int, error) {
	var candidates []int64
	for _, s := range page {
		candidates = append(candidates, s.candidate)
	}
	if err := t.LockCandidates(ctx, run.AccountID, candidates); err != nil {
		return 0, err
	}
	e, err := db.One(ctx, t, scanEndpoint, noEndpoint,
		`select `+endpointColumns+` from webhook_endpoints e where e.account_id = $1 and e.id = $2`+t.db.KeepRows(), run.AccountID, run.Filter.EndpointID)
	if err != nil || !e.On() {
		return 0, err
	}
	kept, err := t.keptEvents(ctx, run.AccountID, page)
	if err != nil {
		return 0, err
	}
	var list []replayed
	for _, s := range page {
		if kept[s.event] {
			list = append(list, replayed{newID(), s.event})
		}
	}
	inOrder(list)
	if err := t.addReplays(ctx, e, run.ID, list); err != nil {
		return 0, err
	}
	_, err = t.db.Exec(ctx, `
		update webhook_replays set after_id = $1, made = made + $2 where account_id = $3 and id = $4`,
		page[len(page)-1].id, len(list), run.AccountID, run.ID)
	return len(list), err
}

// inOrder gives out the ids of some deliveries anew: what is due at the same moment leaves in
// the order of its ids, which are in none within a millisecond.
func inOrder(list []replayed) {
	var ids []string
	for _, r := range list {
		ids = append(ids, r.id)
	}
	slices.Sort(ids)
	for i, id := range ids {
		list[i].id = id
	}
}

// keptEvents are those events of a page that have their payload.
func (t *Tx) keptEvents(ctx context.Context, accountID int64, page []replaySource) (map[string]bool, error) {
	var ids []string
	for _, s := range page {
		ids = append(ids, s.event)
	}
	list, err := db.All(ctx, t, db.ScanText, `
		select id from webhook_events where account_id = $1 and payload is not null and id in (`+db.Params(2, replayPage)+`)`,
		append([]any{accountID}, db.Padded(ids, replayPage, "")...)...)
	kept := map[string]bool{}
	for _, id := range list {
		kept[id] = true
	}
	return kept, err
}
