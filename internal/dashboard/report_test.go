package dashboard

import (
	"encoding/json"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	evidence "github.com/go-json-experiment/json"

	"typus/internal/instrument"
	"typus/internal/page"
	"typus/internal/page/browsertest"
	"typus/internal/page/pagetest"
	"typus/internal/pdf/pdftest"
	"typus/internal/store"
	"typus/internal/web"
)

// reportAlone is a page that shows a report and nothing else.
type reportAlone struct {
	frame
	Report *reportView
}

// Template names the page.
func (reportAlone) Template() string { return "report_alone" }

const reportPage = `{{define "title"}}{{.Brand}}{{end}}{{define "head"}}{{template "report-styles"}}{{end}}{{define "content"}}<h1>{{.Brand}}</h1>{{template "report" .Report}}{{end}}`

// reportPages are the pages of the dashboard with that page among them.
func reportPages(t testing.TB) (*page.Site, *page.Set) {
	t.Helper()
	all := fstest.MapFS{"templates/report_alone.html": {Data: []byte(reportPage)}}
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := fs.ReadFile(files, name)
		all[name] = &fstest.MapFile{Data: body}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	site, err := page.New()
	if err != nil {
		t.Fatal(err)
	}
	set, err := site.Set(all)
	if err != nil {
		t.Fatal(err)
	}
	return site, set
}

// knownVector is a sheet of known answers.
type knownVector struct {
	Name    string
	Role    string
	Answers []*int
	RTMS    []int `json:"rt_ms"`
	GapsMS  []int `json:"gaps_ms"`
}

// short is what its name begins with, such as G17.
func (v knownVector) short() string { return v.Name[:3] }

var knownVectors = sync.OnceValues(func() ([]knownVector, error) {
	data, err := os.ReadFile("../instrument/testdata/golden_vectors_2.json")
	if err != nil {
		return nil, err
	}
	var known struct{ Vectors []knownVector }
	err = json.Unmarshal(data, &known)
	return known.Vectors, err
})

// knownResults are the results of known answers of every kind, by name, as the store gives
// them.
var knownResults = sync.OnceValues(func() (map[string]store.Result, error) {
	known, err := knownVectors()
	if err != nil {
		return nil, err
	}
	all := map[string]store.Result{}
	for _, v := range known {
		sheet := second().NewSheet()
		for i, a := range v.Answers {
			if a != nil {
				sheet.Answers[i].Value = *a
			}
			sheet.Answers[i].ActiveMS = v.RTMS[i]
		}
		if len(v.GapsMS) > 0 {
			sheet.MaxPauseMS = slices.Max(v.GapsMS)
		}
		if all[v.short()], err = resultOf(sheet, v.Role); err != nil {
			return nil, err
		}
	}
	return all, nil
})

// Whoever opens a result, or the guide of an interview about it, reads first that it is too
// old. To who is to judge without it nothing tells when the test was.
func TestAReportThatIsTooOldSaysSoFirst(t *testing.T) {
	w := newWorld(t)
	path := "/dashboard/kandidat/" + id(w.finished("Fertig Muster"))
	completed := w.Now()
	says := func(c *client, months string) {
		t.Helper()
		said := "Dieses Ergebnis ist älter als"
		if months != "" {
			said += " " + months + " Monate. Wenn Sie es noch brauchen, laden Sie die Person neu ein."
		}
		for _, at := range []string{path, path + "/leitfaden"} {
			_, article, _ := strings.Cut(c.get(at).want(t, 200).body, "<article")
			_, first, _ := strings.Cut(article, ">")
			if months != "" != strings.HasPrefix(strings.TrimSpace(first), `<p class="notice">`+said) || months == "" && strings.Contains(article, said) {
				t.Errorf("%s after %s months begins with %.300s", at, months, first)
			}
		}
		for _, at := range []string{path + "/bericht.pdf", path + "/leitfaden.pdf"} {
			text := strings.Join(strings.Fields(pdftest.Words(t, []byte(c.get(at).want(t, 200).body))), " ")
			if strings.Contains(text, said) != (months != "") {
				t.Errorf("%s after %s months says %.300s", at, months, text)
			}
		}
		if list := c.get("/dashboard/kandidaten").want(t, 200).body; strings.Contains(list, "älter als "+months) != (months != "") {
			t.Errorf("the list after %s months: %s", months, list)
		}
	}
	w.Set(completed.AddDate(0, 12, 0).Add(-time.Second))
	says(w.as(owner), "")
	w.Set(completed.AddDate(0, 12, 0))
	boss := w.as(owner)
	says(boss, "12")
	boss.post(decisionPath, fields("shelf_months", "5")).want(t, 422, "Zahl von 6 bis 36", `value="5"`)
	boss.post(decisionPath, fields("shelf_months", "37")).want(t, 422)
	boss.follow(boss.post(decisionPath, fields("shelf_months", "13"))).want(t, 200, "Gespeichert.", `value="13"`)
	says(boss, "")
	boss.get(auditPath).want(t, 200, "Nach so vielen Monaten ist ein Ergebnis zu alt: 12 → 13")
	boss.post(decisionPath, fields("shelf_months", "6")).want(t, 303)
	says(boss, "6")

	boss.post(blindPath, fields("blind", "1")).want(t, 303)
	blind := w.as(interviewer)
	for _, at := range []string{"/dashboard/kandidaten", path, path + "/leitfaden"} {
		if a := blind.get(at).want(t, 200); strings.Contains(a.body, "älter als") {
			t.Errorf("%s tells who is to judge without the result that it is old", at)
		}
	}
	if text := pdftest.Words(t, []byte(blind.get(path+"/leitfaden.pdf").want(t, 200).body)); strings.Contains(strings.Join(strings.Fields(text), " "), "älter als") {
		t.Errorf("the guide as a file tells who is to judge without the result that it is old: %s", text)
	}
}

// second is the version with which the known results were made.
func second() *instrument.Instrument {
	in, released := instrument.Released("salespersona@2.0.0")
	if !released {
		panic("there is no version 2.0.0")
	}
	return in
}

// resultOf scores a sheet and keeps it as a finished test does.
func resultOf(sheet instrument.Sheet, role string) (store.Result, error) {
	result, err := second().Score(sheet, role)
	if err != nil {
		return store.Result{}, err
	}
	scores, err := evidence.Marshal(result)
	if err != nil {
		return store.Result{}, err
	}
	snapshot, err := second().RoleSnapshot(role)
	return store.Result{Scores: scores, RoleSnapshot: snapshot}, err
}

// kept are the known results, one of an older version, and one whose words are hostile.
func kept(t testing.TB) map[string]store.Result {
	t.Helper()
	known, err := knownResults()
	if err != nil {
		t.Fatal(err)
	}
	all := maps.Clone(known)
	snapshot := all["G11"].RoleSnapshot
	all["older"] = store.Result{RoleSnapshot: snapshot, Scores: []byte(`{"overall":64,"overall_exact":63.6,"overall_sem":6.2,
		"fit":{"key":"C","label":"Mittel"},"archetype":{"key":"pioneer","name":"Pionier","secondary":{"key":"driver","name":"Motor"},"stability":48,"level":"mixed"},
		"dimensionScores":[{"key":"humour","name":"Humor","score":20,"band":[5,35]},{"key":"resilience","name":"Resilienz"}],
		"warnings":[{"key":"odd_hours","severity":"strange","message":"Zu ungewöhnlicher Zeit bearbeitet."}],"meta":{"norm":"pilot-1","language":"de"}}`)}
	hostile := strings.NewReplacer("Mittel", `</div><a href='https://evil.example'>`, "Pionier", `<script>alert(1)</script>`,
		"Humor", `x' onx='1`, "pilot-1", strings.Repeat("Donaudampfschifffahrts", 9), "Zu ungewöhnlicher", `<svg onload=alert(1)>`)
	all["hostile"] = store.Result{RoleSnapshot: snapshot, Scores: []byte(hostile.Replace(string(all["older"].Scores)))}
	all[madeUp] = all["G21"]
	return all
}

// madeUp is the name of the report whose answers nobody gave.
const madeUp = "made-up"

// alone is the page of a stored result.
func alone(t testing.TB, r store.Result, madeUp bool, lang string) reportAlone {
	t.Helper()
	v, err := newReport(second(), r, madeUp, lang)
	if err != nil {
		t.Fatal(err)
	}
	return reportAlone{frame: plain.shell(areaCandidates, ""), Report: v}
}

func TestEveryReportIsSoundAndBeginsWithWhatItIs(t *testing.T) {
	_, set := reportPages(t)
	for name, r := range kept(t) {
		for _, lang := range page.Languages() {
			t.Run(name+"/"+lang, func(t *testing.T) {
				v := alone(t, r, name == madeUp, lang)
				body, err := set.Page(lang, v)
				if err != nil {
					t.Fatal(err)
				}
				pagetest.Check(t, body, lang)
				_, part, _ := strings.Cut(string(body), `<article class="report`)
				if made := v.Report.Head.MadeUp; made != nil {
					if i := strings.Index(part, made.Heading); i < 0 || i > 300 || !strings.Contains(part, made.Advice) {
						t.Errorf("that nobody gave the answers stands at %d", i)
					}
					_, part, _ = strings.Cut(part, `<details class="report-head"`)
				}
				if i := strings.Index(part, v.Report.Head.Statement); i < 0 || i > 300 {
					t.Errorf("the sentence that every report begins with stands at %d", i)
				}
				for _, raw := range []string{`</div><a href='https://evil`, "<svg onload", "onx='", "<script>alert"} {
					if strings.Contains(part, raw) {
						t.Errorf("%q stands in the page as it is", raw)
					}
				}
			})
		}
	}
}

// Whoever cannot see the drawing reads the same figures in the table beside it.
func TestTheTableHasTheFiguresOfTheChart(t *testing.T) {
	_, set := reportPages(t)
	v := alone(t, kept(t)["G21"], false, "en")
	body, err := set.Page("en", v)
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(body), `<table class="report-table">`)
	table, _, _ = strings.Cut(table, "</table>")
	for i, d := range v.Report.Dimensions {
		row := v.Report.Chart.Rows[i]
		figures := []float64{row.Bar.Width, row.Band.From, row.Band.To, row.Band.Mark, row.Zone.X, row.Zone.X + row.Zone.Width}
		want := []float64{float64(d.Score), float64(d.Low), float64(d.High), float64(d.Score), float64(d.Zone.Low), float64(d.Zone.High)}
		if !slices.Equal(figures, want) {
			t.Errorf("%s is drawn at %v, not at %v", d.Name, figures, want)
		}
		if !strings.Contains(table, d.Name) {
			t.Errorf("%s is not in the table", d.Name)
		}
	}
}

func TestADamagedResultIsNoReport(t *testing.T) {
	if v, err := newReport(instrument.Own(), store.Result{Scores: []byte("{"), RoleSnapshot: []byte("{}")}, false, "de"); err == nil {
		t.Errorf("%+v", v)
	}
}

// reportGallery serves reports at /report/{language}/{name}.
func reportGallery(t *testing.T) string {
	t.Helper()
	site, set := reportPages(t)
	results := kept(t)
	mux := http.NewServeMux()
	mux.Handle("GET /static/", site.Static())
	mux.HandleFunc("GET /report/{lang}/{name}", func(w http.ResponseWriter, r *http.Request) {
		lang := r.PathValue("lang")
		if err := set.Render(w, http.StatusOK, lang, alone(t, results[r.PathValue("name")], r.PathValue("name") == madeUp, lang)); err != nil {
			t.Error(err)
		}
	})
	s := httptest.NewServer(web.SecurityHeaders(false, mux))
	t.Cleanup(s.Close)
	return s.URL
}

// TestReportsAreSoundInABrowser looks at a borderline and mixed, a doubtful, a hostile and
// a made-up result on a small phone and on a desk, and in the system's own few colours or
// as they are printed; in which of these ways, says browsertest.Matrix.
func TestReportsAreSoundInABrowser(t *testing.T) {
	browser, matrix, server := browsertest.New(t), browsertest.NewMatrix(t), reportGallery(t)
	forced, paper := browsertest.Look{Width: 1280, Forced: true}, browsertest.Look{Width: 718, Print: true, Dark: true}
	for _, name := range []string{"G12", "G28", "hostile", madeUp} {
		t.Run(name, func(t *testing.T) {
			tab := browser.Tab(t, browsertest.Look{})
			address := func(lang string) string { return server + "/report/" + lang + "/" + name }
			matrix.See(tab, "report-"+name, append(matrix.Two(name), matrix.Special(name, forced, paper)...), address, func(at string) {
				if wider := tab.Overflow(); wider > 0 {
					t.Errorf("%s is %d px wider than the screen", at, wider)
				}
				if name == madeUp && !browsertest.Eval[bool](tab, `document.querySelector(".report > :first-child").matches(".notice") && document.querySelector(".report > .notice").offsetHeight > 40`) {
					t.Errorf("%s: nobody sees that nobody gave the answers", at)
				}
				for _, message := range tab.Messages() {
					t.Errorf("%s: the browser complains: %s", at, message)
				}
				for _, violation := range tab.Axe() {
					t.Errorf("%s: %s", at, violation)
				}
				tab.Forget() // what the policy said to axe
			})
		})
	}
}

func BenchmarkReportPart(b *testing.B) {
	_, set := reportPages(b)
	r := kept(b)["G21"]
	for b.Loop() {
		v, err := newReport(second(), r, false, "de")
		if err != nil {
			b.Fatal(err)
		}
		if _, err := set.Page("de", reportAlone{Report: v}); err != nil {
			b.Fatal(err)
		}
	}
}
