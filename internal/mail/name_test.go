package mail

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestNamesComeOutWithoutLinks(t *testing.T) {
	for raw, want := range map[string]string{
		"Anna Beispiel":                          "Anna Beispiel",
		"  Jürgen   Müller ":                     "Jürgen Müller",
		"A & B":                                  "A & B",
		"Müller/Schmidt GmbH & Co. KG":           "Müller/Schmidt GmbH & Co. KG",
		"Dr.Müller":                              "Dr. Müller",
		"J.R.R. Tolkien":                         "J. R. R. Tolkien",
		"1.FC Beispielstadt":                     "1. FC Beispielstadt",
		"O’Neill-Łukasiewicz 😀":                  "O’Neill-Łukasiewicz 😀",
		"Booking.com GmbH":                       "Booking. com GmbH",
		"Typus 2.0 GmbH":                         "Typus 2.0 GmbH",
		"Anna evil.com/login":                    "Anna",
		"Anna (evil.com/login)":                  "Anna",
		"Anna https://evil.com":                  "Anna",
		"HTTPS://EVIL.COM":                       "",
		"Anna www.evil.com":                      "Anna",
		"Anna, WWW.evil.com!":                    "Anna",
		"Anna evil.com":                          "Anna evil. com",
		"Anna evil。com":                          "Anna evil. com",
		"Anna evil\u200b.com":                    "Anna evil. com",
		"Anna evil.\u200dcom":                    "Anna evil. \u200dcom",
		"Anna ev\u00adil.com/x":                  "Anna",
		"Anna evil.com:8080":                     "Anna",
		"Anna evil.com?x=1":                      "Anna",
		"Anna 192.0.2.7":                         "Anna",
		"Anna chef@example.com":                  "Anna",
		"X\r\nBcc: a@b":                          "X Bcc",
		"X\nBcc: a@example.com":                  "X Bcc",
		"Anna =?utf-8?q?=0D=0ABcc:a=40b?=":       "Anna",
		"Anna \u202egnp.exe":                     "Anna gnp. exe",
		"Anna\u2028Beispiel":                     "Anna Beispiel",
		"Anna\x00Beispiel":                       "Anna Beispiel",
		"Anna \xff\xfe":                          "Anna",
		"</div><a href=https://evil>":            "</div><a",
		`</div><a href="//evil.com/x">klick</a>`: `</div><a`,
		"<img src=x onerror=alert(1)>":           "<img src=x onerror=alert(1)>",
		"{{7*7}}":                                "{{7*7}}",
		"mailto:chef@example.com":                "",
		"javascript://%0aalert(1)":               "",
		"👩\u200d💻 Anna":                          "👩\u200d💻 Anna",
		"\ufeffAnna":                             "Anna",
		"Anna –":                                 "Anna",
		strings.Repeat("www.evil.com ", 1000):    "",
		strings.Repeat("x", 10_000):              strings.Repeat("x", maxName-1) + "…",
		strings.Repeat("Anna ", 2_000):           strings.Repeat("Anna ", 19) + "Anna…",
	} {
		if got := plainName(raw); got != want {
			t.Errorf("plainName(%.60q) = %q, want %q", raw, got, want)
		}
	}
}

func FuzzNamesComeOutWithoutLinks(f *testing.F) {
	for _, seed := range []string{"Anna", "evil.com/x", "http://e", "a\r\nb", "a。b", "www.x", "=?utf-8?q?x?="} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		got := plainName(raw)
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > maxName+1 {
			t.Errorf("plainName(%q) = %q", raw, got)
		}
		for _, mark := range []string{"://", "@", "\r", "\n", "=?", "\u202e", "\x00"} {
			if strings.Contains(got, mark) {
				t.Errorf("plainName(%q) = %q holds %q", raw, got, mark)
			}
		}
		if again := plainName(got); strings.Trim(again, "… ") != strings.Trim(got, "… ") && utf8.RuneCountInString(got) < maxName {
			t.Errorf("plainName(%q) = %q, and that becomes %q", raw, got, again)
		}
	})
}
