package typus_test

import (
	"errors"
	"fmt"

	"typus"
)

// Msg is for a person; what went wrong underneath is the cause, for the log.
func ExampleErrorf() {
	err := fmt.Errorf("invite: %w", typus.Errorf(typus.Unavailable, "the list cannot be read now; try again").WithCause(errors.New("disk full")))
	fmt.Println(typus.Is(err, typus.Unavailable), typus.KindOf(err))
	fmt.Println(err)
	// Output:
	// true unavailable
	// invite: unavailable: the list cannot be read now; try again: disk full
}

// Each edge puts its own name before the words.
func ExampleMailbox() {
	for _, typed := range []string{"anna@bücher.example.com", "anna", ""} {
		address, fault := typus.Mailbox(typed)
		fmt.Printf("%q %q %q\n", address, fault.Code, fault.Msg)
	}
	// Output:
	// "anna@xn--bcher-kva.example.com" "" ""
	// "" "invalid" "is not a valid address; give one address such as name@example.com"
	// "" "required" "is required"
}
