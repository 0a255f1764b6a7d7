package assess_test

import (
	"strings"
	"testing"

	"typus"
	"typus/internal/assess"
	"typus/internal/instrument"
)

func TestAnInvitationNamesEveryWrongField(t *testing.T) {
	steps := assess.New(assess.Options{Instrument: instrument.Own()})
	_, faults := steps.Check(assess.Invitation{Email: "x", ExternalID: strings.Repeat("ä", 256), Language: "fr", RoleProfile: "boss"})
	var got []string
	for _, f := range faults {
		got = append(got, f.Name+" "+f.Code)
		if f.Msg == "" {
			t.Errorf("%s has no remedy", f.Name)
		}
	}
	want := "name required,email invalid,external_id too_long,language invalid,role_profile invalid"
	if strings.Join(got, ",") != want {
		t.Errorf("faults %v, want %s", got, want)
	}
}

func TestNamesAndAddresses(t *testing.T) {
	steps := assess.New(assess.Options{Instrument: instrument.Own()})
	cases := []struct {
		name, email string
		code        string // "" passes
	}{
		{"Jürgen O’Neill 😀", "j@example.com", ""},
		{" x ", " j@example.com ", ""},
		{strings.Repeat("ü", 200), "j@example.com", ""},
		{strings.Repeat("ü", 201), "j@example.com", typus.CodeTooLong},
		{"  ", "j@example.com", typus.CodeRequired},
		{"\u200b", "j@example.com", typus.CodeRequired},
		{"\u3164\u2800\ufe0f", "j@example.com", typus.CodeRequired},
		{"\u034f \u115f", "j@example.com", typus.CodeRequired},
		{"👩\u200d💻", "j@example.com", ""},
		{"می\u200cخواهم", "j@example.com", ""},
		{"a\nb", "j@example.com", typus.CodeInvalid},
		{"a\u202eb", "\ufeffj@exam\u200bple.com\u00a0", ""},
		{"a\u2028b", "j@example.com", typus.CodeInvalid},
		{"a\u0085b", "j@example.com", typus.CodeInvalid},
		{"a\xffb", "j@example.com", typus.CodeInvalid},
		{"\ufeffJana", "j@example.com", ""},
		{"Jana\ufffe", "j@example.com", typus.CodeInvalid},
		{"Jana\uffff", "j@example.com", typus.CodeInvalid},
		{"A", "", typus.CodeRequired},
		{"A", "J <j@example.com>", typus.CodeInvalid},
		{"A", "j@example", typus.CodeInvalid},
		{"A", "j@example.com, k@example.com", typus.CodeInvalid},
		{"A", "j@example.com\r\nBcc: k@example.com", typus.CodeInvalid},
		{"A", "jürgen@example.com", typus.CodeInvalid},
		{"A", "j@bücher.example", ""},
		{"A", "j@firma.vertrieb", ""},
		{"A", "j+tag@sub.example.co.uk", ""},
		{"A", "j@example.com.", typus.CodeInvalid},
		{"A", "j@[127.0.0.1]", typus.CodeInvalid},
		{"A", "@example.com", typus.CodeInvalid},
		{"A", "j@-example.com", typus.CodeInvalid},
		{"A", strings.Repeat("j", 65) + "@example.com", typus.CodeInvalid},
		{"A", "j@" + strings.Repeat("e", 250) + ".com", typus.CodeTooLong},
		{"A", "j@" + strings.Repeat("e", 63) + ".com", ""},
		{"A", "j@" + strings.Repeat("e", 68) + ".com", typus.CodeInvalid},
		{"A", "j@example。", typus.CodeInvalid},
	}
	for _, c := range cases {
		got, faults := steps.Check(assess.Invitation{Name: c.name, Email: c.email})
		switch {
		case c.code == "" && len(faults) > 0:
			t.Errorf("%q %q is refused: %v", c.name, c.email, faults)
		case c.code == "" && (got.Name != typus.TypedName(c.name) || got.Email != typus.TypedAddress(c.email)):
			t.Errorf("%q %q became %q %q", c.name, c.email, got.Name, got.Email)
		case c.code != "" && (len(faults) != 1 || faults[0].Code != c.code):
			t.Errorf("%q %q: faults %v, want %s", c.name, c.email, faults, c.code)
		}
	}
}

func TestNamesAreStoredComposed(t *testing.T) {
	steps := assess.New(assess.Options{Instrument: instrument.Own()})
	got, faults := steps.Check(assess.Invitation{Name: "Ju\u0308rgen", Email: "j@example.com"})
	if len(faults) > 0 || got.Name != "Jürgen" {
		t.Errorf("name %q, faults %v", got.Name, faults)
	}
}
