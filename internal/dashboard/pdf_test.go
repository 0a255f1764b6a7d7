package dashboard

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"typus"
	"typus/internal/accounts"
	"typus/internal/assess"
	"typus/internal/page/pagetest"
	"typus/internal/pdf"
	"typus/internal/pdf/pdftest"
	"typus/internal/report"
	"typus/internal/store"
)

// told are the texts of the report on a page, in their order and without white space: what
// a drawing says, what only a screen shows and what only leads elsewhere is left out.
func told(t *testing.T, body []byte) []string {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode || !slices.Contains([]string{"p", "dt", "dd", "li", "h2", "h3", "h4", "th", "td", "span"}, n.Data) {
			continue
		}
		class, _ := pagetest.Attr(n, "class")
		if inReport := slices.ContainsFunc(slices.Collect(n.Ancestors()), func(a *html.Node) bool { return a.Data == "article" }); !inReport || n.Data == "span" && class != "report-statement" {
			continue
		}
		if text := saidIn(n); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// saidIn is the text of an element that holds no other that is asked for, without white
// space.
func saidIn(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && slices.Contains([]string{"p", "dt", "li", "h2", "dl"}, d.Data) {
			return ""
		}
		if d.Type == html.TextNode && shown(d) {
			b.WriteString(d.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), "")
}

// shown reports whether a text is read on paper too.
func shown(n *html.Node) bool {
	for a := range n.Ancestors() {
		class, _ := pagetest.Attr(a, "class")
		if a.Data == "svg" || slices.ContainsFunc(strings.Fields(class), func(c string) bool {
			return c == "unseen" || c == "no-print" || c == "chart-legend" || c == "report-why"
		}) {
			return false
		}
	}
	return true
}

// The file says what the page says, in the same order: whoever adds a sentence to the one
// adds it to the other.
func TestTheFileOfAReportSaysWhatItsPageSays(t *testing.T) {
	_, set := reportPages(t)
	results := kept(t)
	for _, name := range []string{"G07", "G12", "G21", "G28", "G30", "G31", "G35", "G81", "older", madeUp} {
		lang := "de"
		if name == "G12" || name == "G28" {
			lang = "en"
		}
		v := alone(t, results[name], name == madeUp, lang)
		body, err := set.Page(lang, v)
		if err != nil {
			t.Fatal(err)
		}
		say := func(key string, pairs ...any) string {
			text, err := set.Text(lang, key, pairs...)
			if err != nil {
				t.Error(err)
			}
			return text
		}
		read, err := report.Read(results[name].Scores, results[name].RoleSnapshot)
		if err != nil {
			t.Fatal(err)
		}
		file, err := pdf.Report{
			Frame: pdf.Frame{Language: lang, Say: say, Page: func(int, int) string { return "" }}, Report: v.Report.Report, Name: "Kim",
			Guide: report.GuideOf(second(), read.Role, lang), FollowUps: v.Report.FollowUps,
		}.File()
		if err != nil {
			t.Fatal(err)
		}
		text, after := strings.Join(strings.Fields(pdftest.Words(t, file)), ""), 0
		texts := told(t, body)
		if len(texts) < 60 {
			t.Fatalf("%s: only %d texts on the page", name, len(texts))
		}
		for _, said := range texts {
			i := strings.Index(text[after:], said)
			if i < 0 {
				t.Errorf("%s/%s: %q is not in the file, or too early", name, lang, said)
				continue
			}
			after += i + len(said)
		}
	}
}

// Keeping a report as a file is a look at it and a transfer: both are noted once in an
// hour. A request for the head gets no file and is not noted.
func TestKeepingAReportIsNoted(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		out := w.answered("Kim", func(i int) int { return 2 + i%4 }, 4000)
		path, c := "/dashboard/kandidat/"+id(out)+"/bericht.pdf", w.as(interviewer)
		noted := func(want ...string) {
			t.Helper()
			lines, err := w.Store.AuditOf(w.Ctx, w.Account, out.Candidate.ID)
			w.Must(err)
			var got []string
			for _, l := range lines {
				if l.UserID == c.user.ID {
					got = append(got, string(l.Action))
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("noted are %v, not %v", got, want)
			}
		}
		if a := c.do("HEAD", path, nil).want(t, 200); a.Header.Get("Content-Type") != "application/pdf" {
			t.Errorf("HEAD: %v", a.Header)
		}
		noted()
		a := c.get(path).want(t, 200, "%PDF-")
		c.get(path).want(t, 200, "%PDF-")
		noted("report.saved", "report.viewed")
		h := a.Header
		if h.Get("Content-Type") != "application/pdf" || h.Get("Cache-Control") != "no-store" || !strings.Contains(h.Get("Content-Disposition"), `attachment; filename="typus-`+id(out)+`.pdf"`) {
			t.Errorf("%v", h)
		}
		pdftest.Check(t, []byte(a.body))
		if text := pdftest.Words(t, []byte(a.body)); !strings.Contains(text, "Kim") || !strings.Contains(text, "Die neun Dimensionen") || !strings.Contains(text, "Seite 1 von ") {
			t.Errorf("the file says %q", text)
		}
		w.as(viewer).get("/dashboard/kandidat/"+id(out)).want(t, 200, "Bericht als Datei gespeichert durch "+c.user.Email, path)
		w.as(owner).get("/dashboard/einstellungen/protokoll").want(t, 200, "Bericht als Datei gespeichert")
		w.Later(assess.ViewEvery + time.Minute)
		if later := c.get(path).want(t, 200); later.body != a.body {
			t.Error("the same result gives another file later")
		}
		noted("report.saved", "report.saved", "report.viewed", "report.viewed")
	})
}

// Who may not read a candidate, and who asks for a report that is not there, gets no file.
func TestAReportThatIsNotThereIsNoFile(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		out := w.answered("Kim", func(i int) int { return 2 + i%4 }, 4000)
		path := "/dashboard/kandidat/" + id(out)
		stranger := w.asOf(w.newAccount("Andere GmbH"), owner)
		for _, file := range []string{path + "/bericht.pdf", path + "/leitfaden.pdf"} {
			stranger.get(file).want(t, 404)
		}
		stranger.follow(stranger.get("/dashboard/auswahl/leitfaden.pdf?id="+id(out))).want(t, 200, "Die ausgewählte Person ist nicht mehr vorhanden.")
		waits := w.invitedBy(w.Account, assess.Invitation{Name: "Lou", Email: "lou@example.com"})
		c := w.as(interviewer)
		c.follow(c.get("/dashboard/kandidat/"+id(waits)+"/bericht.pdf")).want(t, 200, "Lou")
		c.get("/dashboard/kandidat/"+id(waits)+"/leitfaden.pdf").want(t, 200, "%PDF-")
	})
}

// The figures of a result that should not be interpreted are in no file before somebody
// asks for them, and the page offers none.
func TestAResultThatShouldNotBeInterpretedHasNoFiguresInItsFile(t *testing.T) {
	w := newWorld(t)
	out := w.answered("Kim", func(int) int { return 5 }, 300)
	page, c := "/dashboard/kandidat/"+id(out), w.as(member)
	if a := c.get(page).want(t, 200); strings.Contains(a.body, "bericht.pdf") {
		t.Error("the page offers the file of a closed result")
	}
	closed := pdftest.Words(t, []byte(c.get(page+"/bericht.pdf").want(t, 200).body))
	if strings.Contains(closed, "Die neun Dimensionen") || !strings.Contains(closed, "Nicht deutbar") {
		t.Errorf("closed, the file says %q", closed)
	}
	c.follow(c.post(page+"/trotzdem", nil)).want(t, 200, "bericht.pdf")
	if open := pdftest.Words(t, []byte(c.get(page+"/bericht.pdf").want(t, 200).body)); !strings.Contains(open, "Die neun Dimensionen") {
		t.Errorf("open, the file says %q", open)
	}
}

// A file has the decisions for whom the page has them.
func TestAFileHasTheDecisionsThatItsPageHas(t *testing.T) {
	w := newWorld(t)
	out := w.sound("Kim")
	path := candidatePath(out.Candidate.ID)
	w.as(member).post(path+"/entscheidung", rejecting(url.Values{"text": {"Kein Führerschein"}})).want(t, 303)
	for role, reads := range map[typus.UserRole]bool{interviewer: false, viewer: true} {
		c := w.as(role)
		text := pdftest.Words(t, []byte(c.get(path+"/bericht.pdf").want(t, 200).body))
		if strings.Contains(text, "Stand: Absage") != reads || strings.Contains(text, "Kein Führerschein") != reads {
			t.Errorf("for a %s the file says %q", role, text)
		}
	}
}

// listed are the texts of what a page lists with a class, in their order.
func listed(t *testing.T, body, class string) []string {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for n := range doc.Descendants() {
		if has, _ := pagetest.Attr(n, "class"); n.Type != html.ElementNode || !slices.Contains(strings.Fields(has), class) {
			continue
		}
		for d := range n.Descendants() {
			if text := strings.Join(strings.Fields(d.Data), " "); d.Type == html.TextNode && text != "" {
				texts = append(texts, text)
			}
		}
	}
	return texts
}

// A file has what the team heard as its page has it: for the same reader, in the same order,
// with who knew the result before, and with the questions that are no longer asked. Drafts
// are in neither, nor is what others heard where the reader still has to rate.
func TestAFileHasTheRatingsThatItsPageHas(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		out := w.sound("Kim")
		path := candidatePath(out.Candidate.ID)
		first, second, third := w.as(interviewer), w.as(member), w.as(interviewer)
		before := w.asked(url.Values{"core": {"ad2", "in1"}, "ask_de_1": {"Was war schwer?"}})
		role := w.face.Instrument.Roles()[0].Key
		one := first.marksFor(role, "4", "", before...)
		one.Set("notiz-ad2", "Erst dies.\n\nDann <b>das</b>.")
		one.Set("bewertung-in1", "0")
		w.blindTo(false)
		first.post(path+"/leitfaden", one).want(t, 303)
		w.asked(url.Values{"core": {"co2", "in1", "lo2"}})
		w.as(owner).get(path).want(t, 200)
		third.post(path+"/leitfaden/entwurf", third.marks("1", "Nur ein Entwurf")).want(t, 303)

		third.follow(third.get(path+"/bericht.pdf")).want(t, 200, "Das Ergebnis ist noch geschlossen")
		w.Must(w.Accounts.SetBlind(w.Ctx, store.WholeAccount(w.Account), 0, by, func(typus.Position) (accounts.Blind, bool) { return accounts.Blind{On: false, Everybody: false}, true }))
		second.get(path).want(t, 200)
		w.Later(time.Minute)
		second.post(path+"/leitfaden", second.marksFor(role, "2", "Wusste schon", typus.CoreQuestion{Key: "co2"}, typus.CoreQuestion{Key: "in1"}, typus.CoreQuestion{Key: "lo2"})).want(t, 303)
		english := w.as(viewer)
		w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error { return tx.SetPreferences(w.Ctx, w.Account, english.user.ID, "en", "") }))
		for _, c := range []*client{w.as(owner), first, second, third, english} {
			heard := listed(t, c.get(path).want(t, 200).body, "guide-heard")
			text := pdftest.Words(t, []byte(c.get(path+"/bericht.pdf").want(t, 200).body))
			rest := text
			for _, said := range heard {
				_, after, found := strings.Cut(rest, said)
				if !found {
					t.Fatalf("%q is not in the file, or too early", said)
				}
				rest = after
			}
			if len(heard) < 40 {
				t.Errorf("the page lists %q", heard)
			}
			known := map[string]bool{"kannte das Ergebnis schon": c != english, "knew the result already": c == english, "Was war schwer?": true, "Erst dies. Dann <b>das</b>.": true, "Wusste schon": true, "Nur ein Entwurf": false}
			for said, want := range known {
				if strings.Contains(text, said) != want {
					t.Errorf("%q is in the file: %t", said, !want)
				}
			}
		}
	})
}

// Two people with opposite results have the same guide, to the byte, but for the link to
// its page; to whoever has not rated, the file of the report is what the page is.
func TestBlindFilesOfOppositeResultsAreAlike(t *testing.T) {
	w := newWorld(t)
	high := w.answered("Kimhigh", func(i int) int { return 2 + i%4 }, 4000)
	low := w.answered("Kimlow", func(int) int { return 5 }, 300)
	w.as(admin).post("/dashboard/kandidat/"+id(low)+"/korrigieren", fields("name", "Kimhigh", "email", "kimlow@example.com")).want(t, 303)
	w.blindTo(false)
	for _, role := range []typus.UserRole{interviewer, member} {
		c := w.as(role)
		file := func(out assess.Invited) string {
			body := c.get("/dashboard/kandidat/"+id(out)+"/leitfaden.pdf").want(t, 200, "%PDF-").body
			return strings.ReplaceAll(body, id(out), strings.Repeat("0", len(id(out))))
		}
		if a, b := file(high), file(low); a != b {
			t.Errorf("the guides differ for a %s: %d and %d bytes", role, len(a), len(b))
		}
		for _, out := range []assess.Invited{high, low} {
			c.follow(c.get("/dashboard/kandidat/"+id(out)+"/bericht.pdf")).want(t, 200, "Das Ergebnis ist noch geschlossen")
		}
		both := pdftest.Text(t, []byte(c.get("/dashboard/auswahl/leitfaden.pdf?id="+id(high)+"&id="+id(low)).want(t, 200).body))
		if half := len(both) / 2; !slices.Equal(both[:half], both[half:]) {
			t.Errorf("together, the guides differ for a %s: %q", role, both)
		}
	}
	lines, err := w.Store.AuditOf(w.Ctx, w.Account, high.Candidate.ID)
	w.Must(err)
	for _, l := range lines {
		if strings.HasPrefix(string(l.Action), "report.") {
			t.Errorf("a guide, or a file that was refused, counts as a look: %+v", l)
		}
	}
}
