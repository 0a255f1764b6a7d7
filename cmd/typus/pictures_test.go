//go:build pictures

package main

import (
	"context"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/instrument"
	"typus/internal/page/browsertest"
	"typus/internal/server"
	"typus/internal/store"
)

// TestThePicturesOfTheReadme takes them anew from the demo:
//
//	TYPUS_PICTURES=$PWD/docs/images go test -tags pictures ./cmd/typus -run TestThePicturesOfTheReadme
func TestThePicturesOfTheReadme(t *testing.T) {
	dir := os.Getenv("TYPUS_PICTURES")
	if dir == "" {
		t.Fatal("TYPUS_PICTURES says where they go")
	}
	p := photographer{t: t, dir: dir, raw: t.TempDir(), demo: serving(t), browser: browsertest.New(t)}
	p.dashboard()
	p.own()
	p.test()
}

// photographer takes pictures of a demo.
type photographer struct {
	t        *testing.T
	dir, raw string // where the pictures go, and what they are made of
	demo     *demo
	browser  *browsertest.Browser
}

// serving is a demo that has its past and serves.
func serving(t *testing.T) *demo {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := &demo{out: io.Discard}
	settings, err := demoSettings(t.TempDir(), ln.Addr())
	if err != nil {
		t.Fatal(err)
	}
	if d.site, err = openSite(t.Context(), settings, openToServe); err != nil {
		t.Fatal(err)
	}
	if err := d.prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	options, err := d.site.serverOptions(slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	options.Mailer = &mailbox{}
	srv, err := server.New(options)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ctx, ln) }()
	t.Cleanup(func() {
		stop()
		<-served
		d.receiver.close()
		d.site.store.Close()
	})
	return d
}

func (p photographer) base() string { return p.demo.site.settings.BaseURL }

// dashboard takes what the team sees: its day, the list, a position, the report of somebody
// whose answers can be read, and three such people side by side.
func (p photographer) dashboard() {
	tab := p.browser.Tab(p.t, browsertest.Look{Width: 1280})
	tab.Open(p.base() + "/anmelden?lang=de")
	tab.Focus("input[name=email]")
	tab.Press(demoOwner)
	tab.Focus("input[type=password]")
	tab.Press(p.demo.password)
	tab.Follow("main form button")
	p.take(tab, "home", "", 1010)
	p.take(tab, "list", "/kandidaten", 992)
	p.take(tab, "position", fmt.Sprintf("/stellen/%d", p.demo.field), 1003)
	readable := p.readable()
	p.report(tab, readable[0])
	p.take(tab, "compare", fmt.Sprintf("/vergleich?id=%d&id=%d&id=%d", readable[0], readable[1], readable[2]), 1330)
}

// take keeps the upper part of a page of the dashboard.
func (p photographer) take(tab *browsertest.Tab, name, path string, height int) {
	tab.Open(p.base() + "/dashboard" + path)
	p.cut(tab, "dashboard-"+name, image.Rect(0, 0, 1280, height))
}

// readable are those for the position whose answers can be read, whoever was invited first
// first.
func (p photographer) readable() []int64 {
	list, err := p.demo.site.store.CandidateRowsOf(p.t.Context(), store.WholeAccount(p.demo.account), p.everybody())
	if err != nil {
		p.t.Fatal(err)
	}
	var ids []int64
	for _, c := range slices.Backward(list) {
		if c.Candidate.PositionID == p.demo.field && c.Scores != nil && len(c.Scores.Warnings) == 0 {
			ids = append(ids, c.ID)
		}
	}
	if len(ids) < 3 {
		p.t.Fatalf("only %d people have a report to show", len(ids))
	}
	return ids
}

// report takes two parts of a report.
func (p photographer) report(tab *browsertest.Tab, id int64) {
	tab.Open(fmt.Sprintf("%s/dashboard/kandidat/%d", p.base(), id))
	top := func(part string) int {
		return browsertest.Eval[int](tab, fmt.Sprintf("Math.ceil(document.getElementById(%q).getBoundingClientRect().top + scrollY) - 24", part))
	}
	p.cut(tab, "dashboard-candidate", image.Rect(0, 0, 1280, top("report-stands")))
	p.cut(tab, "dashboard-match", image.Rect(232, top("report-match"), 1280, top("report-persona")))
}

// own takes the page on which somebody sees their own result: on the device that handed in,
// once the account lets everybody see it.
func (p photographer) own() {
	site, ctx, reader := p.demo.site, p.t.Context(), store.WholeAccount(p.demo.account)
	operator := typus.Actor{Name: "operator"}
	err := site.accounts.SetOwnTerms(ctx, p.demo.account, operator, func(typus.OwnResultTerms) (typus.OwnResultTerms, bool) {
		return typus.OwnResultTerms{Policy: typus.OwnResultAtOnce}, true
	})
	if err != nil {
		p.t.Fatal(err)
	}
	out, err := site.steps.InviteByForm(ctx, reader, assess.Invitation{Name: "Kim Beispiel", Email: "kim@example.com", Language: "de"}, false, operator)
	if err != nil {
		p.t.Fatal(err)
	}
	if err := p.begin(out.Token); err != nil {
		p.t.Fatal(err)
	}
	if _, err := site.steps.Answer(ctx, out.Token, plausible(instrument.Own(), 7)); err != nil {
		p.t.Fatal(err)
	}
	tab := p.browser.Tab(p.t, browsertest.Look{Width: 1000})
	tab.Open(p.base() + "/t/" + out.Token + "/abgabe")
	tab.Follow("form[data-last] button")
	tab.Open(p.base() + "/t/" + out.Token + "/ergebnis")
	p.cut(tab, "own-result", image.Rect(0, 0, 1000, 1465))
}

// begin begins somebody's test.
func (p photographer) begin(token string) error {
	read := typus.Notice{Version: "pictures", Language: "de", At: time.Now()}
	return p.demo.site.steps.Begin(p.t.Context(), token, read, "Bilder; niemand hat diesen Hinweis gelesen.")
}

func (p photographer) everybody() []int64 {
	var ids []int64
	for _, r := range everybody(p.t, p.demo.site.store, p.demo.account) {
		ids = append(ids, r.ID)
	}
	return ids
}

// cut keeps a part of a page.
func (p photographer) cut(tab *browsertest.Tab, name string, part image.Rectangle) {
	file := filepath.Join(p.raw, name+".png")
	tab.Screenshot(file)
	whole := p.read(file)
	part = part.Intersect(whole.Bounds())
	kept := image.NewRGBA(image.Rect(0, 0, part.Dx(), part.Dy()))
	draw.Draw(kept, kept.Bounds(), whole, part.Min, draw.Src)
	p.write(filepath.Join(p.dir, name+".png"), kept)
}

func (p photographer) read(file string) image.Image {
	f, err := os.Open(file)
	if err != nil {
		p.t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		p.t.Fatal(err)
	}
	return img
}

func (p photographer) write(file string, img image.Image) {
	f, err := os.Create(file)
	if err != nil {
		p.t.Fatal(err)
	}
	defer f.Close()
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(f, img); err != nil {
		p.t.Fatal(err)
	}
}

// stations are the pages of the test that the pictures show, in their order.
var stations = []string{"start", "statement", "break", "open", "end"}

// test takes the pages of the test, alone and side by side.
func (p photographer) test() {
	looks := map[string]browsertest.Look{
		"phone-light": {Width: 390, Height: 900}, "phone-dark": {Width: 390, Height: 900, Dark: true},
		"desk-light": {Width: 1280, Height: 940}, "desk-dark": {Width: 1280, Height: 940, Dark: true},
	}
	for look := range looks {
		p.walk(look, p.browser.Tab(p.t, looks[look]))
	}
	server := httptest.NewServer(http.FileServer(http.Dir(p.raw)))
	defer server.Close()
	show := func(name string, width, height int, frames string) {
		body := `<!doctype html><meta charset="utf-8"><style>
			body { margin: 0; padding: 24px; box-sizing: border-box; background: #e9e6df; display: flex; flex-wrap: wrap; gap: 20px; align-content: start; }
			div { overflow: hidden; box-shadow: 0 6px 24px #0002; }
			.phone { border: 6px solid #1d2522; border-radius: 24px; } .desk { border-radius: 12px; border: 1px solid #0002; }
			img { display: block; width: 100%; } p { flex-basis: 100%; margin: -10px; }
		</style>` + frames
		if err := os.WriteFile(filepath.Join(p.raw, name+".html"), []byte(body), 0o600); err != nil {
			p.t.Fatal(err)
		}
		tab := p.browser.Tab(p.t, browsertest.Look{Width: width, Height: height})
		tab.Open(server.URL + "/" + name + ".html")
		tab.WaitFor("[...document.images].every((i) => i.complete && i.naturalWidth > 0)")
		p.cut(tab, name, image.Rect(0, 0, width, height))
	}
	frame := func(kind, look, station string, width, height int) string {
		return fmt.Sprintf(`<div class="%s" style="width: %dpx; height: %dpx"><img src="%s-%s-%s.png" alt=""></div>`, kind, width, height, kind, look, station)
	}
	all := func(kind string, width, height int) string {
		var b strings.Builder
		for _, look := range []string{"light", "dark"} {
			for _, station := range stations {
				b.WriteString(frame(kind, look, station, width, height))
			}
			b.WriteString("<p></p>")
		}
		return b.String()
	}
	show("test-phone", 1402, 1230, all("phone", 242, 558))
	show("test-desk", 1354, 1366, all("desk", 420, 308))
	show("test", 1400, 860, frame("desk", "light", "statement", 980, 800)+frame("phone", "light", "statement", 320, 800))
}

// walk leads somebody through the test and takes each station.
func (p photographer) walk(look string, tab *browsertest.Tab) {
	t, steps := p.t, p.demo.site.steps
	out, err := steps.InviteByForm(t.Context(), store.WholeAccount(p.demo.account), assess.Invitation{Name: "Kim Beispiel", Email: look + "@example.com", Language: "de"}, false, typus.Actor{Name: "operator"})
	if err != nil {
		t.Fatal(err)
	}
	token := out.Token
	take := func(station, path string, ready func()) {
		tab.Open(p.base() + "/t/" + token + path)
		ready()
		tab.Screenshot(filepath.Join(p.raw, look+"-"+station+".png"))
	}
	at := func() {}
	take("start", "?lang=de", at)
	if err := p.begin(token); err != nil {
		t.Fatal(err)
	}
	p.answer(token, 34)
	take("statement", "/frage/35", func() {
		browsertest.Eval[any](tab, "document.getElementById('antwort-3').click()")
		tab.WaitFor("localStorage.length == 0")
	})
	p.answer(token, 38)
	take("break", "/pause/4", at)
	p.answer(token, 97, "ci01", "ci04", "ci07")
	take("open", "/abgabe", at)
	p.answer(token, 97)
	if err := steps.Finish(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	take("end", "/fertig", at)
}

// answer answers the first n statements, and leaves some of them out.
func (p photographer) answer(token string, n int, out ...string) {
	var given []assess.Given
	for i, item := range instrument.Own().Items()[:n] {
		g := assess.Given{ItemID: item.ID, Value: 4 + i%2, ActiveMS: 4000}
		switch {
		case item.Minus:
			g.Value = 3 - i%2
		case item.Expect != 0:
			g.Value = item.Expect
		}
		if slices.Contains(out, item.ID) {
			g.Value, g.Skip = 0, true
		}
		given = append(given, g)
	}
	if _, err := p.demo.site.steps.Answer(p.t.Context(), token, given); err != nil {
		p.t.Fatal(err)
	}
}
