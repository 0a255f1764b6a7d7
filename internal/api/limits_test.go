package api

import (
	"bytes"
	stdjson "encoding/json"
	"fmt"
	"testing"
	"time"

	"typus"
	"typus/internal/auth"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

func TestTheLimiterForgetsKeysThatAreNoLongerUsed(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	l := NewMemoryLimiter(func() time.Time { return now }, rateLimit)
	take := func(id int64) Quota {
		q, err := l.Take(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
	for id := range int64(1000) {
		take(id)
	}
	now = now.Add(30 * time.Second)
	take(7)
	now = now.Add(30 * time.Second)
	if q := take(7); q.Remaining != 98 {
		t.Errorf("%d remain, want 98: the sweep must not touch what still counts", q.Remaining)
	}
	if n := len(l.logs); n != 1 {
		t.Errorf("%d keys are remembered, want the one in use", n)
	}
}

func TestTheKeyringDoesNotGrowWithoutEnd(t *testing.T) {
	k := newKeyring(storetest.OpenSQLite(t), nil, nil)
	for i := range maxVerdicts {
		k.verdicts[fmt.Sprint(i)] = verdict{}
	}
	h := map[string][]string{"Authorization": {"Bearer " + auth.NewAPIKey()}}
	if _, err := k.open(t.Context(), h); err == nil {
		t.Fatal("an unknown key opened")
	}
	if n := len(k.verdicts); n > maxVerdicts {
		t.Errorf("%d verdicts are remembered", n)
	}
}

// What the parser of bodies accepts is JSON to others as well, with the same
// members, and it never accepts what it would have to show in the clear.
func FuzzReadObject(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"name":"Jana","email":"a@example.com","external_id":12345678901234567890}`, `{"a":{"b":[1,2,{"c":null}]}}`,
		`{"a":"\ud83d\ude00"}`, `{"a":"\ud83d"}`, `{"a":1,"a":2}`, `{"a":[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]}`, "{\"a\":\"\xff\"}", `{"a":"\u202e"}`, ` {"a" : 1} x`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		members, faults, err := readObject(body)
		if err != nil {
			if typus.KindOf(err) != typus.Invalid {
				t.Fatalf("%v is no fault of the sender", err)
			}
			return
		}
		var std map[string]stdjson.RawMessage
		if err := stdjson.Unmarshal(body, &std); err != nil {
			t.Fatalf("accepted, but encoding/json says %v", err)
		}
		if len(std) != len(members) {
			t.Fatalf("%d members, encoding/json sees %d", len(members), len(std))
		}
		form := newForm(members, faults)
		for _, m := range members {
			if !bytes.Equal(std[m.name], m.value) {
				t.Fatalf("%q is %s, encoding/json sees %s", m.name, m.value, std[m.name])
			}
			text := form.text(m.name)
			if r, bad := typus.UnsafeRune(text); bad && len(faults) == 0 {
				t.Fatalf("U+%04X passed without a fault", r)
			}
		}
	})
}

func FuzzCursor(f *testing.F) {
	f.Add(encodeCursor(7, nil, store.Cursor{At: time.UnixMilli(1795774830123), ID: 100000000000001}))
	f.Add("MTAwMDAwMDAwMDAwMDAx")
	f.Add("45z9-oPs9rQxNzk1Nzc0ODMwMTIzLjEwMDAwMDAwMDAwMDAwM\nS4") // base64 decoders skip line breaks
	f.Fuzz(func(t *testing.T, text string) {
		filters, at, ok := decodeCursor(7, text)
		if ok && encodeCursor(7, filters, at) != text {
			t.Fatalf("%q is a cursor that we would not have written", text)
		}
		if _, _, ok := decodeCursor(8, text); ok {
			t.Fatalf("%q opens in two accounts", text)
		}
	})
}

// A call that waits for 30 seconds asks the database no more than 40 times.
func TestACallThatWaitsLooksSeldom(t *testing.T) {
	looks := 0
	for waited := time.Duration(0); waited < longestWait*time.Second; waited += lookAgain(looks) {
		looks++
	}
	if looks > 40 || lookAgain(1) > 250*time.Millisecond {
		t.Errorf("%d looks, the second after %s", looks, lookAgain(1))
	}
}
