package typus_test

import (
	"testing"

	"typus"
)

func TestLoopbackIsThisMachineAlone(t *testing.T) {
	for host, want := range map[string]bool{
		"127.0.0.1": true, "127.9.9.9": true, "::1": true, "::ffff:127.0.0.1": true, "::ffff:7f00:1": true, "::1%lo": true,
		"localhost": true, "LOCALHOST": true, "localhost.": true, "typus.localhost": true, "Typus.LocalHost.": true,
		"": false, "0.0.0.0": false, "::": false, "10.0.0.1": false, "::ffff:10.0.0.1": false, "127.1": false, "[::1]": false,
		"notlocalhost": false, "localhost.example.com": false, "127.0.0.1.example.com": false, ".": false,
	} {
		if got := typus.Loopback(host); got != want {
			t.Errorf("Loopback(%q) = %t, want %t", host, got, want)
		}
	}
}
