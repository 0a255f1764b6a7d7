package api_test

import (
	"strings"
	"testing"

	"typus/internal/db/dbtest"
	"typus/internal/store/storetest"
)

// A client that was told to try again would invite the person twice.
func TestACommitWithoutAnAnswerIsNotAnsweredAsTryAgain(t *testing.T) {
	for _, stored := range []bool{false, true} {
		cut := dbtest.CutAtCommit(t, storetest.Postgres(t), stored)
		w := newWorldOn(t, storetest.Open(t, cut.DSN), nil)
		w.do(call{}) // the key is known from now on
		invite := func(header ...string) reply {
			return w.do(call{path: "/api/v1/invites", body: `{` + person + `}`, header: header})
		}
		cut.Arm(true)
		alone, keyed := invite(), invite("Idempotency-Key", "k1")
		cut.Arm(false)
		for name, r := range map[string]reply{"": alone, "1": keyed} {
			if r.status != 503 || !strings.Contains(r.body, `"code":"outcome_unknown"`) || r.header.Get("Retry-After") != name {
				t.Errorf("stored %t: %d, Retry-After %q, %s", stored, r.status, r.header.Get("Retry-After"), r.body)
			}
		}
		again := invite("Idempotency-Key", "k1")
		if replayed := again.header.Get("Idempotent-Replayed") == "true"; again.status != 201 || replayed != stored {
			t.Errorf("stored %t: the repetition got %d, replayed %t", stored, again.status, replayed)
		}
		want := 1
		if stored {
			want = 2 // one without a key, one with
		}
		if n := strings.Count(w.do(call{}).body, `"email":`); n != want {
			t.Errorf("stored %t: %d people are invited, want %d", stored, n, want)
		}
	}
}
