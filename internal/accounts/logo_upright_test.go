package accounts

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/jpeg"
	"testing"
)

// The sides of the seen picture that the first row and the first column of the file are, by
// orientation, as the standard has them (Exif 2.32, 4.6.4, table 6).
var sides = [9][2]string{
	1: {"top", "left"}, 2: {"top", "right"}, 3: {"bottom", "right"}, 4: {"bottom", "left"},
	5: {"left", "top"}, 6: {"right", "top"}, 7: {"right", "bottom"}, 8: {"left", "bottom"},
}

var opposite = map[string]string{"top": "bottom", "bottom": "top", "left": "right", "right": "left"}

func TestAPhotographIsKeptAsItWasSeen(t *testing.T) {
	for o := 1; o <= 8; o++ {
		for _, order := range []binary.AppendByteOrder{binary.BigEndian, binary.LittleEndian} {
			l, err := readLogo(t.Context(), photograph(t, o, order))
			if err != nil {
				t.Fatal(err)
			}
			kept, err := jpeg.Decode(bytes.NewReader(l.Body))
			if err != nil {
				t.Fatal(err)
			}
			if tall := kept.Bounds().Dy() > kept.Bounds().Dx(); tall != (o > 4) || kept.Bounds().Dx()+kept.Bounds().Dy() != 48 {
				t.Errorf("orientation %d measures %v", o, kept.Bounds())
			}
			row, column := sides[o][0], sides[o][1]
			for _, corner := range []struct {
				row, column string
				want        uint8
			}{{row, column, 250}, {row, opposite[column], 170}, {opposite[row], column, 90}, {opposite[row], opposite[column], 10}} {
				if got := at(kept, corner.row, corner.column); got < corner.want-10 || got > corner.want+5 {
					t.Errorf("orientation %d, %T: %s %s has %d, want %d", o, order, corner.row, corner.column, got, corner.want)
				}
			}
			if bytes.Contains(l.Body, []byte("Exif")) {
				t.Errorf("orientation %d: what the camera wrote is still there", o)
			}
		}
	}
}

func TestAnOrientationThatIsDamagedTurnsNothing(t *testing.T) {
	whole := photograph(t, 6, binary.BigEndian)
	for n := range 40 {
		if o := orientation(whole[:n]); o != 1 && n < 2+4+6+8+2+12 {
			t.Errorf("the first %d bytes say %d", n, o)
		}
	}
	for _, o := range []int{0, 9, 65535} {
		if got := orientation(photograph(t, o, binary.LittleEndian)); got != 1 {
			t.Errorf("%d counts as %d", o, got)
		}
	}
	far := []byte("MM\x00\x2a\xff\xff\xff\xff") // the directory lies nowhere
	if got := orientationIn(far); got != 1 {
		t.Errorf("a directory that is not there says %d", got)
	}
}

// photograph is a JPEG of 32 by 16 with another grey in each quarter, and an orientation.
func photograph(t *testing.T, orientation int, order binary.AppendByteOrder) []byte {
	t.Helper()
	picture := image.NewGray(image.Rect(0, 0, 32, 16))
	for y := range 16 {
		for x := range 32 {
			picture.SetGray(x, y, color.Gray{[]uint8{250, 170, 90, 10}[y/8*2+x/16]})
		}
	}
	var buf bytes.Buffer
	if err := jpeg.Encode(&buf, picture, &jpeg.Options{Quality: 100}); err != nil {
		t.Fatal(err)
	}
	header := []byte("MM")
	if order.AppendUint16(nil, 1)[0] == 1 {
		header = []byte("II")
	}
	tiff := order.AppendUint16(header, 42)
	tiff = order.AppendUint32(tiff, 8)
	tiff = order.AppendUint16(tiff, 1)
	tiff = order.AppendUint16(tiff, tagOrientation)
	tiff = order.AppendUint16(tiff, 3)
	tiff = order.AppendUint32(tiff, 1)
	tiff = order.AppendUint16(tiff, uint16(orientation))
	tiff = append(tiff, 0, 0, 0, 0, 0, 0)
	body := append([]byte("Exif\x00\x00"), tiff...)
	file := []byte{0xff, 0xd8, 0xff, 0xe1}
	file = binary.BigEndian.AppendUint16(file, uint16(len(body)+2))
	return append(append(file, body...), buf.Bytes()[2:]...)
}

// at is the grey of a corner that two sides name.
func at(picture image.Image, one, other string) uint8 {
	b := picture.Bounds()
	x, y := b.Min.X+2, b.Min.Y+2
	if one == "right" || other == "right" {
		x = b.Max.X - 3
	}
	if one == "bottom" || other == "bottom" {
		y = b.Max.Y - 3
	}
	grey, _ := color.GrayModel.Convert(picture.At(x, y)).(color.Gray)
	return grey.Y
}
