package dashboard

import (
	"strings"
	"testing"

	"typus"
	"typus/internal/assess"
)

func TestTheAuditLogSpeaksInWords(t *testing.T) {
	f := newWorld(t).face
	for _, c := range []struct{ action, detail, de, en string }{
		{"user.invited", "omar@example.com viewer", "omar@example.com (Nur lesen)", "omar@example.com (Read only)"},
		{"letter.tried", "petra@example.com owner", "petra@example.com (Kontoleitung)", "petra@example.com (Owner)"},
		{"user.role_changed", "nina@example.com member → admin", "nina@example.com: Mitarbeit → Administration", "nina@example.com: Member → Admin"},
		{"user.email_changed", "a@example.com → b@example.com", "a@example.com → b@example.com", "a@example.com → b@example.com"},
		{"letter_template.changed", "invitation de", "Einladung, Deutsch", "Invitation, German"},
		{"letter.retried", "receipt", "Eingangsbestätigung", "Receipt"},
		{"webhook.paused", "3 hooks.example.com", "Webhook 3 (hooks.example.com)", "Webhook 3 (hooks.example.com)"},
		{"key.revoked", "6df20451", "Fingerabdruck 6df20451", "Fingerprint 6df20451"},
		{"key.created", "6df20451 all", "Fingerabdruck 6df20451, Darf: Alles", "Fingerprint 6df20451, May: Everything"},
		{"key.created", "6df20451 invite #7", "Fingerabdruck 6df20451, Darf: Nur einladen, Stelle 7", "Fingerprint 6df20451, May: Invite only, Position 7"},
		{"import.started", "7 rows=12 valid=10 done=0", "Import 7; Zeilen: 12, einzuladen: 10, eingeladen: 0", "Import 7; rows: 12, to invite: 10, invited: 0"},
		{"import.cancelled", "7 rows=12 valid=10 done=4 failed=3", "Import 7; Zeilen: 12, einzuladen: 10, eingeladen: 1", "Import 7; rows: 12, to invite: 10, invited: 1"},
		{"import.finished", "7 rows=12 valid=10 done=10 failed=1", "Import 7; Zeilen: 12, einzuladen: 10, eingeladen: 9", "Import 7; rows: 12, to invite: 10, invited: 9"},
		{"import.exported", "7", "Import 7", "Import 7"},
		{"position.core_changed", "5 2", "5 Fragen, davon 2 eigene", "5 questions, 2 of them your own"},
		{"position.core_changed", "0 0", "Vorschlag von Typus", "Typus’s proposal"},
		{"candidate.extended", "2026-12-26", "bis 26.12.2026", "until 26\u00a0Dec\u00a02026"},
		{"candidate.corrected", "name, email", "Name, E-Mail", "Name, E-mail"},
		{
			"account.changed", "name Eins, Zwei → Drei, notify now → daily, keep_finished_days 0 → 180, welcome_de, role_profile general_sales → general_sales",
			"Name des Kontos: Eins, Zwei → Drei; Nachricht über abgeschlossene Tests: Sofort → Einmal am Tag; " +
				"Löschfrist für abgeschlossene Tests, in Tagen: keine Angabe → 180; Startseite des Tests auf Deutsch; Rollenprofil: Vertrieb allgemein → Vertrieb allgemein",
			"Name of the account: Eins, Zwei → Drei; Message about completed tests: At once → Once a day; " +
				"Days until completed tests are deleted: not set → 180; Start page of the test in German; Role profile: General sales → General sales",
		},
		{
			"account.changed", "name Eins → Zwei, host none → tests.example.com, letters_a_day 0 → 200", "Name des Kontos: Eins → Zwei; Adresse der Links: keine Angabe → tests.example.com; E-Mails am Tag: 0 → 200",
			"Name of the account: Eins → Zwei; Address of links: not set → tests.example.com; E-mails a day: 0 → 200",
		},
		{"account.key_lost", "factors", "Zweite Faktoren", "Second factors"},
		{"account.key_lost", "sender", "Eigener Schlüssel des Absenders (DKIM) entfernt", "Own key of the sender (DKIM) removed"},
		{"account.key_lost", "something else", "something else", "something else"},
		{"account.changed", "something else", "something else", "something else"},
		{"user.invited", "nothing known", "nothing known", "nothing known"},
		{"import.finished", "", "", ""},
		{"webhook.paused", "odd", "odd", "odd"},
	} {
		e := typus.AuditEntry{Action: typus.AuditAction(c.action), Detail: c.detail}
		for lang, want := range map[string]string{"de": c.de, "en": c.en} {
			if got := f.detail(speaking(lang), e); got != want {
				t.Errorf("%s %q in %s: %q, want %q", c.action, c.detail, lang, got, want)
			}
		}
	}
}

// Whoever connects a system invites and finishes a test within one second.
func TestTheTimelineKeepsTheOrderOfWhatHappenedAtOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		in := w.invitedBy(w.Account, assess.Invitation{Name: "Kim Muster", Email: "kim@example.com", SendEmail: true})
		var given []assess.Given
		for _, item := range w.face.Instrument.Items() {
			given = append(given, assess.Given{ItemID: item.ID, Value: max(4, item.Expect), ActiveMS: 4000})
		}
		w.Must(w.Assess.FinishFor(w.Ctx, w.Account, in.Candidate.ID, given, "operator"))
		a := w.as(viewer).get("/dashboard/kandidat/"+id(in)).want(t, 200)
		_, list, found := strings.Cut(a.body, `class="timeline"`)
		if !found {
			t.Fatal("no timeline")
		}
		at := len(list)
		for _, want := range []string{">Eingeladen<", "Eine E-Mail wartet", "Test begonnen", "Test abgeschlossen", "Mit erfundenen Antworten"} {
			i := strings.LastIndex(list[:at], want)
			if i < 0 {
				t.Fatalf("%q does not stand above what came before it:\n%s", want, list)
			}
			at = i
		}
	})
}
