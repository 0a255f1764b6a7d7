package mail

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // a logo may be one

	"typus"
	"typus/internal/colour"
)

// Logo is a logo as it stands at the top of a letter: small, and on a ground of its own, so
// that it is legible whatever a mail program makes of the colours around it.
type Logo struct {
	MediaType     string // "image/png" or "image/jpeg"
	Body          []byte
	Width, Height int    // as it is shown; the picture has up to twice as many pixels
	Ground        string // "#rrggbb" beneath a logo that lets through what is behind it, "" for another
	Inset         int    // how far the ground reaches beyond the logo on each side, as it is shown
}

// Bounds of a logo in a letter (our choice).
const (
	logoWidth, logoHeight = 200, 56  // as it is shown, without the ground around it
	logoInset             = 8        // of a ground
	logoBytes             = 32 << 10 // each letter carries them
)

// The grounds of a logo, and the contrast below which a colour is lost on one.
var (
	lightGround, darkGround = colour.Light.Surface, colour.Dark.Paper
	lostBelow               = 1.25
)

// NewLogo draws a logo for letters: at most 200 by 56 pixels large, in twice as many pixels
// where it has them, and of at most 32 KB, for which one that is hard to pack becomes a JPEG.
// Internal where it is no picture.
func NewLogo(l typus.Logo) (*Logo, error) {
	picture, _, err := image.Decode(bytes.NewReader(l.Body))
	if err != nil {
		return nil, typus.Errorf(typus.Internal, "a logo cannot be decoded").WithCause(err)
	}
	size := picture.Bounds().Size()
	shown := within(size, logoWidth, logoHeight)
	mark := image.NewRGBA(image.Rect(0, 0, min(size.X, 2*shown.X), min(size.Y, 2*shown.Y)))
	draw.CatmullRom.Scale(mark, mark.Bounds(), picture, picture.Bounds(), draw.Src, nil)
	out := &Logo{Width: shown.X, Height: shown.Y}
	inset := 0
	if o, says := picture.(interface{ Opaque() bool }); !says || !o.Opaque() {
		out.Ground, out.Inset = groundOf(mark), logoInset
		inset = logoInset * mark.Bounds().Dx() / shown.X
	}
	sheet := image.NewRGBA(image.Rect(0, 0, mark.Bounds().Dx()+2*inset, mark.Bounds().Dy()+2*inset))
	ground := image.NewUniform(rgb(lightGround))
	if out.Ground != "" {
		ground = image.NewUniform(rgb(out.Ground))
	}
	draw.Draw(sheet, sheet.Bounds(), ground, image.Point{}, draw.Src)
	draw.Draw(sheet, mark.Bounds().Add(image.Pt(inset, inset)), mark, image.Point{}, draw.Over)
	out.Width, out.Height = shown.X+2*out.Inset, shown.Y+2*out.Inset
	return out, out.encode(sheet)
}

// within is a size made as small as the bounds ask for, at least one pixel on each side.
func within(size image.Point, width, height int) image.Point {
	shrink := max(1, float64(size.X)/float64(width), float64(size.Y)/float64(height))
	return image.Pt(max(1, int(float64(size.X)/shrink)), max(1, int(float64(size.Y)/shrink)))
}

// groundOf is the ground on which less of a logo is lost: the light one for most, the dark one
// for white lettering. One pixel of four is looked at.
func groundOf(mark *image.RGBA) string {
	var lostOnLight, lostOnDark int
	for y := 0; y < mark.Rect.Dy(); y += 2 {
		for x := 0; x < mark.Rect.Dx(); x += 2 {
			c := color.NRGBAModel.Convert(mark.RGBAAt(x, y)).(color.NRGBA)
			if c.A == 0 {
				continue
			}
			drawn := fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)
			if colour.Contrast(drawn, lightGround) < lostBelow {
				lostOnLight += int(c.A)
			}
			if colour.Contrast(drawn, darkGround) < lostBelow {
				lostOnDark += int(c.A)
			}
		}
	}
	if lostOnDark < lostOnLight {
		return darkGround
	}
	return lightGround
}

// rgb is a colour "#rrggbb" of ours.
func rgb(hex string) color.RGBA {
	c := color.RGBA{A: 255}
	_, _ = fmt.Sscanf(hex, "#%02x%02x%02x", &c.R, &c.G, &c.B)
	return c
}

// encode writes the picture: as a PNG, or where that is too large as a JPEG, the coarser the
// longer it takes.
func (l *Logo) encode(picture image.Image) error {
	var body bytes.Buffer
	l.MediaType = "image/png"
	err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&body, picture)
	for quality := 90; err == nil && body.Len() > logoBytes && quality > 0; quality -= 20 {
		body.Reset()
		l.MediaType, err = "image/jpeg", jpeg.Encode(&body, picture, &jpeg.Options{Quality: quality})
	}
	l.Body = body.Bytes()
	if err != nil {
		return typus.Errorf(typus.Internal, "a logo cannot be encoded").WithCause(err)
	}
	return nil
}

// file is the name of the part of a letter that holds the logo.
func (l *Logo) file() string {
	if l.MediaType == "image/jpeg" {
		return "logo.jpg"
	}
	return "logo.png"
}
