package store

import (
	"context"
	"strings"

	"typus"
	"typus/internal/db"
)

// worldResets take everything out of a test world ($1) but its connection, in an order that
// the foreign keys allow.
var worldResets = []struct{ table, text string }{
	{"webhook_attempts", `delete from webhook_attempts where delivery_id in (select id from webhook_deliveries where account_id = $1` + db.FewTextOnes + `)`},
	{"webhook_deliveries", ofOne("webhook_deliveries")},
	{"webhook_replays", ofOne("webhook_replays")},
	{"webhook_events", ofOne("webhook_events") + ` and test = 0`}, // each along its index
	{"webhook_events", ofOne("webhook_events") + ` and test = 1`},
	{"kept_letters", ofOne("kept_letters")},
	{"letters", ofOne("letters")},
	{"world_acts", ofOne("world_acts")},
	{"world_moves", ofOne("world_moves")},
	{"candidate_words", ofOne("candidate_words")},
	{"candidate_tags", ofOne("candidate_tags")},
	{"sheets", ofCandidates("sheets")},
	{"results", ofCandidates("results")},
	{"interviews", ofCandidates("interviews")},
	{"ratings", ofCandidates("ratings")},
	{"decisions", ofCandidates("decisions")},
	{"comments", ofCandidates("comments")},
	{"own_results", ofCandidates("own_results")},
	{"requests", ofCandidates("requests")},
	{"notes", ofCandidates("notes")},
	{"import_rows", `delete from import_rows where import_id in (select id from imports where account_id = $1` + db.FewOnes + `)`},
	{"imports", ofOne("imports")},
	{"enrolments", `delete from enrolments where link_id in (select id from public_links where account_id = $1` + db.FewOnes + `)`},
	{"public_links", ofOne("public_links")},
	{"credit_ledger", ofOne("credit_ledger")},
	{"idempotency_keys", `delete from idempotency_keys where api_key_id in (select id from api_keys where account_id = $1)`},
	{"sent_forms", ofOne("sent_forms")},
	{"api_refusals", ofOne("api_refusals")},
	{"api_calls", ofOne("api_calls")},
	{"retention_turns", ofOne("retention_turns")},
	{"audit_log", ofOne("audit_log") + ` and action not in (` + stayingActions() + `)`},
	{"audit_log", `update audit_log set created_at = created_at + (select ahead from accounts where id = $1) where account_id = $1`},
	{"candidates", ofOne("candidates")},
	{"core_questions", ofOne("core_questions") + ` and position_id` + boundToNoKey},
	{"position_members", `delete from position_members where position_id in (select id from positions where account_id = $1` + db.FewOnes + ` and id` + boundToNoKey + `)`},
	{"position_logos", `delete from position_logos where position_id in (select id from positions where account_id = $1` + db.FewOnes + ` and id` + boundToNoKey + `)`},
	{"positions", ofOne("positions") + ` and id` + boundToNoKey},
	{"positions", `
		update positions set created_at = created_at + (select ahead from accounts where id = $1), closed_at = closed_at + (select ahead from accounts where id = $1)
		where account_id = $1`},
	{"webhook_endpoints", `
		update webhook_endpoints set status = case when status in ('failing', 'disabled_auto', 'gone') then 'active' else status end, disabled_reason = '',
			consecutive_failures = 0, first_failure_at = null, last_failure_at = null, last_success_at = null, last_claimed_at = null, probe_after = null,
			failing_told_at = null, given_up_told_at = null, due_at = null, bucket_full_at = 0, last_duration_ms = null, settle_at = null,
			drain_below = 0, drain_from = '', drop_until = '',
			created_at = created_at + (select ahead from accounts where id = $1),
			status_changed_at = status_changed_at + (select ahead from accounts where id = $1)
		where account_id = $1`},
	{"accounts", `
		update accounts set created_at = created_at + ahead, keep_set_at = keep_set_at + ahead, erasure_word_at = null, erasure_waits = 0, ahead = 0, credits = 0
		where id = $1 and parent_id is not null`},
}

// stayingActions are what the log of a world says of what a reset leaves: keys, webhooks, and
// the world itself.
func stayingActions() string {
	var list []string
	for _, action := range []typus.AuditAction{
		typus.AuditKeyCreated, typus.AuditKeyRevoked, typus.AuditWebhookCreated, typus.AuditWebhookDeleted, typus.AuditWebhookChanged,
		typus.AuditWebhookPaused, typus.AuditWebhookResumed, typus.AuditWebhookSwitchedOff, typus.AuditWebhookSecretShown,
		typus.AuditWebhookSecretMade, typus.AuditWebhookSecretSwitched, typus.AuditWebhookSecretDropped, typus.AuditWorldMoved,
		typus.AuditWorldReset, typus.AuditWorldCredits, typus.AuditWorldForwardOn, typus.AuditWorldForwardOff,
	} {
		list = append(list, `'`+string(action)+`'`)
	}
	return strings.Join(list, ", ")
}

func ofOne(table string) string { return `delete from ` + table + ` where account_id = $1` }

func ofCandidates(table string) string {
	return `delete from ` + table + ` where candidate_id in (select id from candidates where account_id = $1` + db.FewOnes + `)`
}

// boundToNoKey is true of a position unless a key is bound to it: without its position the key
// would reach nothing.
const boundToNoKey = ` not in (select k.position_id from api_keys k where k.account_id = $1 and k.position_id is not null)`

// ResetWorld deletes everything that belongs to a test world but its keys, its webhooks, which
// are as if they were new, and the positions that a key is bound to; it shows the machine's
// time again and has no credits. A move of its clock that is under way is over: whoever has it
// finds that it is lost. The caller has locked the world (LockToReset).
func (t *Tx) ResetWorld(ctx context.Context, worldID int64) error {
	for _, r := range worldResets {
		if _, err := t.db.Exec(ctx, r.text, worldID); err != nil {
			return err
		}
	}
	_, err := t.TakeMark(ctx, readBack(worldID))
	return err
}

// LockToReset locks a test world before anything of it is deleted: whoever invites or moves
// the clock, and the rows that others belong to. First as everybody locks them, in the order in
// which everybody does, so that whoever is at work comes to an end. Then as a deletion does, so
// that no row is added between the deletion of the rows and of what they belong to; letters
// come before people then, because whoever keeps a letter has the letter first.
func (t *Tx) LockToReset(ctx context.Context, worldID int64) error {
	if err := t.LockInviting(ctx, worldID); err != nil {
		return err
	}
	if err := t.standStill(ctx, worldID); err != nil {
		return err
	}
	for _, rows := range []string{rowsOf("letters"), theWorld} {
		if err := t.db.Lock(ctx, rows, worldID); err != nil {
			return err
		}
	}
	for _, rows := range toReset {
		if err := t.db.LockToDelete(ctx, rows, worldID); err != nil {
			return err
		}
	}
	return nil
}

const theWorld = `select id from accounts where id = $1`

// toReset are the rows of a world ($1) that others belong to. Deliveries and their events are
// not among them: whoever adds to them has locked or keeps their webhook.
var toReset = []string{
	rowsOf("world_moves"), rowsOf("imports"), rowsOf("positions"), rowsOf("public_links"),
	rowsOf("letters"), rowsOf("candidates"), rowsOf("webhook_endpoints"), theWorld,
}

// Moving is the Conflict of whoever wants to change a test world whose clock is being moved.
func Moving() error {
	const msg = "the clock of this test world is being moved on; wait until it is done"
	return &typus.Error{Kind: typus.Conflict, Msg: msg, Fields: []typus.Field{{Name: "clock", Code: typus.CodeBusy, Msg: msg}}}
}

// WorldEvents lists the events of an account after one of them, in the order in which they
// were stored, at most limit; those of the dashboard's tests are none. From the first on where
// there is no such event. The order is that of the ledger, which nobody can write out of
// turn: each event is of a test that is booked in the same transaction.
func (r *reads) WorldEvents(ctx context.Context, accountID int64, after string, limit int) ([]typus.Event, error) {
	if !db.Storable(after) {
		after = ""
	}
	return db.All(ctx, r, scanEvent, `
		select `+eventColumns+`
		from credit_ledger l join webhook_events v on v.account_id = l.account_id and v.type = $1 and v.candidate_id = l.candidate_id and v.test = 0
		where l.account_id = $2 and l.id > coalesce((
			select max(p.id) from webhook_events w join credit_ledger p on p.candidate_id = w.candidate_id and p.reason in ('completion', 'taken_over')
			where w.id = $3 and w.account_id = $4 and w.test = 0), 0)
			and l.reason in ('completion', 'taken_over')
		order by l.id limit $5`, typus.EventCandidateCompleted, accountID, after, accountID, limit)
}
