package courier

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"io"
	"mime"
	"mime/multipart"
	netmail "net/mail"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/mail/smtptest"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// logoOf is a picture so many pixels wide.
func logoOf(t *testing.T, width int) typus.Logo {
	t.Helper()
	picture := image.NewNRGBA(image.Rect(0, 0, width, 20))
	for x := range width {
		for y := range 20 {
			picture.Set(x, y, color.NRGBA{R: 0x90, A: 0xff})
		}
	}
	var body bytes.Buffer
	if err := png.Encode(&body, picture); err != nil {
		t.Fatal(err)
	}
	return typus.Logo{MediaType: "image/png", Hash: strings.Repeat("a", width), Body: body.Bytes()}
}

// logoWidth is that of the logo in a letter, 0 for none.
func (w *world) logoWidth(e smtptest.Envelope) int {
	w.t.Helper()
	m, err := netmail.ReadMessage(bytes.NewReader(e.Raw))
	if err != nil {
		w.t.Fatal(err)
	}
	kind, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil {
		w.t.Fatal(err)
	}
	if kind != "multipart/related" {
		return 0
	}
	for r := multipart.NewReader(m.Body, params["boundary"]); ; {
		part, err := r.NextPart()
		if err != nil {
			w.t.Fatalf("there is no picture: %v", err)
		}
		if part.Header.Get("Content-Type") != `image/png; name="logo.png"` {
			_, _ = io.Copy(io.Discard, part)
			continue
		}
		config, err := png.DecodeConfig(base64.NewDecoder(base64.StdEncoding, part))
		if err != nil {
			w.t.Fatal(err)
		}
		return config.Width
	}
}

// Each letter that is written in the account's name has its colour, and its logo or that of the
// position. What we write about a test and about the account looks like us.
func TestALetterInTheAccountsNameWearsItsLook(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		ctx := t.Context()
		var place int64
		w.tx(func(tx *store.Tx) error {
			a, err := tx.LockAccount(ctx, w.account)
			if err != nil {
				return err
			}
			a.Accent = "#ffd100"
			if err := tx.SetAccount(ctx, a); err != nil {
				return err
			}
			if err := tx.SetAccountLogo(ctx, w.account, logoOf(t, 30)); err != nil {
				return err
			}
			if place, err = tx.AddPosition(ctx, typus.Position{AccountID: w.account, Name: "Sales", State: typus.PositionOpen, Reminders: typus.RemindersOfAccount, CreatedAt: time.Now()}); err != nil {
				return err
			}
			return tx.SetPositionLogo(ctx, w.account, place, logoOf(t, 40))
		})
		user := w.user(typus.RoleOwner)
		anywhere, there := w.candidate("Anna", "anna@example.com"), w.candidateOf(place, "Otto", "otto@example.com", nil)
		done := w.finished("Kim")
		w.enrols("new", time.Now().Add(time.Hour))
		c := w.courier(nil, nil)
		for _, l := range []struct {
			letter typus.Letter
			width  int
			yellow bool
		}{
			{typus.Letter{CandidateID: anywhere, Kind: typus.LetterInvitation}, 30, true},
			{typus.Letter{CandidateID: there, Kind: typus.LetterReminder}, 40, true},
			{typus.Letter{CandidateID: done, Kind: typus.LetterReceipt}, 30, true},
			{typus.Letter{CandidateID: done, Kind: typus.LetterOwnReleased}, 30, true},
			{w.code(done, "123456"), 30, true},
			{w.link(typus.LetterTeamInvitation, user, "token", time.Now().Add(time.Hour)), 30, true},
			{typus.Letter{CandidateID: done, Kind: typus.LetterCompleted, To: "ada@example.com"}, 0, false},
			{typus.Letter{UserID: user, Kind: typus.LetterPasswordChanged, To: "ada@example.com"}, 0, false},
		} {
			l.letter.AccountID, l.letter.Language = w.account, "de"
			m, err := c.message(ctx, l.letter)
			if err == nil {
				m, err = c.heads.Put(ctx, m)
			}
			if err != nil {
				t.Fatalf("%s: %v", l.letter.Kind, err)
			}
			if yellow := strings.Contains(m.HTML, "border-bottom:3px solid #ffd100"); yellow != l.yellow || (m.Logo == nil) != (l.width == 0) || m.Logo != nil && m.Logo.Width != l.width {
				t.Errorf("%s: yellow %t, logo %+v", l.letter.Kind, yellow, m.Logo)
			}
		}
		sink := smtptest.Start(t, nil)
		stop := start(w.courier(w.smtp(sink), nil))
		w.eventually("who enrols gets a letter", func() bool { return len(sink.Envelopes()) == 1 })
		stop()
		got := sink.Envelopes()[0]
		if body, err := got.Text(); err != nil || w.logoWidth(got) != 30 || !strings.Contains(body, "#ffd100") {
			t.Errorf("%v, it is\n%s", err, body)
		}
	})
}

// A letter of a test world is kept without a logo. When it goes out, it has the one that the
// account has by then.
func TestALogoThatChangesWhileALetterIsKeptIsTheNewOne(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		live := newWorld(t, s, nil)
		w := live.inWorld(0)
		ctx := t.Context()
		setLogo := func(l typus.Logo) {
			w.tx(func(tx *store.Tx) error { return tx.SetAccountLogo(ctx, live.account, l) })
		}
		setLogo(logoOf(t, 30))
		w.tx(func(tx *store.Tx) error {
			_, err := tx.AddUser(ctx, typus.User{AccountID: live.account, Email: "ada@example.com", Role: typus.RoleMember, CreatedAt: time.Now()}, "hash")
			if err != nil {
				return err
			}
			return tx.SetForwardsLetters(ctx, w.account, true)
		})
		sink := smtptest.Start(t, nil)
		c := w.courier(w.smtp(sink), nil)
		for n, by := range []struct {
			then  typus.Logo
			width int
		}{{logoOf(t, 40), 40}, {typus.Logo{}, 0}, {logoOf(t, 50), 50}} {
			w.invite(w.candidate("Ada", "ada@example.com"))
			letters, err := s.ClaimLetters(ctx, store.Claim{Owner: c.owner, Lease: letterLease, Limit: 1, Kept: true})
			if err != nil || len(letters) != 1 {
				t.Fatal(letters, err)
			}
			c.keep(ctx, letters[0], time.Now().Add(letterLease))
			setLogo(by.then)
			kept, err := s.ClaimForwards(ctx, store.Ahead{Lease: letterLease, Again: time.Hour}, 10)
			if err != nil || len(kept) != 1 || len(kept[0].Sealed) > 20<<10 {
				t.Fatal(len(kept), err)
			}
			c.forward(ctx, kept, time.Now().Add(letterLease))
			got := sink.Envelopes()
			if len(got) != n+1 || w.logoWidth(got[n]) != by.width {
				t.Errorf("%d letters arrived, the last with a logo %d wide, want %d", len(got), w.logoWidth(got[len(got)-1]), by.width)
			}
		}
	})
}
