package typus_test

import (
	"strings"
	"testing"

	"typus"
)

func TestAMailboxIsReadIntoTheFormForTheWire(t *testing.T) {
	longest := strings.Repeat("a", 63)
	for address, want := range map[string]string{
		"anna@example.com":                         "anna@example.com",
		"Anna.Beispiel+test@Example.COM":           "Anna.Beispiel+test@example.com",
		"o'neill@example.com":                      "o'neill@example.com",
		"anna@sub.example.co.uk":                   "anna@sub.example.co.uk",
		"anna@firma.vertrieb":                      "anna@firma.vertrieb",
		"anna@bücher.example":                      "anna@xn--bcher-kva.example",
		"anna@BÜCHER.example":                      "anna@xn--bcher-kva.example",
		"anna@xn--bcher-kva.example":               "anna@xn--bcher-kva.example",
		"anna@straße.example":                      "anna@xn--strae-oqa.example",
		"anna@example。com":                         "anna@example.com",
		"anna@" + longest + ".com":                 "anna@" + longest + ".com",
		strings.Repeat("a", 64) + "@example.com":   strings.Repeat("a", 64) + "@example.com",
		"anna@" + strings.Repeat("a.", 123) + "de": "anna@" + strings.Repeat("a.", 123) + "de",
	} {
		if got, fault := typus.Mailbox(address); fault.Code != "" || got != want {
			t.Errorf("Mailbox(%q) = %q, %v, want %q", address, got, fault, want)
		}
	}
}

func TestWhatIsNoMailboxIsRefusedWithARemedy(t *testing.T) {
	for address, code := range map[string]string{
		"":                                         typus.CodeRequired,
		"anna":                                     typus.CodeInvalid,
		"anna@":                                    typus.CodeInvalid,
		"@example.com":                             typus.CodeInvalid,
		"anna@@example.com":                        typus.CodeInvalid,
		"anna example@example.com":                 typus.CodeInvalid,
		"Anna <anna@example.com>":                  typus.CodeInvalid,
		"<anna@example.com>":                       typus.CodeInvalid,
		"anna@example.com (Anna)":                  typus.CodeInvalid,
		" anna@example.com":                        typus.CodeInvalid,
		"anna@example.com ":                        typus.CodeInvalid,
		"anna@example.com, o@example.com":          typus.CodeInvalid,
		"a@b>\r\nDATA":                             typus.CodeInvalid,
		"anna@example.com\r\nBcc: o@example.com":   typus.CodeInvalid,
		"anna\x00@example.com":                     typus.CodeInvalid,
		"anna\x7f@example.com":                     typus.CodeInvalid,
		"änna@example.com":                         typus.CodeInvalid,
		`"anna b"@example.com`:                     typus.CodeInvalid,
		`"anna"@example.com`:                       typus.CodeInvalid,
		`"a\"b"@example.com`:                       typus.CodeInvalid,
		"anna@exa mple.com":                        typus.CodeInvalid,
		"anna@exam\u202eple.com":                   typus.CodeInvalid,
		"anna@[127.0.0.1]":                         typus.CodeInvalid,
		"anna@localhost":                           typus.CodeInvalid,
		"anna@-x.example.com":                      typus.CodeInvalid,
		"anna@x-.example.com":                      typus.CodeInvalid,
		"anna@ex_ample.com":                        typus.CodeInvalid,
		"anna@example..com":                        typus.CodeInvalid,
		"anna@.example.com":                        typus.CodeInvalid,
		"anna@。example.com":                        typus.CodeInvalid,
		"anna@example.com.":                        typus.CodeInvalid,
		"anna@example.com。":                        typus.CodeInvalid,
		"anna@example。":                            typus.CodeInvalid,
		"anna@xn--a.example":                       typus.CodeInvalid,
		"anna@" + strings.Repeat("a", 64) + ".com": typus.CodeInvalid,
		"anna@" + strings.Repeat("ü", 60) + ".com": typus.CodeInvalid, // 67 characters in punycode
		strings.Repeat("a", 65) + "@example.com":   typus.CodeInvalid,
		"anna@" + strings.Repeat("a.", 124) + "de": typus.CodeTooLong,
		strings.Repeat("a", 64) + "@" + strings.Repeat("ü.", 24) + "com": typus.CodeTooLong, // 260 in punycode
		"anna@" + strings.Repeat("e", 250) + ".com":                      typus.CodeTooLong,
	} {
		got, fault := typus.Mailbox(address)
		if got != "" || fault.Code != code || fault.Msg == "" || fault.Name != "" {
			t.Errorf("Mailbox(%q) = %q, %+v, want code %s and a remedy", address, got, fault, code)
		}
	}
}
