package typus

import "fmt"

// Sender is in whose name the letters of an account go out in place of the server's address.
// The operator sets it, whose mail server and DNS it takes.
type Sender struct {
	AccountID     int64
	Address       string // as it stands on the wire
	Name          string // shown before it; "" for the name that a letter has by itself
	BounceAddress string // mailbox to which reports of mail servers come, "" for the server's
	DKIMDomain    string // that signs the letters, with DKIMSelector and SealedKey; "" for the server's
	DKIMSelector  string
	SealedKey     []byte // the private key, sealed (KeyAAD)
}

// KeyAAD binds the private key to its account.
func (s Sender) KeyAAD() string { return fmt.Sprintf("dkim_key|%d", s.AccountID) }
