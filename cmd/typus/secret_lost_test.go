package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"typus"
	"typus/internal/db/dbtest"
	"typus/internal/rekey"
	"typus/internal/seal"
	"typus/internal/store"
	"typus/internal/waittest"
	"typus/internal/webhook"
)

// The key is lost while a candidate, a user with a second factor and a receiver of webhooks are
// there: links and secrets are new, and no other row of any table is.
func TestAfterALostKeyLinksAndSecretsAreNewAndNothingElseIs(t *testing.T) {
	if testing.Short() {
		t.Skip("processes: not with -short")
	}
	both(t, func(t *testing.T, environ []string) {
		l := newLived(t, environ[0], 2)
		l.letters(t, l.keys(formerKey, ""), 3)
		p := serve(t, l.keys(formerKey, ""))
		l.goesOn(t, p, l.keys(formerKey, ""))
		waittest.Until(t, "the running server is seen", func() bool { // a server on PostgreSQL begins to listen once it serves
			code, _, errOut := command(t, l.keys(nextKey, ""), "secret", "lost")
			return code == 1 && strings.Contains(errOut, "stop")
		})
		p.stop(t)
		now := l.keys(nextKey, "")
		contents := dbtest.Contents(t, strings.TrimPrefix(l.database, "TYPUS_DATABASE="))
		before := contents()
		if code, _, errOut := command(t, now, "account", "list"); code != 2 || !strings.Contains(errOut, "is not the key this database was made with") {
			t.Errorf("with another key: exit %d, %s", code, errOut)
		}
		box, err := seal.New([]byte(formerKey))
		if err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"secret", "lost"}, {"secret", "lost", "--confirm", "yes"}} {
			if code, _, errOut := command(t, now, args...); code != 2 || !strings.Contains(errOut, "--confirm "+box.KeyID()) {
				t.Errorf("%v: exit %d, %s", args, code, errOut)
			}
		}
		command(t, l.keys(nextKey, formerKey), "secret", "status") // which leaves no mark of the next key
		if code, _, errOut := command(t, l.keys(nextKey, formerKey), "secret", "lost"); code != 1 || !strings.Contains(errOut, "no key is lost") {
			t.Errorf("while the key is there: exit %d, %s", code, errOut)
		}
		if changed := dbtest.Changed(before, contents()); len(changed) != 0 {
			t.Fatalf("changed before it was confirmed: %v", changed)
		}

		lost := must[rekey.Replaced](t, now, "secret", "lost", "--confirm", box.KeyID())
		if lost.Open != 1 || lost.Columns[string(store.SealedCandidateLinks)] != 2 || lost.Columns[string(store.SealedSecrets)] != 1 || lost.Columns[string(store.SealedFactors)] != 2 {
			t.Errorf("replaced %+v", lost)
		}
		after := contents()
		new := []string{"audit_log", "candidates", "letters", "server_marks", "users", "webhook_secrets"}
		if changed := dbtest.Changed(before, after); !slices.Equal(changed, new) {
			t.Errorf("changed: %v, want %v", changed, new)
		}
		for _, table := range new {
			if table != "audit_log" && table != "server_marks" && len(before[table]) != len(after[table]) {
				t.Errorf("%s had %d rows, and has %d", table, len(before[table]), len(after[table]))
			}
		}

		p = serve(t, now)
		w := &walk{base: p.base, key: l.key, out: discard(), client: &http.Client{}, externalID: "crm-1"}
		if err := w.invite(t.Context()); err != nil {
			t.Fatal(err)
		}
		token := w.link[strings.LastIndexByte(w.link, '/'):]
		for address, want := range map[string]int{token: http.StatusOK, l.links["crm-1"]: http.StatusNotFound} {
			resp, err := w.client.Get(p.base + "/t" + address)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != want {
				t.Errorf("the link of before or of now: %s, want %d", resp.Status, want)
			}
		}
		s := beside(t, now)
		defer func() { _ = s.store.Close() }()
		shown, err := s.accounts.ShowSecrets(t.Context(), l.account, l.hook.ID, typus.Actor{Name: operator})
		if err != nil || shown[typus.SecretCurrent] == "" || shown[typus.SecretCurrent] == l.hook.Secret {
			t.Fatalf("the webhook's secret: %v", err)
		}
		must[id](t, now, "candidate", "finish", "--account", itoa(l.account), "--id", fmt.Sprint(w.candidateID))
		waittest.Until(t, "two webhooks have arrived", func() bool { return l.receiver.requests() == 2 })
		l.receiver.mu.Lock()
		got, body := l.receiver.got[1], l.receiver.bodies[1]
		l.receiver.mu.Unlock()
		if !webhook.Verify(shown[typus.SecretCurrent], got.Header.Get("X-Service-Signature"), body) {
			t.Error("the webhook is not signed with the new secret")
		}
		audit, err := s.store.Audit(t.Context(), l.account, 100)
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, e := range audit {
			if e.Action == typus.AuditKeyLost {
				said = append(said, e.Detail)
			}
		}
		slices.Sort(said)
		if !slices.Equal(said, []string{"factors", "letters", "links", "webhooks"}) {
			t.Errorf("the audit log says %v", said)
		}
		c, err := s.store.Credentials(t.Context(), l.account, l.users[0].ID)
		if err != nil || !c.HasTOTP {
			t.Errorf("the second factor is not asked for any more: %v", err)
		}
		p.stop(t)
		if strings.Contains(p.log.String(), `"ERROR"`) {
			t.Errorf("the server complains: %s", p.log)
		}
		if code, _, errOut := command(t, now, "secret", "lost"); code != 1 || !strings.Contains(errOut, "no key is lost") {
			t.Errorf("once more: exit %d, %s", code, errOut)
		}
	})
}
