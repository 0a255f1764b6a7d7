package mail

import "typus"

// Address checks raw as typus.Mailbox does and returns it in the form for the
// wire. Invalid otherwise, with the reason in words.
func Address(raw string) (string, error) {
	wire, fault := typus.Mailbox(raw)
	if fault.Code != "" {
		return "", typus.Errorf(typus.Invalid, "the e-mail address %s", fault.Msg)
	}
	return wire, nil
}
