package accounts

import (
	"bytes"
	"encoding/binary"
	"image"
)

// tagOrientation says which sides the first row and the first column of a picture are
// (Exif 2.32, 4.6.4, tag 0x0112), as a number from 1, upright, to 8.
const tagOrientation = 0x0112

// orientation is how a camera was held that took a JPEG: 1 where the file does not say.
func orientation(jpeg []byte) int {
	for rest := jpeg[min(2, len(jpeg)):]; len(rest) >= 4 && rest[0] == 0xff && rest[1] != 0xda; { // 0xda: the picture itself
		end := 2 + int(binary.BigEndian.Uint16(rest[2:]))
		if end > len(rest) {
			break
		}
		if tiff, exif := bytes.CutPrefix(rest[4:max(4, end)], []byte("Exif\x00\x00")); exif && rest[1] == 0xe1 {
			return orientationIn(tiff)
		}
		rest = rest[end:]
	}
	return 1
}

// orientationIn reads it from the first directory of a TIFF header.
func orientationIn(tiff []byte) int {
	if len(tiff) < 8 {
		return 1
	}
	var order binary.ByteOrder = binary.LittleEndian
	if tiff[0] == 'M' {
		order = binary.BigEndian
	}
	at := int64(order.Uint32(tiff[4:]))
	if at+2 > int64(len(tiff)) {
		return 1
	}
	for entries := tiff[at+2:]; len(entries) >= 12; entries = entries[12:] {
		if order.Uint16(entries) != tagOrientation {
			continue
		}
		if o := int(order.Uint16(entries[8:])); o >= 1 && o <= 8 {
			return o
		}
		break
	}
	return 1
}

// upright turns a picture as it was seen.
func upright(src image.Image, orientation int) image.Image {
	if orientation == 1 {
		return src
	}
	b := src.Bounds()
	w, h := b.Dx(), b.Dy()
	size := image.Rect(0, 0, w, h)
	if orientation > 4 {
		size = image.Rect(0, 0, h, w)
	}
	turned := image.NewNRGBA(size)
	for y := range size.Dy() {
		for x := range size.Dx() {
			sx, sy := stored(orientation, x, y, w, h)
			turned.Set(x, y, src.At(b.Min.X+sx, b.Min.Y+sy))
		}
	}
	return turned
}

// stored is where a point of the upright picture lies in the file's, of w by h.
func stored(orientation, x, y, w, h int) (int, int) {
	switch orientation {
	case 2:
		return w - 1 - x, y
	case 3:
		return w - 1 - x, h - 1 - y
	case 4:
		return x, h - 1 - y
	case 5:
		return y, x
	case 6:
		return y, h - 1 - x
	case 7:
		return w - 1 - y, h - 1 - x
	case 8:
		return w - 1 - y, x
	}
	return x, y
}
