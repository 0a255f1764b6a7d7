package main

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/store"
)

type usageOf struct {
	Month    string      `json:"month"`
	Accounts []usageLine `json:"accounts"`
}

// Of an account whose deletion was cut off, only the numbers that were kept are told: its rows
// are going, and an invoice would have it twice.
func TestAnAccountThatIsBeingDeletedIsCountedOnce(t *testing.T) {
	both(t, func(t *testing.T, environ []string) {
		acc := must[id](t, environ, "account", "create", "--name", "Muster GmbH", "--zone", "UTC").ID
		s := beside(t, environ)
		month, _ := typus.ParseMonth("2026-10")
		_, ended := month.In("Europe/Berlin")
		err := s.store.InTx(t.Context(), func(tx *store.Tx) error {
			a, err := tx.LockToBegin(t.Context(), acc)
			if err == nil {
				err = tx.BeginDeletion(t.Context(), a, time.Now())
			}
			if err == nil {
				err = tx.KeepUsage(t.Context(), acc, month, ended, store.Usage{Completions: 7})
			}
			return err
		})
		if err := errors.Join(err, s.store.Close()); err != nil {
			t.Fatal(err)
		}
		used := must[usageOf](t, environ, "usage", "--month", "2026-10").Accounts
		if len(used) != 1 || used[0].ID != acc || used[0].Completions != 7 || used[0].DeletedAt == "" || used[0].PeopleAsOf != "2026-10-31T23:00:00Z" {
			t.Errorf("%+v", used)
		}
		if before := must[usageOf](t, environ, "usage", "--month", "2026-09").Accounts; len(before) != 0 {
			t.Errorf("a month whose numbers were not kept: %+v", before)
		}
	})
}

// What an account has used is what its ledger says, also of those who are erased, and of an
// account that is deleted the numbers are kept for the invoice.
func TestTheUsageOfAMonthIsWhatTheLedgerSays(t *testing.T) {
	zone := typus.UTC
	if now := time.Now(); typus.MonthOf(now, zone) != typus.MonthOf(now.Add(time.Hour), zone) {
		zone = "Pacific/Kiritimati" // where the month does not end during the test
	}
	both(t, func(t *testing.T, environ []string) {
		acc := must[id](t, environ, "account", "create", "--name", "=Muster GmbH", "--zone", string(zone)).ID
		other := must[id](t, environ, "account", "create", "--name", "Andere GmbH", "--zone", string(zone)).ID
		s := beside(t, environ)
		var ids []int64
		for _, of := range []int64{acc, acc, acc, other} {
			out, _, err := s.steps.Invite(t.Context(), of, assess.Invitation{Name: "Kim", Email: "kim" + strconv.Itoa(len(ids)) + "@example.com"}, nil)
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, out.Candidate.ID)
		}
		month := typus.MonthOf(time.Now(), zone).String()
		for _, c := range ids[:2] {
			must[id](t, environ, "candidate", "finish", "--account", itoa(acc), "--id", itoa(c))
		}
		if err := s.steps.Erase(t.Context(), store.WholeAccount(acc), ids[0], asOperator()); err != nil {
			t.Fatal(err)
		}
		used := must[usageOf](t, environ, "usage", "--month", month)
		if len(used.Accounts) != 2 {
			t.Fatalf("%+v", used)
		}
		entries, err := s.store.CreditEntries(t.Context(), acc, 100)
		if err != nil {
			t.Fatal(err)
		}
		spent := 0
		for _, e := range entries {
			if e.Reason == typus.ReasonCompletion {
				spent -= int(e.Delta)
			}
		}
		u := used.Accounts[0]
		if u.Completions != spent || spent != 2 || u.Invitations != 3 || u.People != 2 || u.Letters != 0 || u.Deliveries != 0 || u.ID != acc || u.Zone != zone {
			t.Errorf("%+v, and the ledger says %d", u, spent)
		}
		past, _ := typus.ParseMonth("2026-01")
		_, ended := past.In(zone)
		before := must[usageOf](t, environ, "usage", "--month", "2026-01").Accounts[0]
		if before.Completions != 0 || before.Invitations != 0 || before.People != 0 || before.PeopleAsOf != ended.UTC().Format(time.RFC3339) {
			t.Errorf("a month long past: %+v", before)
		}
		code, out, _ := command(t, environ, "usage", "--month", month, "--csv")
		if code != 0 || !strings.Contains(out, month+","+itoa(acc)+",'=Muster GmbH,"+string(zone)+",business,2,0,3,0,0,2,") {
			t.Errorf("exit %d: %s", code, out)
		}
		if err := s.store.Close(); err != nil {
			t.Error(err)
		}
		must[protocol](t, environ, "account", "delete", "--account", itoa(acc), "--confirm", "=Muster GmbH")
		used = must[usageOf](t, environ, "usage", "--month", month)
		if last := used.Accounts[len(used.Accounts)-1]; len(used.Accounts) != 2 || last.ID != acc || last.Completions != 2 || last.Name != "" || last.DeletedAt == "" || last.PeopleAsOf != last.DeletedAt {
			t.Errorf("after its deletion: %+v", used)
		}
		this, _ := typus.ParseMonth(month)
		_, ended = this.Before().In(zone)
		used = must[usageOf](t, environ, "usage", "--month", this.Before().String())
		if last := used.Accounts[len(used.Accounts)-1]; last.ID != acc || last.PeopleAsOf != ended.UTC().Format(time.RFC3339) {
			t.Errorf("the people of the month before its deletion: %+v, and it ended %s", last, ended)
		}
		for month, words := range map[string]string{"2026-13": "must be a month", "2199-01": "has not begun"} {
			code, _, errOut := command(t, environ, "usage", "--month", month)
			oneSentence(t, code, 2, errOut, words)
		}
	})
}
