package typus_test

import (
	"testing"

	"typus"
)

func TestAHostIsANameAndNothingMore(t *testing.T) {
	for typed, want := range map[string]string{
		" Tests.Kunde.Example ": "tests.kunde.example", "tests.bücher.example": "tests.xn--bcher-kva.example", "tests.kunde.example.": "tests.kunde.example",
		"a.localhost": "a.localhost", "XN--BCHER-KVA.example": "xn--bcher-kva.example",
	} {
		if got, sound := typus.HostName(typed); !sound || got != want {
			t.Errorf("%q is %q, %t", typed, got, sound)
		}
	}
	for _, typed := range []string{
		"", "localhost", "kunde", "https://tests.kunde.example", "tests.kunde.example:8443", "tests.kunde.example/x", "127.0.0.1", "[::1]", "::1", "a b.example", "a@b.example",
		"tests..example", ".example", "tests.kunde.1", "127.0.0x1", "kunde.0xf", "-a.example", "a_b.example", "user:geheim@kunde.example", "kunde.example\r\nX: y", "kunde.example?x", "kunde.example#x", "*.kunde.example",
	} {
		if got, sound := typus.HostName(typed); sound {
			t.Errorf("%q is taken for the host %q", typed, got)
		}
	}
}
