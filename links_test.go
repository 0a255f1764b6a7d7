package typus_test

import (
	"testing"

	"typus"
)

func TestALinkBeginsWithTheOriginAndIsAPathWithoutOne(t *testing.T) {
	l := typus.Links{BaseURL: "https://typus.example.com:8443"}
	for _, link := range []struct{ got, want string }{
		{l.Test("abc"), "https://typus.example.com:8443/t/abc"},
		{l.Report(100000000000001), "https://typus.example.com:8443/dashboard/kandidat/100000000000001"},
		{l.SetUp("a+b"), "https://typus.example.com:8443/einrichten?token=a%2Bb"},
		{l.Host(), "typus.example.com"},
		{typus.Links{}.Test("abc"), "/t/abc"},
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
