package mail

import (
	"encoding/json"

	"typus"
)

// Pack makes bytes of a message that is kept instead of sent, with its headers as they would
// have gone out. The error is a SendError of an address that cannot be written to.
func (m Message) Pack() ([]byte, error) {
	to, err := Address(m.To)
	if err != nil {
		return nil, &SendError{Reason: typus.FailedAddress}
	}
	m.To, m.ToName, m.FromName, m.Subject = to, cut(m.ToName, maxHeader), cut(m.FromName, maxHeader), cut(m.Subject, maxHeader)
	return json.Marshal(m)
}

// Unpack reads what Pack has made. Internal for anything else.
func Unpack(packed []byte) (Message, error) {
	var m Message
	if err := json.Unmarshal(packed, &m); err != nil {
		return Message{}, typus.Errorf(typus.Internal, "a kept letter cannot be read").WithCause(err)
	}
	return m, nil
}

// CameBack is the outcome of a letter whose recipient a mail server does not know (RFC 5321,
// 4.2.3; RFC 3463, 3.2).
func CameBack() error {
	return &SendError{Code: 550, Reason: typus.FailedRecipient + ": 550 5.1.1 no such mailbox"}
}
