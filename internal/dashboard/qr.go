package dashboard

import (
	"fmt"
	"strings"

	qr "github.com/piglig/go-qr"
)

// qrCode is a QR code as the path of an SVG picture: one unit a module, with the
// quiet zone of four modules around it (ISO/IEC 18004, 6.3.8).
type qrCode struct {
	Size int
	Path string
}

const quietZone = 4

func newQR(text string) (qrCode, error) {
	code, err := qr.EncodeText(text, qr.Medium)
	if err != nil {
		return qrCode{}, fmt.Errorf("dashboard: QR code: %w", err)
	}
	n := code.Size()
	var path strings.Builder
	for y := range n {
		for x := 0; x < n; x++ {
			run := 0
			for x+run < n && code.Module(x+run, y) {
				run++
			}
			if run > 0 {
				fmt.Fprintf(&path, "M%d %dh%dv1h-%dz", x+quietZone, y+quietZone, run, run)
				x += run
			}
		}
	}
	return qrCode{Size: n + 2*quietZone, Path: path.String()}, nil
}
