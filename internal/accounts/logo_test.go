package accounts_test

import (
	"bytes"
	"context"
	"image"
	"image/jpeg"
	"image/png"
	"slices"
	"testing"

	"typus"
	"typus/internal/accounts"
)

// logo changes nothing but the logo.
func logo(w *world, wanted accounts.NewLogo) error {
	return w.Accounts.ChangeLook(w.Ctx, w.Account, wanted, ada, func(*typus.Account) bool { return true })
}

func TestALogoIsAPictureWeCanDecode(t *testing.T) {
	run(t, func(w *world) {
		png := picture(w.T)
		var wide bytes.Buffer
		if err := jpeg.Encode(&wide, image.NewGray(image.Rect(0, 0, 1001, 8)), nil); err != nil {
			w.Fatal(err)
		}
		if err := logo(w, accounts.NewLogo{Picture: png}); err != nil {
			w.Fatal(err)
		}
		a, _ := w.Store.Account(w.Ctx, w.Account)
		if a.LogoType != "image/png" || len(a.LogoHash) != 64 {
			w.Errorf("account %+v", a)
		}
		for name, body := range map[string][]byte{
			"an SVG":         []byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`),
			"HTML":           []byte("<html>"),
			"half a picture": png[:len(png)/2],
			"a GIF":          []byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"),
			"too much":       append(slices.Clone(png), make([]byte, 200<<10)...),
			"a wide one":     wide.Bytes(),
			"a huge claim":   []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x01\x00\x00\x00\x01\x00\x00\x08\x06\x00\x00\x00"),
		} {
			if err := logo(w, accounts.NewLogo{Picture: body}); err == nil || typus.KindOf(err) != typus.Invalid {
				w.Errorf("%s: %v", name, err)
			}
		}
		if err := logo(w, accounts.NewLogo{Remove: true}); err != nil {
			w.Fatal(err)
		}
		if a, _ := w.Store.Account(w.Ctx, w.Account); a.LogoHash != "" {
			w.Errorf("the logo is still there: %+v", a)
		}
		log, _ := w.Store.Audit(w.Ctx, w.Account, 10)
		if len(log) != 2 || log[0].Action != "account.logo_removed" || log[1].Action != "account.logo_changed" {
			w.Errorf("audit log %+v", log)
		}
	})
}

// picture is a small PNG.
func picture(t testing.TB) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := png.Encode(&buf, image.NewNRGBA(image.Rect(0, 0, 40, 20))); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// scanned is a grey progressive JPEG of 8 by 8 pixels with as many scans, each of which costs a
// decoder a whole picture and the sender twelve bytes.
func scanned(scans int) []byte {
	table := func(class byte) []byte {
		return append([]byte{0xff, 0xc4, 0, 20, class, 1}, make([]byte, 16)...)
	}
	p := []byte{0xff, 0xd8, 0xff, 0xc2, 0, 11, 8, 0, 8, 0, 8, 1, 1, 0x11, 0}
	p = append(append(p, table(0x00)...), table(0x10)...)
	p = append(p, 0xff, 0xda, 0, 8, 1, 1, 0, 0, 0, 0x00, 0x7f) // the mean
	p = append(p, 0xff, 0xda, 0, 8, 1, 1, 0, 1, 63, 0x01, 0x7f)
	for range scans - 2 {
		p = append(p, 0xff, 0xda, 0, 8, 1, 1, 0, 1, 63, 0x10, 0x7f) // the same once more, finer
	}
	return append(p, 0xff, 0xd9)
}

// A JPEG may ask for as much work as its sender likes, in few bytes: each scan goes over the
// whole picture.
func TestALogoOfManyScansIsNotDecoded(t *testing.T) {
	run(t, func(w *world) {
		if err := logo(w, accounts.NewLogo{Picture: scanned(100)}); err != nil {
			w.Errorf("100 scans: %v", err)
		}
		w.WantKind(logo(w, accounts.NewLogo{Picture: scanned(101)}), typus.Invalid)
		w.WantKind(logo(w, accounts.NewLogo{Picture: scanned(16_000)}), typus.Invalid)
	})
}

// Who has gone away is not waited for.
func TestNobodyDecodesALogoForWhoHasGone(t *testing.T) {
	run(t, func(w *world) {
		gone, leave := context.WithCancel(w.Ctx)
		leave()
		err := w.Accounts.ChangeLook(gone, w.Account, accounts.NewLogo{Picture: scanned(2)}, ada, func(*typus.Account) bool { return true })
		w.WantKind(err, typus.Unavailable)
	})
}
