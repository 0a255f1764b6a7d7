package store_test

import (
	"strings"
	"testing"
	"time"

	"typus/internal/store"
	"typus/internal/store/storetest"
)

// jumps are how far a clock was off when something was written.
var jumps = []time.Duration{
	5 * time.Hour, -5 * time.Hour, 240 * time.Hour, -240 * time.Hour, time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Sub(noon),
}

// times says of every column that holds a time what it can hold up. Those that only
// say when something was hold nothing up. A new column needs a line.
var times = map[string]string{
	"accounts.created_at": past, "accounts.score_sorting_at": past, "accounts.keep_set_at": "assess: TestARetentionChangedByAClockThatWasAheadSettlesFromNowOn",
	"accounts.erasure_word_at": "a settled time, which is never ahead", "accounts.deleting_at": "that it is set counts, not when it was",
	"accounts.suspended_at":        "that it is set counts, not when it was",
	"account_deletions.created_at": past, "account_deletions.begun_at": past, "account_deletions.ended_at": past, "deleted_usage.people_at": past, "tombstones.created_at": past, "tombstones.erased_at": past,
	"api_keys.created_at": past, "api_keys.last_used_at": past, "api_keys.revoked_at": past, "api_keys.expires_at": "nothing sets it yet",
	"api_refusals.created_at": past, "audit_log.created_at": past,
	"candidates.created_at": past, "candidates.started_at": past, "candidates.completed_at": past, "candidates.answered_at": past, "candidates.cancelled_at": past,
	"candidates.declined_at": past, "candidates.notice_at": past, "candidates.erased_at": past, "candidates.expired_at": past, "candidates.reminders_off_at": past,
	"candidates.expires_at": "chosen by people, up to a year ahead", "candidates.remind_at": "assess: TestAReminderPlannedByAClockThatWasAheadComesInTime",
	"candidates.keep_until": "chosen by people, within a bound",
	"chores.next_at":        here, "chores.lease_until": here, "chores.done_at": past,
	"clock_readings.wall":      "TestAClockThatIsAheadForLessThanADaySettlesNothing",
	"credit_ledger.created_at": past, "recovery_codes.used_at": past, "idempotency_keys.created_at": "a key that is kept for longer replays for longer",
	"imports.created_at": past, "imports.started_at": past, "imports.finished_at": past, "imports.lease_until": here,
	"imports.drop_at":             "when something may go; that it goes later holds nobody up",
	"letter_templates.changed_at": past,
	"login_failures.until":        "assess: TestNobodyWaitsForAClockThatWasAhead", "login_failures.seen_at": here,
	"notes.created_at": past, "decisions.created_at": past, "comments.created_at": past, "positions.created_at": past, "positions.closed_at": past, "interviews.opened_at": past, "interviews.rated_at": past, "ratings.saved_at": past, "notices.used_at": past, "results.created_at": past, "schema_migrations.applied_at": past, "sent_forms.created_at": past,
	"sessions.confirmed_at": "dashboard: what is secret is asked for again", "sessions.created_at": past,
	"sessions.seen_at": "typus: TestALoginMadeWhileTheClockWasAheadEnds", "sessions.expires_at": "typus: TestALoginMadeWhileTheClockWasAheadEnds",
	"sheets.saved_at": past, "signups.created_at": past, "signups.expires_at": "typus: TestALinkMadeWhileTheClockWasAheadIsNotGoodForLonger",
	"user_links.created_at": past, "user_links.used_at": past, "user_links.ended_at": past, "user_links.totp_at": past, "user_links.expires_at": "typus: TestALinkMadeWhileTheClockWasAheadIsNotGoodForLonger",
	"users.created_at": past, "users.last_login_at": past, "users.totp_at": past, "users.results_read_at": "dashboard: TestResultsReadByAClockThatWasAheadAreNew",

	"letters.created_at": "TestWhatWasWrittenInTheFutureDoesNotStandInTheWay", "letters.sent_at": "TestWhatWasWrittenInTheFutureDoesNotStandInTheWay",
	"letters.next_attempt_at": letters, "letters.lease_until": letters, "letters.held_until": "TestWhatWasWrittenInTheFutureDoesNotStandInTheWay",

	"kept_letters.created_at": past, "kept_letters.drop_at": "when something may go; that it goes later holds nobody up",
	"kept_letters.forward_at": "TestNoKeptLetterWaitsForAClockThatWasWrong",

	"own_results.released_at": past, "own_results.opened_at": past, "own_results.code_at": "testpage: TestACodeIsGoodForAQuarterOfAnHour",
	"requests.created_at": past, "requests.answered_at": past,
	"role_profiles.created_at": past, "role_profiles.archived_at": past, "role_rounds.created_at": past, "role_rounds.closed_at": past, "role_experts.answered_at": past, "role_versions.signed_at": past,
	"role_rounds.expires_at": "links of experts, good for longer by what a clock was ahead; whoever asked can end the round",

	"public_links.created_at": past, "public_links.revoked_at": past, "public_links.ends_at": "chosen by people, within a bound",
	"enrolments.created_at": past, "enrolments.expires_at": "typus: TestALinkMadeWhileTheClockWasAheadIsNotGoodForLonger",

	"webhook_attempts.started_at": past, "webhook_events.occurred_at": "assess: TestNoTestEventWaitsForAClockThatWasAhead",
	"webhook_deliveries.lease_until": hooks, "webhook_deliveries.next_attempt_at": hooks, "webhook_deliveries.finished_at": past,
	"webhook_endpoints.due_at": hooks, "webhook_endpoints.bucket_full_at": hooks, "webhook_endpoints.probe_after": hooks, "webhook_endpoints.settle_at": hooks,
	"webhook_endpoints.created_at": past, "webhook_endpoints.last_claimed_at": past, "webhook_endpoints.last_failure_at": past,
	"webhook_endpoints.last_success_at": "how often it is written only", "webhook_endpoints.failing_told_at": "that it is set counts, not when it was",
	"webhook_endpoints.first_failure_at": "webhook: TestASpellOfFailuresThatAWrongClockBeganLaterBeginsNow", "webhook_endpoints.given_up_told_at": "webhook: TestAnEndpointIsToldOnceAWeekThatADeliveryHasEnded",
	"webhook_endpoints.status_changed_at": "assess: TestAWebhookIsSwitchedOnAfterAClockThatWasAhead",
	"webhook_replays.created_at":          past, "webhook_replays.finished_at": past, "webhook_replays.from_at": "chosen by people", "webhook_replays.until_at": "chosen by people",
	"world_acts.due_at": worlds, "world_moves.target_at": worlds, "world_moves.lease_until": worlds, "world_moves.begun_at": past, "world_moves.done_at": past,
	"webhook_secrets.created_at": past, "webhook_secrets.valid_until": "assess: TestAChangeOfSecretsBegunByAClockThatWasAheadCanBeEnded",
}

const (
	past = "says when something was"
	here = "TestWhatAWrongClockHasWrittenHoldsNobodyUpForLong"

	worlds  = "a test world, which can be reset"
	letters = "TestNoLetterWaitsForAClockThatWasWrong"
	hooks   = "TestNoDeliveryWaitsForAClockThatWasWrong"
)

func TestEveryColumnThatHoldsATimeSaysWhatItCanHoldUp(t *testing.T) {
	s, seen := storetest.OpenSQLite(t), map[string]bool{}
	for _, line := range rows(t, s, sqliteColumns) {
		column, kind, _ := strings.Cut(line, " ")
		isTime := strings.HasSuffix(column, "_at") || strings.HasSuffix(column, "until") || strings.HasSuffix(column, ".wall") || strings.HasSuffix(column, ".probe_after")
		if !isTime || !strings.HasPrefix(kind, "bigint") {
			continue
		}
		if seen[column] = true; times[column] == "" {
			t.Errorf("%s holds a time; say in the list what it can hold up when the clock was wrong", column)
		}
	}
	for column := range times {
		if !seen[column] {
			t.Errorf("there is no %s", column)
		}
	}
}

// hold is something that a row holds up for a while.
type hold struct {
	length time.Duration             // for so long
	begin  func(s *store.Store)      // by the clock of s
	over   func(s *store.Store) bool // begins another
}

func holdsOf(t *testing.T, s *store.Store, now func() time.Time) map[string]hold {
	account := newAccount(t, s)
	startImport(t, s, account, newImport(t, s, account, ready(3)))
	tried := func(s *store.Store, times int) int64 {
		var last store.Try
		for range times {
			write(t, s, func(tx *store.Tx) error {
				var err error
				last, err = tx.CountTry(t.Context(), "login x", now(), time.Hour)
				return err
			})
		}
		return last.Failures
	}
	claimed := func(s *store.Store) bool {
		_, found, err := s.ClaimImport(t.Context(), unique("instance "), time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	turn := func(s *store.Store) bool { mine, _ := claimChore(t, s, "a", time.Hour, time.Minute); return mine }
	return map[string]hold{
		"chores.lease_until": {time.Minute, func(s *store.Store) { turn(s) }, turn},
		"chores.next_at": {time.Hour, func(s *store.Store) {
			if turn(s); !must[bool](t)(s.FinishChore(t.Context(), "tidy", "a", time.Hour, true)) {
				t.Fatal("the turn is lost")
			}
		}, turn},
		"imports.lease_until":    {time.Minute, func(s *store.Store) { claimed(s) }, func(s *store.Store) bool { return must[bool](t)(s.ImportWaits(t.Context(), time.Minute)) && claimed(s) }},
		"login_failures.seen_at": {time.Hour, func(s *store.Store) { tried(s, 7) }, func(s *store.Store) bool { return tried(s, 1) == 1 }},
	}
}

// What was begun while the clock was wrong is over no later than if it had been right.
func TestWhatAWrongClockHasWrittenHoldsNobodyUpForLong(t *testing.T) {
	for _, jump := range jumps {
		for _, column := range []string{"chores.lease_until", "chores.next_at", "imports.lease_until", "login_failures.seen_at"} {
			t.Run(column+" "+jump.String(), func(t *testing.T) {
				storetest.Run(t, func(t *testing.T, s *store.Store) {
					at := noon.Add(jump)
					now := func() time.Time { return at }
					s = s.WithClock(now)
					h := holdsOf(t, s, now)[column]
					h.begin(s)
					at = noon.Add(h.length + time.Second)
					if !h.over(s) {
						t.Errorf("it still is %s after the clock was set right", h.length+time.Second)
					}
				})
			})
		}
	}
}
