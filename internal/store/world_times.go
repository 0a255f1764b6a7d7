package store

import "typus/internal/db"

// worldTimes are the columns that hold times of a test world, which go back when its clock is
// moved on, with how rows of an account are found. A time in the audit log is one: the lines
// of a world stand in order with what they are about. All others are the machine's own
// (machineTimes). In the order in which the rows are locked: candidates, then letters, what is
// kept of them and the addresses that they confirm, then endpoints, then deliveries, then the
// account.
var worldTimes = []worldTable{
	{"candidates", ofWorld, []string{
		"created_at", "started_at", "completed_at", "expires_at", "cancelled_at", "declined_at", "notice_at", "remind_at", "reminders_off_at", "erased_at",
		"expired_at", "keep_until", "answered_at",
	}},
	{"world_acts", ofWorld, []string{"due_at"}},
	{"sheets", ofItsCandidates, []string{"saved_at"}},
	{"results", ofItsCandidates, []string{"created_at"}},
	{"interviews", ofItsCandidates, []string{"opened_at", "rated_at"}},
	{"ratings", ofItsCandidates, []string{"saved_at"}},
	{"decisions", ofItsCandidates, []string{"created_at"}},
	{"comments", ofItsCandidates, []string{"created_at"}},
	{"own_results", ofItsCandidates, []string{"released_at", "opened_at"}},
	{"notes", ofItsCandidates, []string{"created_at"}},
	{"requests", ofItsCandidates, []string{"created_at", "answered_at"}},
	{"positions", ofWorld, []string{"created_at", "closed_at"}},
	{"public_links", ofWorld, []string{"created_at", "ends_at", "revoked_at"}},
	{"imports", ofWorld, []string{"created_at", "started_at", "finished_at", "drop_at"}},
	{"letters", ofWorld, []string{"next_attempt_at", "created_at", "sent_at", "held_until"}},
	{"kept_letters", ofWorld, []string{"created_at"}},
	{"enrolments", `link_id in (select id from public_links where account_id = $2` + db.FewOnes + `)`, []string{"created_at", "expires_at"}},
	{"webhook_endpoints", ofWorld, []string{
		"first_failure_at", "last_failure_at", "last_success_at", "last_claimed_at", "status_changed_at", "probe_after", "created_at", "failing_told_at",
		"given_up_told_at", "due_at", "settle_at",
	}},
	{"webhook_events", ofWorld + ` and test = 0`, []string{"occurred_at"}}, // a test event's bounds how many there are in a minute of the machine
	{"webhook_deliveries", ofWorld, []string{"next_attempt_at", "finished_at"}},
	{"webhook_attempts", `delivery_id in (select id from webhook_deliveries where account_id = $2` + db.FewTextOnes + `)`, []string{"started_at"}},
	{"webhook_replays", ofWorld, []string{"created_at", "finished_at"}},
	{"credit_ledger", ofWorld, []string{"created_at"}},
	{"retention_turns", ofWorld, []string{"at"}},
	{"audit_log", ofWorld, []string{"created_at"}},
	{"accounts", `id = $2`, []string{"created_at", "keep_set_at", "erasure_word_at"}},
}

// worldTable is a table with times of a test world. $2 is the world.
type worldTable struct {
	name    string
	whose   string // a condition
	columns []string
}

const (
	ofWorld         = `account_id = $2`
	ofItsCandidates = `candidate_id in (select id from candidates where account_id = $2` + db.FewOnes + `)`
)

// machineTimes are the columns that hold times of the machine, with the reason.
var machineTimes = map[string]string{
	"accounts.score_sorting_at": ofParent, "accounts.deleting_at": ofParent, "accounts.suspended_at": ofParent,
	"account_deletions.created_at": ofServer, "account_deletions.begun_at": ofServer, "account_deletions.ended_at": ofServer, "deleted_usage.people_at": ofServer,
	"tombstones.created_at": ofServer, "tombstones.erased_at": ofServer, "letter_templates.changed_at": ofParent, "role_profiles.created_at": ofParent,
	"role_profiles.archived_at": ofParent, "role_rounds.created_at": ofParent, "role_rounds.expires_at": ofParent,
	"role_rounds.closed_at": ofParent, "role_experts.answered_at": ofParent, "role_versions.signed_at": ofParent,
	"users.created_at": ofParent, "users.totp_at": ofParent, "users.last_login_at": ofParent, "users.results_read_at": ofParent,
	"user_links.created_at": ofParent, "user_links.expires_at": ofParent, "user_links.used_at": ofParent, "user_links.ended_at": ofParent,
	"user_links.totp_at": ofParent, "recovery_codes.used_at": ofParent,
	"sessions.confirmed_at": ofParent, "sessions.created_at": ofParent, "sessions.seen_at": ofParent, "sessions.expires_at": ofParent,
	"signups.created_at": ofParent, "signups.expires_at": ofParent,

	"api_keys.created_at": connection, "api_keys.last_used_at": connection, "api_keys.expires_at": connection, "api_keys.revoked_at": connection,
	"api_refusals.created_at": connection, "idempotency_keys.created_at": connection, "webhook_secrets.created_at": connection, "webhook_secrets.valid_until": connection,
	"webhook_endpoints.bucket_full_at": "a limit per second", "webhook_replays.from_at": ofDelivery, "webhook_replays.until_at": ofDelivery,

	"kept_letters.drop_at": "kept for 30 days, however the clock is moved", "kept_letters.forward_at": "leaves by the machine's mail server",

	"own_results.code_at": "a code is good for some minutes of whoever types it", "sent_forms.created_at": "a form is sent by a browser",
	"login_failures.until": guessing, "login_failures.seen_at": guessing,

	"imports.lease_until": lease, "letters.lease_until": lease, "webhook_deliveries.lease_until": lease, "chores.lease_until": lease, "world_moves.lease_until": lease,
	"world_moves.target_at": "what the clock of the world shows in the end", "world_moves.begun_at": "a move lasts seconds", "world_moves.done_at": "a move lasts seconds",

	"chores.next_at": ofServer, "chores.done_at": ofServer, "clock_readings.wall": ofServer, "notices.used_at": ofServer, "schema_migrations.applied_at": ofServer,
}

const (
	ofParent   = "belongs to the account that the world belongs to"
	connection = "of the connection that is tried, which is made by the machine's clock and stays"
	guessing   = "slows down whoever guesses"
	lease      = "a lease"
	ofDelivery = "compared with the times in ids of deliveries"
	ofServer   = "of the server, not of an account"
)
