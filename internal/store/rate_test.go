package store_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"typus"
	"typus/internal/db/dbtest"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// agedBy makes the log of a key older, as if that much time had passed.
func agedBy(t *testing.T, s *store.Store, key int64, by time.Duration) {
	t.Helper()
	write(t, s, func(tx *store.Tx) error {
		return tx.Exec(t.Context(), fmt.Sprintf(`update rate_log set at = (select array_agg(t - (%d) order by t) from unnest(at) t) where key_id = %d`, by.Microseconds(), key))
	})
}

func take(t *testing.T, s *store.Store, key int64) store.Taken {
	t.Helper()
	return must[store.Taken](t)(s.TakeRequest(t.Context(), key, 100, time.Minute))
}

func TestServersOfOneDatabaseCountTheRequestsOfAKeyTogether(t *testing.T) {
	dsn := storetest.Postgres(t)
	servers := []*store.Store{storetest.Open(t, dsn), storetest.Open(t, dsn), storetest.Open(t, dsn)}
	var accepted atomic.Int64
	dbtest.AtOnce(210, func(i int) {
		if take(t, servers[i%3], 1).Accepted {
			accepted.Add(1)
		}
	})
	if accepted.Load() != 100 {
		t.Errorf("%d of 210 requests over three servers were accepted, want 100", accepted.Load())
	}
	if other := take(t, servers[0], 2); !other.Accepted || other.Counted != 1 {
		t.Errorf("another key: %+v", other)
	}
}

func TestARequestThatLeavesTheWindowMakesRoomForOne(t *testing.T) {
	s := storetest.Open(t, storetest.Postgres(t))
	for i := range 100 {
		if got := take(t, s, 1); !got.Accepted || got.Counted != i+1 {
			t.Fatalf("request %d: %+v", i+1, got)
		}
	}
	agedBy(t, s, 1, 30*time.Second)
	refused := take(t, s, 1)
	if refused.Accepted || refused.Counted != 100 || refused.Wait > 30*time.Second || refused.Wait < 10*time.Second {
		t.Errorf("after 30 s: %+v", refused)
	}
	agedBy(t, s, 1, refused.Wait) // refused requests are not counted: the wait is enough
	if got := take(t, s, 1); !got.Accepted || got.Counted > 100 {
		t.Errorf("after the wait: %+v", got)
	}
	agedBy(t, s, 1, 2*time.Minute)
	if got := take(t, s, 1); !got.Accepted || got.Counted != 1 || got.Wait > time.Minute {
		t.Errorf("after two minutes: %+v", got)
	}
}

func TestADatabaseClockSetBackLocksNobodyOut(t *testing.T) {
	s := storetest.Open(t, storetest.Postgres(t))
	for range 100 {
		take(t, s, 1)
	}
	agedBy(t, s, 1, -5*time.Hour)
	if got := take(t, s, 1); got.Accepted || got.Wait > time.Minute {
		t.Errorf("at once: %+v; the limit must hold, and for a minute at most", got)
	}
	agedBy(t, s, 1, time.Minute)
	if got := take(t, s, 1); !got.Accepted {
		t.Errorf("a minute later: %+v", got)
	}
}

func TestSQLiteCountsNoRequests(t *testing.T) {
	_, err := storetest.OpenSQLite(t).TakeRequest(t.Context(), 1, 100, time.Minute)
	hasKind(t, "on SQLite", err, typus.Internal)
}
