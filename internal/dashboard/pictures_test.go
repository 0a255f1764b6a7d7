//go:build pictures

package dashboard

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/page/browsertest"
	"typus/internal/store"
)

// TestThePicturesOfReports takes anew how six of the known results are read: on a desk, on
// a phone, in the dark, on paper, and as a file.
//
//	TYPUS_PICTURES=$PWD/docs/reports go test -tags pictures ./internal/dashboard -run TestThePicturesOfReports
func TestThePicturesOfReports(t *testing.T) {
	dir := os.Getenv("TYPUS_PICTURES")
	if dir == "" {
		t.Fatal("TYPUS_PICTURES says where they go")
	}
	w := newWorld(t)
	german, english := w.as(owner), w.as(owner)
	w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error { return tx.SetPreferences(w.Ctx, w.Account, english.user.ID, "en", "") }))
	tab := browsertest.New(t).Tab(t, browsertest.Look{})
	views := []struct {
		name string
		who  *client
		look browsertest.Look
	}{
		{"desk-de", german, browsertest.Look{Width: 1280}},
		{"phone-en", english, browsertest.Look{Width: 390, Height: 844}},
		{"dark-de", german, browsertest.Look{Width: 1280, Dark: true}},
		{"print-en", english, browsertest.Look{Width: 794, Print: true}},
	}
	known, err := knownVectors()
	w.Must(err)
	for _, v := range known {
		if pictured[v.short()] == "" {
			continue
		}
		path := "/dashboard/kandidat/" + id(w.took(v))
		for _, view := range views {
			tab.Cookie(w.server.URL, w.face.sessionCookie(), view.who.cookie(w.face.sessionCookie()))
			tab.Turn(view.look)
			tab.Open(w.server.URL + path)
			raw := filepath.Join(t.TempDir(), "page.png")
			tab.Screenshot(raw)
			writeSmall(t, raw, filepath.Join(dir, v.short()+"-"+view.name+".png"))
		}
		file := german.get(path+"/bericht.pdf").want(t, http.StatusOK)
		w.Must(os.WriteFile(filepath.Join(dir, v.short()+"-de.pdf"), []byte(file.body), 0o600))
	}
}

// pictured are the names of the made-up people who gave the known answers that
// docs/reports shows.
var pictured = map[string]string{
	"G17": "Dana Deutlich", "G27": "Levi Lose", "G95": "Hanno Hunter", "G93": "Nele Nirgends", "G31": "Eike Eilig", "G36": "Toni Tief",
}

// took is a candidate who has finished the test with the answers of a vector.
func (w *world) took(v knownVector) assess.Invited {
	w.Helper()
	out := w.invitedBy(w.Account, assess.Invitation{Name: pictured[v.short()], Email: "kim@example.com", RoleProfile: v.Role})
	w.Must(w.Assess.Begin(w.Ctx, out.Token, typus.Notice{Version: "v1", Language: "de", At: w.Now()}, "Hinweise"))
	var given []assess.Given
	for i, it := range w.face.Instrument.Items() {
		g := assess.Given{ItemID: it.ID, ActiveMS: v.RTMS[i]}
		if g.Skip = v.Answers[i] == nil; !g.Skip {
			g.Value = *v.Answers[i]
		}
		given = append(given, g)
	}
	_, err := w.Assess.Answer(w.Ctx, out.Token, given)
	w.Must(err)
	w.Later(12 * time.Minute)
	w.Must(w.Assess.Finish(w.Ctx, out.Token))
	return out
}

// writeSmall writes a picture with the 256 colours that it has most of, each of the others
// as the nearest.
func writeSmall(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	count := map[color.RGBA]int{}
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(whole.At(x, y)).(color.RGBA) }
	b := whole.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			count[at(x, y)]++
		}
	}
	var colours []color.RGBA
	for c := range count {
		colours = append(colours, c)
	}
	slices.SortFunc(colours, func(a, b color.RGBA) int {
		if n := count[b] - count[a]; n != 0 {
			return n
		}
		return (int(a.R)<<16 | int(a.G)<<8 | int(a.B)) - (int(b.R)<<16 | int(b.G)<<8 | int(b.B))
	})
	var palette color.Palette
	for _, c := range colours[:min(256, len(colours))] {
		palette = append(palette, c)
	}
	small, nearest := image.NewPaletted(b, palette), map[color.RGBA]uint8{}
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			c := at(x, y)
			if _, known := nearest[c]; !known {
				nearest[c] = uint8(palette.Index(c))
			}
			small.SetColorIndex(x, y, nearest[c])
		}
	}
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, small); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}
