package store

import (
	"context"
	"time"

	"typus/internal/db"
)

// ForgetAnswers empties the answers of up to 500 attempts of an account that began before
// the given time, oldest first, and returns how many those were. The caller repeats it
// until there are none. The time of each attempt and what came of it stay.
func (t *Tx) ForgetAnswers(ctx context.Context, accountID int64, before time.Time) (int, error) {
	return t.db.Exec(ctx, `
		update webhook_attempts set response_head = '', response_body = null where id in (
			select id from webhook_attempts where account_id = $1 and started_at < $2 and (response_head <> '' or response_body is not null)
			order by started_at limit 500)`, accountID, db.Millis(before))
}

// ForgetTestPayloads empties up to 500 test events of an account from before the given
// time, oldest first, and returns how many those were. The caller repeats it until there
// are none. A test event that is still to be delivered stays whole.
func (t *Tx) ForgetTestPayloads(ctx context.Context, accountID int64, before time.Time) (int, error) {
	return t.db.Exec(ctx, `
		update webhook_events set payload = null where id in (
			select v.id from webhook_events v where v.account_id = $1 and v.occurred_at < $2 and v.test = 1 and v.payload is not null and not exists (
				select 1 from webhook_deliveries d
				where d.account_id`+db.OffIndex+` = v.account_id and d.event_id = v.id and d.state in ('pending', 'sending', 'held'))
			order by v.occurred_at limit 500)`, accountID, db.Millis(before))
}
