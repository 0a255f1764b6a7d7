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

// Each line is one mailbox in several spellings; no two lines are the same mailbox.
var spellings = [][]string{
	{"anna@müller.example", "Anna@MÜLLER.Example", "anna@mu\u0308ller.example", "ANNA@MU\u0308LLER.EXAMPLE", "anna@xn--mller-kva.example",
		"anna@XN--MLLER-KVA.EXAMPLE", "anna@Xn--Mller-Kva.example", "anna@müller.example.", "anna@müller。example", "anna@ｍüller．example",
		"anna@mü\u00adller.example", "anna@müller.ex\u200bample"},
	{"anna@mueller.example"},
	{"anna@muller.example", "ANNA@muller.example", "anna@muller.example.", "anna@ｍuller.example"},
	{"änna@müller.example", "A\u0308nna@MÜLLER.example", "Änna@xn--mller-kva.example"},
	{"anna@straße.example", "anna@xn--strae-oqa.example"},
	{"anna@strasse.example", "anna@STRASSE.example"},
	{"anna@ångström.example", "anna@a\u030angstro\u0308m.example", "anna@\u212bngström.example", "anna@xn--ngstrm-hua5l.example"},
	{"anna@münchen.müller.example", "anna@xn--mnchen-3ya.müller.example", "anna@MÜNCHEN.xn--mller-kva.example"},
	{"anna@例え.テスト", "anna@xn--r8jz45g.xn--zckzah", "anna@例え。テスト"},
	{"anna.beispiel@example.com", "Anna.Beispiel@EXAMPLE.COM"},
	{"annabeispiel@example.com"},
	{"anna.beispiel+test@example.com", "anna.beispiel+TEST@example.com"},
	{"anna@ex_ample.com", "ANNA@EX_AMPLE.com"},
	{"anna@xn--a.example", "Anna@XN--A.example"},
	{"anna@bü_cher.example", "anna@BÜ_CHER.example", "anna@bu\u0308_cher.example"},
	{"anna@", "ANNA@"},
	{"anna", "Anna"},
	{""},
}

func TestSpellingsOfOneMailboxHaveOneKey(t *testing.T) {
	taken := map[string]string{}
	for _, same := range spellings {
		key := typus.MailboxKey(same[0])
		if other, twice := taken[key]; twice {
			t.Errorf("%q and %q are both %q", other, same[0], key)
		}
		taken[key] = same[0]
		for _, address := range same {
			got := typus.MailboxKey(address)
			if got != key || !typus.SameMailbox(address, same[0]) {
				t.Errorf("MailboxKey(%q) = %q, that of %q is %q", address, got, same[0], key)
			}
			if again := typus.MailboxKey(got); again != got {
				t.Errorf("the key %q has the key %q", got, again)
			}
		}
	}
}

// The key of an address that letters can go to is its form for the wire, but for case.
func TestTheKeyOfAMailboxIsWhereItsLettersGo(t *testing.T) {
	for _, same := range spellings {
		for _, address := range same {
			if wire, fault := typus.Mailbox(address); fault.Code == "" && strings.ToLower(wire) != typus.MailboxKey(address) {
				t.Errorf("a letter to %q goes to %q, the key is %q", address, wire, typus.MailboxKey(address))
			}
		}
	}
}

func TestWhatHasNoValidDomainIsComparedInLowerCase(t *testing.T) {
	for address, want := range map[string]string{
		"Anna@Ex_Ample.com": "anna@ex_ample.com", "Anna@XN--A.example": "anna@xn--a.example", "ANNA@[127.0.0.1]": "anna@[127.0.0.1]",
		"Anna@Example..com": "anna@example..com", "Anna@Example.com..": "anna@example.com..", "Anna@Bü_cher.example": "anna@bü_cher.example", "Anna": "anna", "@": "@", "A\xffB@c d": "a\ufffdb@c d",
	} {
		if got := typus.MailboxKey(address); got != want {
			t.Errorf("MailboxKey(%q) = %q, want %q", address, got, want)
		}
	}
}

// Whoever is not logged in may send a text of any length as an address, and to write a label in
// punycode takes the square of its length: half a minute for the longest here.
func TestWhatIsLongerThanAnAddressIsComparedInLowerCase(t *testing.T) {
	var label strings.Builder
	for n := range 60_000 {
		label.WriteRune(rune(0x4e00 + n*7919%20_000))
	}
	for _, domain := range []string{label.String(), "m" + strings.Repeat("\u00ad", 128) + "üller.example", strings.Repeat("ü.", 100) + "example"} {
		if got := typus.MailboxKey("Anna@" + domain); got != "anna@"+domain {
			t.Errorf("the key of an address of %d bytes is one of %d: %.60q", len(domain), len(got), got)
		}
	}
}

func FuzzMailboxKey(f *testing.F) {
	for _, same := range spellings {
		for _, address := range same {
			f.Add(address)
		}
	}
	for _, odd := range []string{"a@\u2183.example", "a@İ.example", "\u212a@example.com", "a@b@c", "a@b..", "a@.", "\xff@\xff", "a@xn--mller-kva..", "A\u0345@ᾼ.example"} {
		f.Add(odd)
	}
	f.Fuzz(func(t *testing.T, address string) {
		key := typus.MailboxKey(address)
		if again := typus.MailboxKey(key); again != key {
			t.Errorf("MailboxKey(%q) = %q, whose key is %q", address, key, again)
		}
		if wire, fault := typus.Mailbox(address); fault.Code == "" && strings.ToLower(wire) != key {
			t.Errorf("a letter to %q goes to %q, the key is %q", address, wire, key)
		}
	})
}
