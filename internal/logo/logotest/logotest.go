// Package logotest draws logos for tests.
package logotest

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"

	"typus"
)

// Red is the colour of a mark.
var Red = color.NRGBA{R: 0xe2, A: 0xff, B: 0x1a}

// Mark is a logo of a size in one colour, in the middle of what lets through what is behind it
// where see is true.
func Mark(t *testing.T, width, height int, c color.Color, see bool) typus.Logo {
	t.Helper()
	picture := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			if inside := x >= width/4 && x < width*3/4 && y >= height/4 && y < height*3/4; inside || !see {
				picture.Set(x, y, c)
			}
		}
	}
	var body bytes.Buffer
	if err := png.Encode(&body, picture); err != nil {
		t.Fatal(err)
	}
	return typus.Logo{MediaType: "image/png", Hash: "one", Body: body.Bytes()}
}
