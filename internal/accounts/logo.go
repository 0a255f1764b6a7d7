package accounts

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"net/http"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // a logo may be one

	"typus"
	"typus/internal/store"
)

// Limits of a logo (our choice).
const (
	MaxLogo     = 200 << 10 // bytes
	MaxLogoSide = 1000      // pixels: decoded, it takes up to 8 MB
	maxScans    = 100       // of a JPEG, which is drawn once over for each; programs write about ten
)

// logoTypes are what a logo may be, by what decodes it.
var logoTypes = map[string]string{"png": "image/png", "jpeg": "image/jpeg", "webp": "image/webp"}

// NewLogo is what becomes of a logo: a picture replaces it, Remove takes it away, and without
// either it stays. A picture has at most 200 KB and 1000 by 1000 pixels, and is a PNG, JPEG or
// WebP. What is kept of it is drawn anew: nothing that a camera or a program has written into
// the file, such as a place.
type NewLogo struct {
	Picture []byte
	Remove  bool
}

func (s *Steps) setLogo(ctx context.Context, tx *store.Tx, accountID int64, l typus.Logo, by typus.Actor) error {
	action := typus.AuditAccountLogoChanged
	if l.Hash == "" {
		action = typus.AuditAccountLogoRemoved
	}
	if err := tx.SetAccountLogo(ctx, accountID, l); err != nil {
		return err
	}
	return s.clerk.Audit(ctx, tx, by, typus.AuditEntry{AccountID: accountID, Action: action})
}

// logo is the picture to be kept, the zero Logo for none, or nil where it stays.
func (n NewLogo) logo(ctx context.Context) (*typus.Logo, error) {
	switch {
	case n.Remove:
		return &typus.Logo{}, nil
	case len(n.Picture) == 0:
		return nil, nil
	}
	l, err := readLogo(ctx, n.Picture)
	return &l, err
}

// decoding lets one picture be decoded at a time, so that many sent at once take no
// more memory than one.
var decoding = make(chan struct{}, 1)

// startOfScan begins a scan of a JPEG; elsewhere it stands in what a camera has added at most.
var startOfScan = []byte{0xff, 0xda}

// whileWanted reads a picture until its context ends, and so ends the decoding.
type whileWanted struct {
	ctx context.Context
	of  io.Reader
}

// Read is that of io.Reader. Its error is that of the context once that has ended.
func (w whileWanted) Read(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.of.Read(p)
}

// readLogo checks the size before it decodes, because a picture of a few bytes may claim to
// be enormous. The type is the format in which it was decoded, never what the sender
// says.
func readLogo(ctx context.Context, picture []byte) (typus.Logo, error) {
	wrong := func(code, msg string) error {
		return &typus.Error{Kind: typus.Invalid, Msg: "logo " + msg, Fields: []typus.Field{{Name: "logo", Code: code, Msg: msg}}}
	}
	if len(picture) > MaxLogo {
		return typus.Logo{}, wrong(typus.CodeTooLong, "may have at most 200 KB")
	}
	config, format, err := image.DecodeConfig(bytes.NewReader(picture))
	if err != nil || logoTypes[format] == "" || logoTypes[format] != http.DetectContentType(picture) {
		return typus.Logo{}, wrong(typus.CodeInvalid, "must be a PNG, JPEG or WebP picture")
	}
	if config.Width > MaxLogoSide || config.Height > MaxLogoSide {
		return typus.Logo{}, wrong(typus.CodeTooLong, "may measure at most 1000 by 1000 pixels")
	}
	if format == "jpeg" && bytes.Count(picture, startOfScan) > maxScans {
		return typus.Logo{}, wrong(typus.CodeInvalid, "is in too many parts; save it anew")
	}
	select {
	case decoding <- struct{}{}:
		defer func() { <-decoding }()
	case <-ctx.Done():
		return typus.Logo{}, typus.Errorf(typus.Unavailable, "too many pictures at once").WithCause(ctx.Err())
	}
	decoded, _, err := image.Decode(whileWanted{ctx, bytes.NewReader(picture)})
	if ctx.Err() != nil {
		return typus.Logo{}, typus.Errorf(typus.Unavailable, "nobody waits for the picture").WithCause(ctx.Err())
	}
	if err != nil {
		return typus.Logo{}, wrong(typus.CodeInvalid, "cannot be decoded")
	}
	photo := format == "jpeg"
	if photo {
		decoded = upright(decoded, orientation(picture))
	}
	return drawnAnew(decoded, photo)
}

// drawnAnew writes a picture again, half as large as often as it takes to keep the bound:
// a WebP grows as a PNG.
func drawnAnew(picture image.Image, photo bool) (typus.Logo, error) {
	for {
		var body bytes.Buffer
		l := typus.Logo{MediaType: "image/png"}
		var err error
		if photo {
			l.MediaType, err = "image/jpeg", jpeg.Encode(&body, picture, &jpeg.Options{Quality: 90})
		} else {
			err = png.Encode(&body, picture)
		}
		if err != nil {
			return l, typus.Errorf(typus.Internal, "the logo cannot be written").WithCause(err)
		}
		size := picture.Bounds().Size()
		if body.Len() > MaxLogo && min(size.X, size.Y) > 1 {
			half := image.NewNRGBA(image.Rect(0, 0, size.X/2, size.Y/2))
			draw.CatmullRom.Scale(half, half.Bounds(), picture, picture.Bounds(), draw.Src, nil)
			picture = half
			continue
		}
		l.Hash, l.Body = hashOf(body.Bytes()), body.Bytes()
		return l, nil
	}
}

// hashOf is by what a picture is known.
func hashOf(picture []byte) string {
	sum := sha256.Sum256(picture)
	return hex.EncodeToString(sum[:])
}
