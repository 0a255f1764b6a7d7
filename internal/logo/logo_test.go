package logo_test

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"testing"

	"typus"
	"typus/internal/colour"
	"typus/internal/logo"
	"typus/internal/logo/logotest"
)

// A logo that is hard to pack must not make a letter large.
func TestAPictureIsSmall(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	noise := image.NewNRGBA(image.Rect(0, 0, 1000, 280))
	for i := range noise.Pix {
		noise.Pix[i] = byte(random.Uint32())
	}
	var photo, see bytes.Buffer
	if err := jpeg.Encode(&photo, noise, nil); err != nil {
		t.Fatal(err)
	}
	if err := png.Encode(&see, noise); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		logo          typus.Logo
		width, height int
		inset         int
		kind          string
	}{
		"of one colour":  {logotest.Mark(t, 1000, 1000, logotest.Red, true), 56 + 16, 56 + 16, 8, "image/png"},
		"wide":           {logotest.Mark(t, 1000, 10, logotest.Red, false), 200, 2, 0, "image/png"},
		"a line":         {logotest.Mark(t, 1000, 1, logotest.Red, false), 200, 1, 0, "image/png"},
		"small":          {logotest.Mark(t, 20, 10, logotest.Red, false), 20, 10, 0, "image/png"},
		"one pixel":      {logotest.Mark(t, 1, 1, logotest.Red, false), 1, 1, 0, "image/png"},
		"noise":          {typus.Logo{Body: see.Bytes()}, 200 + 16, 56 + 16, 8, "image/jpeg"},
		"a photo, noise": {typus.Logo{Body: photo.Bytes()}, 200, 56, 0, "image/jpeg"},
	} {
		l, err := logo.Draw(tc.logo)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if l.Width != tc.width || l.Height != tc.height || l.Inset != tc.inset || l.MediaType != tc.kind || len(l.Body) > 32<<10 {
			t.Errorf("%s: %d by %d, %d inside, %s of %d bytes", name, l.Width, l.Height, l.Inset, l.MediaType, len(l.Body))
		}
		config, _, err := image.DecodeConfig(bytes.NewReader(l.Body))
		if err != nil || config.Width < tc.width || config.Width > 2*tc.width || config.Height > 2*tc.height {
			t.Errorf("%s: the picture is %+v, %v", name, config, err)
		}
	}
	if _, err := logo.Draw(typus.Logo{Body: []byte("<svg/>")}); !typus.Is(err, typus.Internal) {
		t.Errorf("%v", err)
	}
}

// What lets through what is behind it would be lost where a mail program makes that dark, or
// light. So a logo brings its ground.
func TestALogoStandsOnAGroundOnWhichItIsSeen(t *testing.T) {
	black, white := color.NRGBA{A: 0xff}, color.NRGBA{0xff, 0xff, 0xff, 0xff}
	yellow := color.NRGBA{0xff, 0xd1, 0, 0xff}
	for name, tc := range map[string]struct {
		logo typus.Logo
		want string
	}{
		"black":              {logotest.Mark(t, 100, 40, black, true), colour.Light.Surface},
		"yellow":             {logotest.Mark(t, 100, 40, yellow, true), colour.Light.Surface},
		"white":              {logotest.Mark(t, 100, 40, white, true), colour.Dark.Paper},
		"white on its own":   {logotest.Mark(t, 100, 40, white, false), ""},
		"nothing to be seen": {logotest.Mark(t, 1, 1, logotest.Red, true), colour.Light.Surface},
	} {
		l, err := logo.Draw(tc.logo)
		if err != nil {
			t.Fatal(err)
		}
		if l.Ground != tc.want {
			t.Errorf("%s stands on %q, want %q", name, l.Ground, tc.want)
		}
		picture, _, err := image.Decode(bytes.NewReader(l.Body))
		if err != nil {
			t.Fatal(err)
		}
		if o, says := picture.(interface{ Opaque() bool }); !says || !o.Opaque() {
			t.Errorf("%s lets through what is behind it", name)
		}
	}
}
