package assess

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	_ "image/jpeg" // a logo may be one
	_ "image/png"  // a logo may be one
	"net/http"
	"regexp"
	"strings"
	"time"

	_ "golang.org/x/image/webp" // a logo may be one

	"typus"
	"typus/internal/clerk"
	"typus/internal/store"
)

// Limits of what an account may set (our choice).
const (
	maxWelcome  = 1000      // code points
	maxKeepDays = 3650      // ten years
	maxNotify   = 10        // addresses
	MaxLogo     = 200 << 10 // bytes
	maxLogoSide = 1000      // pixels: decoded, it takes up to 8 MB
)

var accentForm = regexp.MustCompile(`^#[0-9a-f]{6}$`)

// ChangeAccount lets change set what the people of an account may set, checks
// it and writes what has changed into the audit log; nothing is written when
// nothing has. Plan, credits, logo and the consent to sorting stay as they are.
// NotFound. Invalid names every wrong field.
func (s *Steps) ChangeAccount(ctx context.Context, accountID int64, by typus.Actor, change func(a *typus.Account)) error {
	return s.OperateAccount(ctx, accountID, by, func(a *typus.Account) {
		plan := a.Plan
		change(a)
		a.Plan = plan
	})
}

// OperateAccount is ChangeAccount for whoever runs the server: change sets the plan,
// too.
func (s *Steps) OperateAccount(ctx context.Context, accountID int64, by typus.Actor, change func(a *typus.Account)) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		was, err := tx.LockAccount(ctx, accountID)
		if err != nil {
			return err
		}
		now := was
		change(&now)
		now = tidied(now)
		if err := s.checkSettings(now); err != nil {
			return err
		}
		changes := changed(was, now)
		if len(changes) == 0 {
			return nil
		}
		if now.KeepFinishedDays != was.KeepFinishedDays || now.KeepUnfinishedDays != was.KeepUnfinishedDays {
			// What was found and said of the retention before was about another one.
			now.ErasureWaits, now.ErasureWordAt = 0, time.Time{}
			if now.KeepSetAt, err = tx.Now(ctx); err != nil {
				return err
			}
		}
		if err := tx.SetAccount(ctx, now); err != nil {
			return err
		}
		if was.Plan != now.Plan {
			if err := tx.SetAccountPlan(ctx, accountID, now.Plan); err != nil {
				return err
			}
		}
		return s.clerk.Audit(ctx, tx, by, typus.AuditEntry{AccountID: accountID, Action: "account.changed", Detail: strings.Join(changes, ", ")})
	})
}

// tidied is an account as it is stored: no space around a text, one line end.
func tidied(a typus.Account) typus.Account {
	a.Name, a.ContactEmail, a.Accent = strings.TrimSpace(a.Name), strings.TrimSpace(a.ContactEmail), strings.ToLower(strings.TrimSpace(a.Accent))
	a.WelcomeDE, a.WelcomeEN = paragraphs(a.WelcomeDE), paragraphs(a.WelcomeEN)
	a.NotifyEmails = strings.Join(strings.FieldsFunc(a.NotifyEmails, func(r rune) bool { return strings.ContainsRune(" \t\r\n,;", r) }), "\n")
	return a
}

func paragraphs(text string) string {
	return strings.TrimSpace(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"))
}

func (s *Steps) checkSettings(a typus.Account) error {
	var f clerk.Faults
	f.Text("name", a.Name)
	f.When(!a.Plan.Valid(), "plan", "must be starter or business")
	f.Language(a.Language, s.instrument)
	f.Role(a.RoleProfile, s.instrument)
	f.When(a.InviteDays < 1 || a.InviteDays > 365, "invite_days", "must be 1 to 365")
	if a.ContactEmail != "" {
		f.Email("contact_email", a.ContactEmail)
	}
	f.When(a.Accent != "" && !accentForm.MatchString(a.Accent), "accent", "must be a colour such as #0f5c4d")
	f.When(a.Reminders < 0 || a.Reminders > 2, "reminders", "must be 0 to 2")
	f.When(a.KeepFinishedDays < 0 || a.KeepFinishedDays > maxKeepDays, "keep_finished_days", "must be 0 to 3650")
	f.When(a.KeepUnfinishedDays < 0 || a.KeepUnfinishedDays > maxKeepDays, "keep_unfinished_days", "must be 0 to 3650")
	welcome(&f, "welcome_de", a.WelcomeDE)
	welcome(&f, "welcome_en", a.WelcomeEN)
	f.When(!a.Notify.Valid(), "notify", "must be now, daily or off")
	notifyEmails(&f, a.NotifyEmails)
	return f.Err()
}

// welcome wants a text of several lines, or none.
func welcome(f *clerk.Faults, field, text string) {
	f.AtMost(field, strings.ReplaceAll(text, "\n", " "), maxWelcome)
}

func notifyEmails(f *clerk.Faults, lines string) {
	addresses := strings.Fields(lines)
	if len(addresses) > maxNotify {
		f.Add("notify_emails", typus.CodeTooLong, "may hold at most 10 addresses")
		return
	}
	for _, a := range addresses {
		if _, fault := typus.Mailbox(a); fault.Code != "" {
			f.Add("notify_emails", typus.CodeInvalid, fault.Msg)
			return
		}
	}
}

// changed says what differs, for the audit log. Longer texts and addresses are
// named without what they say: the log is never erased.
func changed(was, now typus.Account) []string {
	var list []string
	set := func(name string, was, now any) {
		if was != now {
			list = append(list, fmt.Sprintf("%s %v → %v", name, was, now))
		}
	}
	touched := func(name, was, now string) {
		if was != now {
			list = append(list, name)
		}
	}
	set("name", was.Name, now.Name)
	set("plan", was.Plan, now.Plan)
	touched("contact_email", was.ContactEmail, now.ContactEmail)
	set("language", was.Language, now.Language)
	set("role_profile", was.RoleProfile, now.RoleProfile)
	set("invite_days", was.InviteDays, now.InviteDays)
	set("reminders", was.Reminders, now.Reminders)
	set("keep_finished_days", was.KeepFinishedDays, now.KeepFinishedDays)
	set("keep_unfinished_days", was.KeepUnfinishedDays, now.KeepUnfinishedDays)
	set("accent", cmp.Or(was.Accent, "none"), cmp.Or(now.Accent, "none"))
	touched("welcome_de", was.WelcomeDE, now.WelcomeDE)
	touched("welcome_en", was.WelcomeEN, now.WelcomeEN)
	set("notify", was.Notify, now.Notify)
	touched("notify_emails", was.NotifyEmails, now.NotifyEmails)
	return list
}

// logoTypes are what a logo may be, by what decodes it.
var logoTypes = map[string]string{"png": "image/png", "jpeg": "image/jpeg", "webp": "image/webp"}

// SetLogo replaces the logo; an empty picture removes it. Invalid
// above 200 KB, and unless it is a PNG, JPEG or WebP that can be decoded and measures
// at most 1000 by 1000 pixels. NotFound for the account. Unavailable: ctx has ended.
func (s *Steps) SetLogo(ctx context.Context, accountID int64, picture []byte, by typus.Actor) error {
	var (
		l      typus.Logo
		action = "account.logo_removed"
	)
	if len(picture) > 0 {
		var err error
		if l, err = logo(ctx, picture); err != nil {
			return err
		}
		action = "account.logo_changed"
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

// Logo reads the logo of an account. NotFound: it has none.
func (s *Steps) Logo(ctx context.Context, accountID int64) (typus.Logo, error) {
	return s.store.AccountLogo(ctx, accountID)
}

// decoding has room for one picture at a time, so that many sent at once cost no
// more memory than one.
var decoding = make(chan struct{}, 1)

// logo looks at the size before it decodes: a picture of a few bytes may claim
// to be enormous. Its type is what it is decoded as, never what the sender says.
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
