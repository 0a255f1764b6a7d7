package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// besideReset is meanwhile of the reset of a world.
func besideReset(t *testing.T, s *store.Store, world int64, begin string) string {
	t.Helper()
	return meanwhile(t, s, begin, func(tx *store.Tx) error {
		if err := tx.LockToReset(t.Context(), world); err != nil {
			return err
		}
		return tx.ResetWorld(t.Context(), world)
	})
}

// meanwhile begins something in a transaction, runs what deletes, commits once that
// waits, and returns the statement at which it waited.
func meanwhile(t *testing.T, s *store.Store, begin string, deletes func(tx *store.Tx) error) string {
	t.Helper()
	var (
		statement []string
		ended     = make(chan error, 1)
	)
	write(t, s, func(tx *store.Tx) error {
		if err := tx.Exec(t.Context(), begin); err != nil {
			return err
		}
		go func() { ended <- s.InTx(t.Context(), deletes) }()
		var (
			waits []string
			err   error
		)
		for err == nil && len(waits) == 0 && len(ended) == 0 {
			waits, err = tx.Rows(t.Context(), `select pid from pg_locks where not granted and transactionid = pg_current_xact_id()::xid`)
		}
		if len(waits) > 0 {
			statement, err = tx.Rows(t.Context(), `select query from pg_stat_activity where pid = `+waits[0]) // as it is when it is first asked
		}
		return err
	})
	if err := <-ended; err != nil {
		t.Errorf("beside %s: %v", begin, err)
	}
	return strings.Join(statement, "; ")
}

// A row that somebody is adding points to another, which the database keeps for it. Of every
// table of a world to whose rows others point, a reset waits for such a row before it deletes
// the first: what is added by then is deleted with the rest. (SQLite's one writer has no
// between.)
func TestAResetWaitsForWhateverIsBeingAdded(t *testing.T) {
	s := storetest.Open(t, storetest.Postgres(t))
	parent := newAccount(t, s)
	world := newWorld(t, s, parent)
	owner := newUser(t, s, typus.User{AccountID: parent, Email: unique("ada") + "@example.com", Role: typus.RoleOwner}, "hash")
	pointed := rows(t, s, `select distinct confrelid::regclass::text from pg_constraint where contype = 'f' and connamespace = current_schema::regnamespace`)
	guarded := []string{"webhook_deliveries", "webhook_events", "webhook_replays"} // by their webhook
	for _, table := range append(slices.Compact(slices.Sorted(slices.Values(store.WorldTables()))), "accounts") {
		if !slices.Contains(pointed, table) || slices.Contains(guarded, table) {
			continue
		}
		id, _ := filled(t, s, world, owner)
		position := newPosition(t, s, typus.Position{AccountID: world, Name: "Vertrieb"})
		write(t, s, func(tx *store.Tx) error {
			return tx.Exec(t.Context(), fmt.Sprintf(`
				insert into public_links (account_id, position_id, token_hash, token_sealed, most, created_at) values (%d, %d, '%s', '', 1, 0)`,
				world, position, unique("link")))
		})
		column := "account_id"
		if table == "accounts" {
			column = "id"
		}
		at := besideReset(t, s, world, fmt.Sprintf(`do $$ begin perform 1 from %s where %s = %d for key share; if not found then raise 'none'; end if; end $$`, table, column, world))
		if !strings.HasSuffix(at, "for update") {
			t.Errorf("of %s it waits at %q", table, at)
		}
		_, err := s.Candidate(t.Context(), world, id)
		hasKind(t, "a candidate after a reset beside "+table, err, typus.NotFound)
	}
}

// A letter is kept in two steps: it counts as sent, and what it says is stored.
func TestAResetWaitsForALetterThatIsBeingKept(t *testing.T) {
	s := storetest.Open(t, storetest.Postgres(t))
	world := newWorld(t, s, newAccount(t, s))
	id := newCandidate(t, s, world, nil)
	addLetter(t, s, invitation(world, id))
	besideReset(t, s, world, fmt.Sprintf(`
		with sent as (update letters set state = 'sent' where account_id = %d returning id, account_id, candidate_id)
		insert into kept_letters (account_id, letter_id, candidate_id, kind, recipient, recipient_key, sealed, created_at, drop_at)
		select account_id, id, candidate_id, '', '', '', '', 0, %d from sent`, world, noon.Add(time.Hour).UnixMilli()))
	if left := keptOf(t, s, world); len(left) != 0 {
		t.Errorf("left %+v", left)
	}
}

// Who logs in while they are removed has a session for a moment.
func TestARemovalOfAUserWaitsForALogin(t *testing.T) {
	s := storetest.Open(t, storetest.Postgres(t))
	account := newAccount(t, s)
	user := newUser(t, s, typus.User{AccountID: account, Email: unique("ada") + "@example.com", Role: typus.RoleAdmin}, "hash")
	at := meanwhile(t, s, fmt.Sprintf(`
		insert into sessions (token_hash, user_id, account_id, verified, confirmed_at, created_at, seen_at, expires_at, ip, agent) values ('x', %d, %d, 1, 0, 0, 0, 0, '', '')`, user, account),
		func(tx *store.Tx) error { return tx.RemoveUser(t.Context(), account, user) })
	if !strings.HasSuffix(at, "for update") {
		t.Errorf("it waits at %q", at)
	}
	if left := rows(t, s, `select token_hash from sessions`); len(left) != 0 {
		t.Errorf("left %v", left)
	}
}

// A position that a key is bound to outlives a reset, with the times of the machine.
func TestAResetPutsBackTheTimesOfWhatStays(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		world := newWorld(t, s, newAccount(t, s))
		id := newPosition(t, s, typus.Position{AccountID: world, Name: "Vertrieb"})
		newEndpoint(t, s, world)
		run(t, s, `update positions set state = 'closed', closed_at = created_at + 1000 where id = %d`, id)
		run(t, s, `insert into api_keys (account_id, name, hash, created_by, created_at, position_id) values (%d, '', 'h', '', 0, %d)`, world, id)
		times := func() []string {
			return append(rows(t, s, `select created_at, closed_at from positions`), rows(t, s, `select created_at, status_changed_at from webhook_endpoints`)...)
		}
		was := times()
		write(t, s, func(tx *store.Tx) error { return tx.MoveWorld(t.Context(), world, 72*time.Hour) })
		write(t, s, func(tx *store.Tx) error { return tx.ResetWorld(t.Context(), world) })
		if is := times(); len(is) != 2 || !slices.Equal(is, was) {
			t.Errorf("%q, and was %q", is, was)
		}
	})
}
