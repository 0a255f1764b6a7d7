package typus_test

import (
	"testing"

	"typus"
)

func TestAnAddressSaysWhatItsOwnerDoesInATestWorld(t *testing.T) {
	for address, want := range map[string][2]string{
		"finish+closer@example.com":      {"finish", "closer"},
		"FINISH+Door_Opener@example.com": {"finish", "door_opener"},
		"finish+closer+17@example.com":   {"finish", "closer"},
		"finish+nobody@example.com":      {"finish", "nobody"},
		"finish@example.com":             {"", ""},
		"finish+@example.com":            {"", ""},
		"slow@example.com":               {"slow", ""},
		"slow+2@example.com":             {"slow", ""},
		"half@example.com":               {"half", ""},
		"decline+a@example.com":          {"decline", ""},
		"bounce@example.com":             {"bounce", ""},
		"expire@example.com":             {"expire", ""},
		"never@example.com":              {"never", ""},
		"reply@example.com":              {"reply", ""},
		"slowly@example.com":             {"", ""},
		"kim@example.com":                {"", ""},
		"kim+slow@example.com":           {"", ""},
		"":                               {"", ""},
		"+@":                             {"", ""},
	} {
		if act, vector := typus.ActOf(address); string(act) != want[0] || vector != want[1] {
			t.Errorf("%q: %q %q, want %q", address, act, vector, want)
		}
	}
}
