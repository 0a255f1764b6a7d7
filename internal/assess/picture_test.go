package assess_test

import (
	"bytes"
	"image"
	"image/png"
	"testing"
)

// picture is a small PNG.
func picture(t testing.TB) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := png.Encode(&buf, image.NewNRGBA(image.Rect(0, 0, 40, 20))); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}
