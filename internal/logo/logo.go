// Package logo draws the logo of an account small, on a ground on which it is seen.
package logo

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"sync"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // a logo may be one

	"typus"
	"typus/internal/colour"
)

// Picture is a logo as it stands at the top of a letter: small, and on a ground of its own, so
// that it is legible whatever a mail program makes of the colours around it.
type Picture struct {
	MediaType     string // "image/png" or "image/jpeg"
	Body          []byte
	Width, Height int    // as it is shown; the picture has up to twice as many pixels
	Ground        string // "#rrggbb" beneath a logo that lets through what is behind it, "" for another
	Inset         int    // how far the ground reaches beyond the logo on each side, as it is shown
}

// Bounds of a picture (our choice).
const (
	maxWidth, maxHeight = 200, 56  // as it is shown, without the ground around it
	inset               = 8        // of a ground
	maxBytes            = 32 << 10 // each letter carries them
)

// The grounds of a picture, and the contrast below which a colour is lost on one.
var (
	lightGround, darkGround = colour.Light.Surface, colour.Dark.Paper
	lostBelow               = 1.25
)

// Draw draws a logo: at most 200 by 56 pixels large, in twice as many pixels
// where it has them, and of at most 32 KB, for which one that is hard to pack becomes a JPEG.
// Internal where it is no picture.
func Draw(l typus.Logo) (*Picture, error) {
	picture, _, err := image.Decode(bytes.NewReader(l.Body))
	if err != nil {
		return nil, typus.Errorf(typus.Internal, "a logo cannot be decoded").WithCause(err)
	}
	size := picture.Bounds().Size()
	shown := within(size, maxWidth, maxHeight)
	mark := image.NewRGBA(image.Rect(0, 0, min(size.X, 2*shown.X), min(size.Y, 2*shown.Y)))
	draw.CatmullRom.Scale(mark, mark.Bounds(), picture, picture.Bounds(), draw.Src, nil)
	out := &Picture{Width: shown.X, Height: shown.Y}
	around := 0
	if o, says := picture.(interface{ Opaque() bool }); !says || !o.Opaque() {
		out.Ground, out.Inset = groundOf(mark), inset
		around = inset * mark.Bounds().Dx() / shown.X
	}
	sheet := image.NewRGBA(image.Rect(0, 0, mark.Bounds().Dx()+2*around, mark.Bounds().Dy()+2*around))
	ground := image.NewUniform(rgb(lightGround))
	if out.Ground != "" {
		ground = image.NewUniform(rgb(out.Ground))
	}
	draw.Draw(sheet, sheet.Bounds(), ground, image.Point{}, draw.Src)
	draw.Draw(sheet, mark.Bounds().Add(image.Pt(around, around)), mark, image.Point{}, draw.Over)
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
func (p *Picture) encode(picture image.Image) error {
	var body bytes.Buffer
	p.MediaType = "image/png"
	err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&body, picture)
	for quality := 90; err == nil && body.Len() > maxBytes && quality > 0; quality -= 20 {
		body.Reset()
		p.MediaType, err = "image/jpeg", jpeg.Encode(&body, picture, &jpeg.Options{Quality: quality})
	}
	p.Body = body.Bytes()
	if err != nil {
		return typus.Errorf(typus.Internal, "a logo cannot be encoded").WithCause(err)
	}
	return nil
}

// File is a name for it.
func (p *Picture) File() string {
	if p.MediaType == "image/jpeg" {
		return "logo.jpg"
	}
	return "logo.png"
}

// mostKept is how many pictures are remembered, of up to 32 KB each.
const mostKept = 64

// Drawer draws logos and remembers the pictures. The zero Drawer is ready, and may be used
// concurrently: it draws one at a time.
type Drawer struct {
	mu   sync.Mutex
	kept map[string]*Picture // by the logo's hash; nil for one that cannot be drawn
}

// Draw returns the picture of the logo with a hash, which is read only to be drawn; nil where
// it cannot be drawn. The error is that of read, or the first time that of Draw.
func (d *Drawer) Draw(hash string, read func() (typus.Logo, error)) (*Picture, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if p, known := d.kept[hash]; known {
		return p, nil
	}
	l, err := read()
	if err != nil {
		return nil, err
	}
	p, err := Draw(l)
	if d.kept == nil || len(d.kept) >= mostKept {
		d.kept = map[string]*Picture{}
	}
	d.kept[hash] = p
	return p, err
}
