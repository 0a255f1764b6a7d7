package dashboard

import (
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/page/browsertest"
	"typus/internal/store"
	"typus/internal/store/storetest"
	"typus/internal/webhook"
)

// zoned gives the account a zone.
func (w *world) zoned(zone typus.Zone) {
	w.Helper()
	w.Must(w.Accounts.Change(w.Ctx, w.Account, by, func(a *typus.Account) { a.Zone = zone }))
}

func TestTheZoneOfAnAccountIsChosenFromAList(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		const path = accountPath + "/allgemein"
		c := w.as(admin)
		form := func(zone string) url.Values {
			return fields("name", "Muster Software GmbH", "language", "de", "zone", zone, "role_profile", "general_sales", "invite_days", "30", "reminders", "2")
		}
		c.get(path).want(t, 200, `<option value="UTC" selected>UTC</option>`, `<option value="America/Argentina/Buenos_Aires">America/Argentina/Buenos Aires</option>`)
		c.follow(c.post(path, form("Asia/Kathmandu"))).want(t, 200, `<option value="Asia/Kathmandu" selected>`, `data-zone="Asia/Kathmandu"`)
		for _, none := range []string{"", "Local", "Europe/Atlantis", "MEZ"} {
			c.post(path, form(none)).want(t, 422, "Bitte wählen Sie eine Zeitzone aus der Liste.", `href="#zone"`)
		}
		old := form("")
		old.Del(zoneName) // a page from before there were zones
		c.post(path, old).want(t, 303)
		if a, err := w.Store.Account(w.Ctx, w.Account); err != nil || a.Zone != "Asia/Kathmandu" {
			t.Errorf("the zone is %q, %v", a.Zone, err)
		}
		c.post(path, form("Asia/Calcutta")).want(t, 303) // as some browsers call it
		c.get(path).want(t, 200, `<option value="Asia/Calcutta" selected>`)
		w.as(owner).get(auditPath).want(t, 200, "Zeitzone")
	})
}

// A new account has the zone of its founder's browser; one that is not known, or none, is the
// first zone.
func TestANewAccountHasTheZoneOfTheBrowser(t *testing.T) {
	for given, want := range map[string]typus.Zone{"Pacific/Pago_Pago": "Pacific/Pago_Pago", "": typus.FirstZone, "Mars/Olympus": typus.FirstZone, "Local": typus.FirstZone} {
		w := newEmptyWorldOn(t, storetest.OpenSQLite(t))
		link, err := w.Access.NewSetUpLink(w.Ctx)
		w.Must(err)
		token := strings.TrimPrefix(link, w.server.URL+setUpPath+"?token=")
		form := fields("token", token, "company", "", "language", "de", "email", "kim@example.com", "password", goodPassword, "zone", given)
		c := w.stranger()
		c.post(setUpPath, form).want(t, 422, `<input type="hidden" name="zone" value="`+given+`" data-zone-here>`)
		form.Set("company", "Muster GmbH")
		c.post(setUpPath, form).want(t, 303)
		list, err := w.Store.Accounts(w.Ctx)
		w.Must(err)
		if len(list) != 1 || list[0].Zone != want {
			t.Errorf("from a browser in %q: %+v, want %s", given, list, want)
		}
	}
}

// Whoever types a day reads the same day again, and it ends where the account is.
func TestATypedDayIsADayOfTheAccount(t *testing.T) {
	for zone, ends := range map[typus.Zone]string{
		"Europe/Berlin":      "2027-03-28T21:59:00Z", // its clocks go forward on that day
		"Pacific/Kiritimati": "2027-03-28T09:59:00Z",
		"Pacific/Pago_Pago":  "2027-03-29T10:59:00Z",
		"Asia/Kathmandu":     "2027-03-28T18:14:00Z",
		"Asia/Beirut":        "2027-03-28T20:59:00Z", // has no midnight on that day
	} {
		w := newWorld(t)
		w.zoned(zone)
		c, out := w.as(admin), w.invited("Kim Muster", "")
		path := candidatePath(out.Candidate.ID)
		want, err := time.Parse(time.RFC3339, ends)
		w.Must(err)
		c.follow(c.post(path+"/verlaengern", fields("ende", "2027-03-28"))).want(t, 200, `value="2027-03-28"`, `<time datetime="`+ends+`">28.03.2027, 23:59`)
		if got := w.candidateOf(out).ExpiresAt; !got.Equal(want) {
			t.Errorf("in %s the day ends at %s, want %s", zone, got, want)
		}
		c.follow(c.post(path+"/aufbewahren", fields("until", "2027-03-28", "reason", "Klage"))).want(t, 200, "28.03.2027")
		var k typus.Keeping
		w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) (err error) {
			k, err = tx.KeepingOf(w.Ctx, w.Account, out.Candidate.ID)
			return err
		}))
		if !k.Until.Equal(want) {
			t.Errorf("in %s somebody is kept until %s, want %s", zone, k.Until, want)
		}
		place := c.place("Vertrieb")
		c.follow(c.post(place+"/link", fields("most", "5", "ends", "2027-03-28"))).want(t, 200, `value="2027-03-28"`)
		c.get(auditPath).want(t, 200, "28.03.2027").without(t, "27.03.2027", "29.03.2027")
	}
}

// At 10 o'clock in UTC a day begins on Kiritimati, and an hour later on Pago Pago.
func TestAFilterByDayGoesByTheAccountsDays(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		hook, _ := w.newEndpoint("http://127.0.0.1:65535/")
		made := func(name string) {
			out := w.invitedBy(w.Account, assess.Invitation{Name: name, Email: "kim@example.com"})
			w.logged(hook, out.Candidate.ID, typus.Attempt{HTTPStatus: 503, ErrorCode: webhook.Code5xx}, becomes(typus.DeliveryPending, 1))
		}
		made("Anna Anfang") // 10:00
		w.Later(time.Hour - time.Minute)
		made("Mia Mitte") // 10:59
		w.Later(time.Minute)
		made("Emil Ende") // 11:00
		c := w.as(admin)
		for zone, days := range map[typus.Zone]map[string]string{
			"Pacific/Kiritimati": {"von=2026-11-28": "Anna Mia Emil", "bis=2026-11-27": "", "von=2026-11-28&bis=2026-11-28": "Anna Mia Emil", "von=2026-11-29": ""},
			"Pacific/Pago_Pago":  {"von=2026-11-27": "Emil", "bis=2026-11-26": "Anna Mia", "von=2026-11-27&bis=2026-11-27": "Emil"},
			"UTC":                {"von=2026-11-27": "Anna Mia Emil", "bis=2026-11-27": "Anna Mia Emil", "bis=2026-11-26": ""},
		} {
			w.zoned(zone)
			for query, want := range days {
				for _, path := range []string{"/dashboard/kandidaten", deliveriesPath} {
					_, table, _ := strings.Cut(c.get(path+"?"+query).want(t, 200).body, "<tbody>")
					var got []string
					for _, name := range []string{"Anna Anfang", "Mia Mitte", "Emil Ende"} {
						if strings.Contains(table, name) {
							got = append(got, strings.Fields(name)[0])
						}
					}
					if strings.Join(got, " ") != want {
						t.Errorf("in %s %s?%s lists %q, want %q", zone, path, query, got, want)
					}
				}
			}
		}
	})
}

// Wherever the reader is, a page shows the account's time: without its zone where the reader's
// clocks show the same.
func TestAPageShowsTheAccountsTimeInABrowser(t *testing.T) {
	w := newWorld(t)
	w.zoned("Europe/Berlin")
	c, browser := w.as(admin), browsertest.New(t)
	path := candidatePath(w.invited("Kim Muster", "").Candidate.ID)
	for reader, want := range map[string]string{
		"Europe/Berlin":     "27.11.2026, 11:00",
		"Europe/Paris":      "27.11.2026, 11:00",
		"Pacific/Pago_Pago": "27.11.2026, 11:00\u00a0MEZ",
		"UTC":               "27.11.2026, 11:00\u00a0MEZ",
	} {
		tab := browser.Tab(t, browsertest.Look{Zone: reader})
		w.enter(tab, c)
		tab.Open(w.server.URL + path)
		const invited = `document.querySelector("dl time").textContent`
		if reader == "Europe/Berlin" || reader == "Europe/Paris" {
			tab.WaitFor(invited + ` === ` + fmt.Sprintf("%q", want))
		}
		if said := browsertest.Eval[string](tab, invited); said != want {
			t.Errorf("in %s the page says %q, want %q", reader, said, want)
		}
		quiet(t, tab, w.server.URL)
	}
}

func TestASetUpIsToldTheZoneOfTheBrowser(t *testing.T) {
	w := newEmptyWorldOn(t, storetest.OpenSQLite(t))
	link, err := w.Access.NewSetUpLink(w.Ctx)
	w.Must(err)
	browser := browsertest.New(t)
	for look, want := range map[browsertest.Look]string{{Zone: "Asia/Kathmandu"}: "/Kat", {Zone: "Pacific/Pago_Pago"}: "Pacific/Pago_Pago", {Zone: "Pacific/Pago_Pago", NoScript: true}: ""} {
		tab := browser.Tab(t, look)
		tab.Open(link)
		const given = `document.querySelector("input[name=zone]").value`
		if !look.NoScript {
			tab.WaitFor(given + ` !== ""`)
		}
		if said := browsertest.Eval[string](tab, given); !strings.Contains(said, want) || want == "" && said != "" {
			t.Errorf("in %+v the set-up is told %q", look, said)
		}
	}
}

// What a script takes away is the zone alone: the rest stays as the server writes it,
// and what a script writes itself is as the server would.
func TestAScriptWritesTimesAsTheServerDoes(t *testing.T) {
	w := newWorld(t)
	w.Later(300 * 24 * time.Hour) // in September, which the browser shortens in another way
	script, err := os.ReadFile("static/desk/times.js")
	w.Must(err)
	browser := browsertest.New(t)
	path := candidatePath(w.invited("Kim Muster", "").Candidate.ID)
	for lang, says := range map[string]map[typus.Zone]string{
		"de": {"Europe/Berlin": "23.09.2027, 12:00\u00a0MESZ", "America/New_York": "23.09.2027, 06:00\u00a0UTC−4", "Asia/Kathmandu": "23.09.2027, 15:45\u00a0UTC+5:45"},
		"en": {"Europe/Berlin": "23\u00a0Sep 2027, 12:00\u00a0CEST", "Europe/London": "23\u00a0Sep 2027, 11:00\u00a0UTC+1", "Australia/Sydney": "23\u00a0Sep 2027, 20:00\u00a0UTC+10"},
	} {
		c := w.as(admin)
		c.post("/dashboard/sprache", fields("sprache", lang))
		for zone, want := range says {
			w.zoned(zone)
			c.get(path).want(t, 200, ">"+strings.ReplaceAll(want, "+", "&#43;")+"</time>")
			for reader, bare := range map[string]bool{string(zone): true, "Pacific/Pago_Pago": false} {
				tab := browser.Tab(t, browsertest.Look{Zone: reader})
				w.enter(tab, c)
				tab.Open(w.server.URL + path)
				cut := strings.LastIndex(want, "\u00a0")
				at, name := want[:cut], want[cut:]
				const invited = `document.querySelector("dl time")`
				shown := want
				if bare {
					shown = at
					tab.WaitFor(invited + `.title !== ""`)
				}
				if said := browsertest.Eval[string](tab, invited+`.textContent`); said != shown {
					t.Errorf("in %s a page of %s says %q, want %q", reader, zone, said, shown)
				}
				if said := browsertest.Eval[string](tab, `(() => {`+strings.ReplaceAll(string(script), "export ", "")+`; return moment(new Date(`+invited+`.dateTime)) })()`); strings.HasSuffix(said, name) == bare {
					t.Errorf("in %s a script says %q in %s, the server %q", reader, said, zone, want)
				}
			}
		}
	}
}

// A day that is not to tell the hour is the account's in a file, too.
func TestTheLedgerAsAFileNamesTheDayOfTheAccount(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		w.finished("Kim Muster") // at 10 o'clock in UTC
		w.blindTo(true)
		for zone, day := range map[typus.Zone]string{"UTC": "2026-11-27", "Europe/Berlin": "2026-11-27", "Pacific/Kiritimati": "2026-11-28", "Pacific/Pago_Pago": "2026-11-26"} {
			w.zoned(zone)
			w.as(member).post("/dashboard/credits/export.csv", nil).want(t, 200, "\n"+day+";Test abgeschlossen;")
		}
	})
}

// A link for as long as any may be is renewed with one click: the day that is proposed is one
// that may be chosen.
func TestTheDayThatIsProposedMayBeChosen(t *testing.T) {
	for _, zone := range []typus.Zone{"UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago", "America/St_Johns"} {
		w := newWorld(t)
		w.zoned(zone)
		w.Must(w.Accounts.Change(w.Ctx, w.Account, by, func(a *typus.Account) { a.InviteDays = typus.MaxInviteDays }))
		out := w.invited("Kim Muster", "")
		w.Later((typus.MaxInviteDays + 1) * 24 * time.Hour)
		c := w.as(admin)
		path := candidatePath(out.Candidate.ID)
		fd := w.face.untilField(typus.Account{Zone: zone, InviteDays: typus.MaxInviteDays}, 0, w.candidateOf(out).ExpiresAt)
		if fd.Value > fd.Max || fd.Value < fd.Min {
			t.Errorf("in %s %s is proposed, of %s to %s", zone, fd.Value, fd.Min, fd.Max)
		}
		c.post(path+"/neuer-link", nil).want(t, 303)
		if got := (typus.Account{Zone: zone}).DayOf(w.candidateOf(out).ExpiresAt); got != fd.Value {
			t.Errorf("in %s the new link is good until %s, want %s", zone, got, fd.Value)
		}
	}
}

// A zone that a server knows no more, as after a move to an older system, stands for UTC: pages
// go on, and so does what people set elsewhere.
func TestAnAccountWhoseZoneIsGoneGoesOnInUTC(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
			a, err := tx.Account(w.Ctx, w.Account)
			if err != nil {
				return err
			}
			a.Zone = "Europe/Atlantis"
			return tx.SetAccount(w.Ctx, a)
		}))
		c := w.as(admin)
		out := w.invited("Kim Muster", "")
		c.get(candidatePath(out.Candidate.ID)).want(t, 200, "27.11.2026, 10:00\u00a0UTC", `data-zone="UTC"`)
		c.post(accountPath+"/auftritt", fields("welcome_de", "Guten Tag!")).want(t, 303)
		general := fields("name", "Muster GmbH", "language", "de", "zone", "Europe/Atlantis", "role_profile", "general_sales", "invite_days", "30", "reminders", "2")
		c.get(accountPath+"/allgemein").want(t, 200, `<option value="Europe/Atlantis" selected>`)
		c.post(accountPath+"/allgemein", general).want(t, 303)
		general.Set("zone", "Europe/Mu")
		c.post(accountPath+"/allgemein", general).want(t, 422, "Bitte wählen Sie eine Zeitzone aus der Liste.")
		general.Set("zone", "Europe/Berlin")
		c.post(accountPath+"/allgemein", general).want(t, 303)
	})
}
