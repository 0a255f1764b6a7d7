package store

import (
	"context"
	"time"

	"typus/internal/db"
)

// Both statements go from each account to what is old of it: a cross join holds SQLite to that
// order.

// longKept continues a condition: what happened at the time in a column is older than its
// account a keeps answers, at the time of the first parameter.
func longKept(column string) string {
	return column + ` < $1 - a.keep_answers_days * 86400000`
}

// ForgetAnswers empties the answers of up to 500 attempts, of whichever accounts, that began
// longer before the given time than their account keeps them, and returns how many those
// were. The caller repeats it until there are none. The time of each attempt and what came of
// it stay.
func (t *Tx) ForgetAnswers(ctx context.Context, settled time.Time) (int, error) {
	return t.db.Exec(ctx, `
		update webhook_attempts set response_head = '', response_body = null where id in (
			select w.id from accounts a cross join webhook_attempts w where w.account_id = a.id and `+longKept("w.started_at")+`
				and (w.response_head <> '' or w.response_body is not null) limit 500)`, db.Millis(settled))
}

// ForgetTestPayloads empties up to 500 test events, of whichever accounts, that are older at
// the given time than their account keeps them, and returns how many those were. The caller
// repeats it until there are none. A test event that is still to be delivered stays whole.
func (t *Tx) ForgetTestPayloads(ctx context.Context, settled time.Time) (int, error) {
	return t.db.Exec(ctx, `
		update webhook_events set payload = null where id in (
			select v.id from accounts a cross join webhook_events v where v.account_id = a.id and `+longKept("v.occurred_at")+`
				and v.test = 1 and v.payload is not null and not exists (
				select 1 from webhook_deliveries d
				where d.account_id`+db.OffIndex+` = v.account_id and d.event_id = v.id and d.state in ('pending', 'sending', 'held'))
			limit 500)`, db.Millis(settled))
}
