package mail

import (
	"testing"

	"typus"
)

func TestAnAddressIsAMailboxInTheFormForTheWire(t *testing.T) {
	if got, err := Address("Anna@bücher.example"); err != nil || got != "Anna@xn--bcher-kva.example" {
		t.Errorf("%q, %v", got, err)
	}
	got, err := Address("Anna <anna@example.com>")
	if err == nil || typus.KindOf(err) != typus.Invalid || got != "" {
		t.Fatalf("%q, %v, want kind invalid", got, err)
	}
	if want := "invalid: the e-mail address is not a valid address; give one address such as name@example.com"; err.Error() != want {
		t.Errorf("the refusal says %q, want %q", err, want)
	}
}
