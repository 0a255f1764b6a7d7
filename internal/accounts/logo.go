package accounts

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"image"
	_ "image/jpeg" // a logo may be one
	_ "image/png"  // a logo may be one
	"net/http"

	_ "golang.org/x/image/webp" // a logo may be one

	"typus"
	"typus/internal/store"
)

// Limits of a logo (our choice).
const (
	MaxLogo     = 200 << 10 // bytes
	maxLogoSide = 1000      // pixels: decoded, it takes up to 8 MB
)

// logoTypes are what a logo may be, by what decodes it.
var logoTypes = map[string]string{"png": "image/png", "jpeg": "image/jpeg", "webp": "image/webp"}

// SetLogo replaces the logo; an empty picture removes it. Invalid
// above 200 KB, and unless it is a PNG, JPEG or WebP that can be decoded and measures
// at most 1000 by 1000 pixels. NotFound for the account. Unavailable: ctx has ended.
//
// Who may: the face lets admins only.
func (s *Steps) SetLogo(ctx context.Context, accountID int64, picture []byte, by typus.Actor) error {
	var (
		l      typus.Logo
		action = typus.AuditAccountLogoRemoved
	)
	if len(picture) > 0 {
		var err error
		if l, err = logo(ctx, picture); err != nil {
			return err
		}
		action = typus.AuditAccountLogoChanged
	}
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		was, err := tx.LockAccount(ctx, accountID)
		if err != nil || was.LogoHash == l.Hash {
			return err
		}
		if err := tx.SetAccountLogo(ctx, accountID, l); err != nil {
			return err
		}
		return s.clerk.Audit(ctx, tx, by, typus.AuditEntry{AccountID: accountID, Action: action})
	})
}

// decoding lets one picture be decoded at a time, so that many sent at once take no
// more memory than one.
var decoding = make(chan struct{}, 1)

// logo checks the size before it decodes, because a picture of a few bytes may claim to
// be enormous. The type is the format in which it was decoded, never what the sender
// says.
func logo(ctx context.Context, picture []byte) (typus.Logo, error) {
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
	if config.Width > maxLogoSide || config.Height > maxLogoSide {
		return typus.Logo{}, wrong(typus.CodeTooLong, "may measure at most 1000 by 1000 pixels")
	}
	select {
	case decoding <- struct{}{}:
		defer func() { <-decoding }()
	case <-ctx.Done():
		return typus.Logo{}, typus.Errorf(typus.Unavailable, "too many pictures at once").WithCause(ctx.Err())
	}
	if _, _, err := image.Decode(bytes.NewReader(picture)); err != nil {
		return typus.Logo{}, wrong(typus.CodeInvalid, "cannot be decoded")
	}
	sum := sha256.Sum256(picture)
	return typus.Logo{MediaType: logoTypes[format], Hash: hex.EncodeToString(sum[:]), Body: picture}, nil
}
