package typus_test

import (
	"testing"

	"typus"
)

func TestALinkBeginsWithTheOriginAndIsAPathWithoutOne(t *testing.T) {
	l := typus.Links{BaseURL: "https://typus.example.com:8443"}
	for _, link := range []struct{ got, want string }{
		{l.Of(typus.Account{}).Test("abc"), "https://typus.example.com:8443/t/abc"},
		{l.Report(100000000000001), "https://typus.example.com:8443/dashboard/kandidat/100000000000001"},
		{l.SetUp("a+b"), "https://typus.example.com:8443/einrichten?token=a%2Bb"},
		{l.Host(), "typus.example.com"},
		{typus.GuestLinks{}.Test("abc"), "/t/abc"},
		{typus.Links{}.Of(typus.Account{Host: "tests.kunde.example"}).Test("abc"), "/t/abc"},
		{l.Of(typus.Account{Host: "tests.kunde.example"}).Public("abc"), "https://tests.kunde.example:8443/p/abc"},
		{typus.Links{BaseURL: "https://typus.example.com"}.Of(typus.Account{Host: "tests.kunde.example"}).Reminders("abc"), "https://tests.kunde.example/t/abc/erinnerungen"},
		{typus.Links{BaseURL: "http://[::1]:8080"}.Of(typus.Account{Host: "a.localhost"}).Expert("abc"), "http://a.localhost:8080/e/abc"},
		{typus.Links{}.Report(7), "/dashboard/kandidat/7"},
		{typus.Links{}.Host(), ""},
		{typus.Links{BaseURL: "http://[::1]:8080"}.Host(), "::1"},
	} {
		if link.got != link.want {
			t.Errorf("%q, want %q", link.got, link.want)
		}
	}
	if !l.Secure() || (typus.Links{BaseURL: "http://localhost"}).Secure() {
		t.Error("secure is what is reached by https, and nothing else")
	}
}
