package dashboard

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"typus"
	"typus/internal/accounts"
	"typus/internal/assess"
	"typus/internal/store"
)

// estate is an account that owns one of everything that an address can name.
type estate struct {
	account int64
	guest   typus.User        // who is invited to the team
	names   map[string]string // what stands in an address, by the pattern up to there
}

// common are the parts of addresses that are nobody's: every account has the same.
var common = map[string]string{
	"/dashboard/farbe/{farbe}":                               "0a7a5c.css",
	"/dashboard/einstellungen/konto/{teil}":                  "auftritt",
	"/dashboard/einstellungen/briefe/text/{brief}":           "einladung",
	"/dashboard/einstellungen/briefe/text/{brief}/{sprache}": "de",
	"/passwort/{token}":                                      strings.Repeat("x", 43),
	"/bestaetigen/{token}":                                   strings.Repeat("x", 43),
	"/zuruecknehmen/{token}":                                 strings.Repeat("x", 43),
	"/e/{token}":                                             strings.Repeat("x", 32),
}

// address is a pattern with the names of what the estate owns. A part of a
// pattern that neither it nor common knows fails the test: whoever adds a route about
// something new adds the thing here.
func (e estate) address(t testing.TB, pattern string) string {
	t.Helper()
	parts := strings.Split(pattern, "/")
	for i, part := range parts {
		if !strings.HasPrefix(part, "{") {
			continue
		}
		at := strings.Join(strings.Split(pattern, "/")[:i+1], "/")
		name, known := e.names[at]
		if !known {
			name, known = common[at]
		}
		if !known {
			t.Errorf("%s: nothing stands for %s", pattern, at)
		}
		parts[i] = name
	}
	return strings.Join(parts, "/")
}

// furnish gives an account one of everything. What has stages, candidate and
// import, is at their beginning, or with done at their end.
func (w *world) furnish(account int64, done bool) estate {
	w.Helper()
	owner := typus.Actor{Name: "furnisher@example.com"}
	e := estate{account: account, names: map[string]string{}}
	own := func(id any, patterns ...string) {
		for _, pattern := range patterns {
			e.names[pattern] = fmt.Sprint(id)
		}
	}

	out := w.invitedBy(account, assess.Invitation{Name: "Kim Muster", Email: "kim@example.com", SendEmail: true})
	own(out.Candidate.ID, "/dashboard/kandidat/{id}", "/dashboard/einladen/{id}")
	w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
		note, err := tx.AddNote(w.Ctx, typus.Note{AccountID: account, CandidateID: out.Candidate.ID, Author: owner.Name, Body: "Notiz", CreatedAt: w.Now()})
		own(note, "/dashboard/kandidat/{id}/notizen/{notiz}")
		if err != nil {
			return err
		}
		letter, err := tx.AddLetter(w.Ctx, typus.Letter{
			AccountID: account, CandidateID: out.Candidate.ID, Kind: typus.LetterInvitation, To: "kim@example.com", State: typus.LetterFailed, CreatedAt: w.Now(),
		})
		own(letter, "/dashboard/einstellungen/briefe/protokoll/{id}")
		if err != nil {
			return err
		}
		asked, err := tx.AddRequest(w.Ctx, typus.Request{AccountID: account, CandidateID: out.Candidate.ID, Kind: typus.RequestCorrection, Text: "Ich heiße anders.", CreatedAt: w.Now()})
		own(asked, "/dashboard/kandidat/{id}/anfragen/{anfrage}")
		return err
	}))

	_, err := w.face.Sandbox.World(w.Ctx, account)
	w.Must(err)
	own(1, sandboxLettersPath+"/{id}")

	own(w.signedRole(account, "Außendienst"), "/dashboard/rollenprofile/{profil}")

	list, err := w.Assess.AddImport(w.Ctx, store.WholeAccount(account), typus.Import{FileName: "liste.csv"}, []byte("Name;E-Mail\nJana Muster;jana@example.com\n"), owner)
	w.Must(err)
	own(list, "/dashboard/import/{id}")

	hook, _, err := w.Accounts.CreateEndpoint(w.Ctx, account, fmt.Sprintf("http://127.0.0.1:65535/%d", account), "CRM", owner)
	w.Must(err)
	own(hook, "/dashboard/einstellungen/webhooks/{id}")
	delivery, err := w.Accounts.TestEndpoint(w.Ctx, account, hook, owner)
	w.Must(err)
	own(delivery, "/dashboard/einstellungen/webhooks/{id}/test/{delivery}")
	own(w.replayRun(account, hook, true), replaysPath+"/{id}")
	w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
		place, err := tx.AddPosition(w.Ctx, typus.Position{AccountID: account, Name: "Vertrieb Süd", State: typus.PositionOpen, Reminders: typus.RemindersOfAccount, CreatedAt: w.Now()})
		own(place, positionName)
		return err
	}))
	key, _, err := w.Access.CreateKey(w.Ctx, account, "CRM", owner)
	w.Must(err)
	own(key, "/dashboard/einstellungen/api-schluessel/{id}")

	email := fmt.Sprintf("person-%d@example.com", hook)
	_, err = w.Access.InviteUser(w.Ctx, typus.User{AccountID: account, Email: email, Role: typus.RoleMember}, owner)
	w.Must(err)
	e.guest, err = w.Store.UserByEmail(w.Ctx, account, email)
	w.Must(err)
	own(e.guest.ID, "/dashboard/einstellungen/team/{id}")

	w.Must(w.Accounts.ChangeLook(w.Ctx, account, accounts.NewLogo{Picture: logoOf(account)}, owner, func(*typus.Account) bool { return true }))
	shown, err := w.Store.Account(w.Ctx, account)
	w.Must(err)
	own(shown.LogoHash, "/dashboard/logo/{hash}")

	if !done {
		own(w.completed(account, out.Candidate.ID).ID, deliveriesPath+"/{delivery}")
	}
	if done {
		_, _, err := w.Accounts.GrantCredits(w.Ctx, account, accounts.Grant{Amount: 2, Note: "Test", Actor: owner.Name})
		w.Must(err)
		w.Must(w.Assess.Begin(w.Ctx, out.Token, typus.Notice{Version: "v1", Language: "de", At: w.Now()}, "Hinweise"))
		var given []assess.Given
		for i, it := range w.face.Instrument.Items() {
			given = append(given, assess.Given{ItemID: it.ID, Value: 2 + i%4, ActiveMS: 4000})
		}
		_, err = w.Assess.Answer(w.Ctx, out.Token, given)
		w.Must(err)
		w.Must(w.Assess.Finish(w.Ctx, out.Token))
		event, err := w.Store.EventOf(w.Ctx, account, out.Candidate.ID, typus.EventCandidateCompleted)
		w.Must(err)
		sent, err := w.Store.DeliveriesOf(w.Ctx, account, event.ID)
		w.Must(err)
		own(sent[0].ID, deliveriesPath+"/{delivery}")
		w.Must(w.Assess.PreviewImport(w.Ctx, store.WholeAccount(account), list, assess.List{Rows: []typus.ImportRow{{N: 2, Name: "Jana Muster", Email: fmt.Sprintf("jana-%d@example.com", list)}}}))
		w.Must(w.Assess.StartImport(w.Ctx, store.WholeAccount(account), list, owner))
		w.Must(w.Assess.RunImports(w.Ctx, "me"))
	}
	return e
}

// logoOf is a picture that no other account has.
func logoOf(account int64) []byte { return logoFrom(uint8(account % 200)) }

// form is what a POST of a route sends along where a test needs no more than
// something that is of the right form.
func form() url.Values {
	return url.Values{
		"name": {"Jana Muster"}, "email": {"jana@example.com"}, "url": {"http://127.0.0.1:65535/new"}, "role": {"viewer"}, "password": {goodPassword},
		"notiz": {"Notiz"}, "tag": {"neu"}, "ende": {"2027-03-01"}, "welcome_de": {"Moin"}, "subject": {"Einladung"}, "body": {"{link}"},
	}
}
