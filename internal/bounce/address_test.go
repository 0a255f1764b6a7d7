package bounce

import (
	"math"
	"strings"
	"testing"

	"typus"
	"typus/internal/seal"
)

func mailbox(t *testing.T) *Mailbox {
	t.Helper()
	m, err := NewMailbox(box(t), "bounces@example.com")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func letter(p typus.Posting) typus.Letter {
	return typus.Letter{AccountID: p.AccountID, ID: p.LetterID, Attempts: p.Attempt}
}

func TestEachSendingOfALetterHasAnAddressThatOnlyThisServerMakes(t *testing.T) {
	m, seen := mailbox(t), map[string]bool{}
	for _, p := range []typus.Posting{
		{AccountID: 1, LetterID: 1, Attempt: 1}, {AccountID: 1, LetterID: 1, Attempt: 2}, {AccountID: 1, LetterID: 2, Attempt: 1},
		{AccountID: 2, LetterID: 1, Attempt: 1}, {AccountID: 11, LetterID: 1, Attempt: 1}, {AccountID: 1, LetterID: 11, Attempt: 1},
		{AccountID: math.MaxInt64, LetterID: math.MaxInt64, Attempt: math.MaxInt32},
	} {
		address := m.For(letter(p))
		if seen[address] {
			t.Errorf("%s twice", address)
		}
		seen[address] = true
		for _, written := range []string{address, strings.ToUpper(address), "<" + address + ">", "Otto <otto@example.com>, \"x\" <" + address + ">"} {
			if got, ours := Find(box(t), written); !ours || got != p {
				t.Errorf("%s: %+v, %t", written, got, ours)
			}
		}
	}
}

func TestAnAddressFitsIntoWhatAMailServerTakes(t *testing.T) {
	m, err := NewMailbox(box(t), strings.Repeat("b", maxLocal)+"@example.com")
	if err != nil {
		t.Fatal(err)
	}
	address := m.For(letter(typus.Posting{AccountID: 1_000_000_000, LetterID: 1_000_000_000, Attempt: 1000}))
	if local, _, _ := strings.Cut(address, "@"); len(local) > 64 {
		t.Errorf("%s has %d characters before the @", address, len(local))
	}
}

func TestATagThatWasChangedIsNobodys(t *testing.T) {
	address := mailbox(t).For(letter(theLetter))
	other, err := seal.New([]byte("another fictitious secret of 32 bytes"))
	if err != nil {
		t.Fatal(err)
	}
	if p, ours := Find(other, address); ours {
		t.Errorf("another server finds %+v", p)
	}
	at := strings.IndexByte(address, '@')
	for i := len("bounces+"); i < at; i++ {
		for _, c := range []string{"0", "a", "-"} {
			changed := address[:i] + c + address[i+1:]
			if p, ours := Find(box(t), changed); ours && changed != address {
				t.Errorf("%s is taken for %+v", changed, p)
			}
		}
	}
	for _, none := range []string{"", "bounces@example.com", "+@", strings.Replace(address, "+1-", "+01-", 1), strings.Replace(address, "+", "", 1)} {
		if p, ours := Find(box(t), none); ours {
			t.Errorf("%s is taken for %+v", none, p)
		}
	}
}

func TestAMailboxThatHasNoRoomForATagIsRefused(t *testing.T) {
	for _, address := range []string{"", "bounces", "bounces+typus@example.com", strings.Repeat("b", maxLocal+1) + "@example.com", "Bounces <bounces@example.com>"} {
		if _, err := NewMailbox(nil, address); !typus.Is(err, typus.Invalid) {
			t.Errorf("%q: %v", address, err)
		}
	}
}
