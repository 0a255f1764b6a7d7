package dashboard

import "testing"

func TestAnAccentIsReadAsPeopleWriteIt(t *testing.T) {
	for typed, want := range map[string]string{"#0F5C4D": "#0f5c4d", "0f5c4d": "#0f5c4d", " #abc ": "#aabbcc", "": "", "rot": "#rroott", "#12345": "#12345"} {
		if got := typedColour(typed); got != want {
			t.Errorf("%q is %q, want %q", typed, got, want)
		}
	}
}

func TestAContrastIsNeverRoundedUp(t *testing.T) {
	if got := ratio("de", 4.49); got != "4,4" {
		t.Errorf("4.49 is written %s", got)
	}
	if got := ratio("en", 21); got != "21.0" {
		t.Errorf("21 is written %s", got)
	}
}
