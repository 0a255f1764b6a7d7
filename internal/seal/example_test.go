package seal_test

import (
	"fmt"

	"typus"
	"typus/internal/seal"
)

// A sealed value opens in its own place and in no other.
func ExampleBox() {
	box, err := seal.New([]byte("a fictitious secret of 32+ bytes!!"))
	if err != nil {
		panic(err)
	}
	sealed := box.Seal([]byte("whsec_example"), "secret 7 of endpoint 3")

	plain, err := box.Open(sealed, "secret 7 of endpoint 3")
	fmt.Println(string(plain), err)
	_, err = box.Open(sealed, "secret 7 of endpoint 4")
	fmt.Println(typus.Is(err, typus.Internal))
	// Output:
	// whsec_example <nil>
	// true
}
