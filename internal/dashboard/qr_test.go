package dashboard

import (
	"image"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"

	"typus/internal/assess"
	"typus/internal/auth"
	"typus/internal/page/browsertest"
)

// readQR is what a phone reads from a picture; it wants dark modules on light ground.
func readQR(picture image.Image) (string, error) {
	bitmap, err := gozxing.NewBinaryBitmapFromImage(picture)
	if err != nil {
		return "", err
	}
	read, err := qrcode.NewQRCodeReader().Decode(bitmap, nil)
	if err != nil {
		return "", err
	}
	return read.GetText(), nil
}

// Every page that shows a QR code shows it so large that a phone reads it from the
// screen, in the dark too, on a phone and on a desk; and it says where the page says
// that it leads. With TYPUS_SHOTS set to a directory a picture of each is left there.
func TestEveryQRCodeIsReadFromTheScreen(t *testing.T) {
	w := newWorld(t)
	c := w.as(owner)
	out := w.invitedBy(w.Account, assess.Invitation{Name: "Kim Muster", Email: "kim@example.com"})
	c.post(totpPath, fields("password", goodPassword)).want(t, 303)
	seed, err := w.Access.PendingTOTP(w.Ctx, c.user)
	w.Must(err)
	pages := map[string]struct{ path, link string }{
		"totp.html":      {totpPath, auth.TOTPLink(seed, "Typus", c.user.Email)},
		"invited.html":   {"/dashboard/einladen/" + id(out), w.server.URL + "/t/" + out.Token},
		"candidate.html": {"/dashboard/kandidat/" + id(out), w.server.URL + "/t/" + out.Token},
	}
	everyQRPageIsAmong(t, func(name string) bool { return pages[name].path != "" })

	tab := browsertest.New(t).Tab(t, browsertest.Look{})
	tab.Cookie(w.server.URL, w.face.sessionCookie(), c.cookie(w.face.sessionCookie()))
	for name, page := range pages {
		for _, look := range []browsertest.Look{{Width: 320, Height: 640}, {Width: 320, Height: 640, Dark: true}, {Width: 1280}, {Width: 1280, Dark: true}} {
			tab.Turn(look)
			tab.Open(w.server.URL + page.path)
			side := browsertest.Eval[float64](tab, `Math.min(...[...document.querySelectorAll(".qr")].flatMap(e => [e.getBoundingClientRect().width, e.getBoundingClientRect().height]))`)
			if side < 160 {
				t.Errorf("%s at %s: the code is %.0f px wide", name, look, side)
				continue
			}
			picture := tab.Picture(".qr")
			if read, err := readQR(picture); err != nil || read != page.link {
				t.Errorf("%s at %s: read %q, %v; want %q", name, look, read, err, page.link)
			}
			keepPicture(t, "qr-"+strings.TrimSuffix(name, ".html")+"-"+look.String(), picture)
		}
	}
}

// everyQRPageIsAmong fails for a template with a QR code that nobody reads.
func everyQRPageIsAmong(t *testing.T, known func(name string) bool) {
	t.Helper()
	names, err := fs.Glob(files, "templates/*.html")
	if err != nil {
		t.Fatal(err)
	}
	drawn := regexp.MustCompile(`\.QR\b`)
	for _, name := range names {
		source, err := fs.ReadFile(files, name)
		if err != nil {
			t.Fatal(err)
		}
		if drawn.Match(source) && !known(filepath.Base(name)) {
			t.Errorf("%s draws a QR code that no test reads", name)
		}
	}
}

func keepPicture(t *testing.T, name string, picture image.Image) {
	t.Helper()
	dir := os.Getenv("TYPUS_SHOTS")
	if dir == "" {
		return
	}
	file, err := os.Create(filepath.Join(dir, name+".png"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := png.Encode(file, picture); err != nil {
		t.Fatal(err)
	}
}
