package mail

import (
	"strings"
	"testing"

	"typus"
)

func TestAnAddressIsReadyForTheWire(t *testing.T) {
	for raw, want := range map[string]string{
		"anna@example.com":               "anna@example.com",
		"Anna.Beispiel+test@Example.COM": "Anna.Beispiel+test@example.com",
		"anna@bücher.example":            "anna@xn--bcher-kva.example",
		"anna@BÜCHER.example":            "anna@xn--bcher-kva.example",
		"o'neill@example.com":            "o'neill@example.com",
		"typus@localhost":                "typus@localhost",
	} {
		if got, err := Address(raw); err != nil || got != want {
			t.Errorf("Address(%q) = %q, %v, want %q", raw, got, err, want)
		}
	}
}

func TestWhatIsNoAddressIsRefused(t *testing.T) {
	for _, raw := range []string{
		"", "anna", "anna@", "@example.com", "anna@@example.com", "anna example@example.com",
		"Anna <anna@example.com>", "<anna@example.com>", "anna@example.com (Anna)", " anna@example.com", "anna@example.com ",
		"anna@example.com, otto@example.com", "a@b>\r\nDATA", "anna@example.com\r\nBcc: otto@example.com", "anna\x00@example.com",
		"änna@example.com", `"anna b"@example.com`, `"a\"b"@example.com`, "anna@exa mple.com", "anna@[127.0.0.1]", "anna@-x.example.com",
		"anna@example..com", "anna@ex_ample.com",
		strings.Repeat("a", 65) + "@example.com", "anna@" + strings.Repeat("abcdefgh.", 30) + "example.com",
	} {
		if got, err := Address(raw); err == nil || typus.KindOf(err) != typus.Invalid {
			t.Errorf("Address(%q) = %q, %v, want kind invalid", raw, got, err)
		}
	}
}
