package mail

import (
	"context"
	"errors"
	"net"
	"net/textproto"
	"os"
	"regexp"
	"strconv"
	"strings"

	"typus"
)

// SendError says why a message was not accepted.
type SendError struct {
	Code      int  // reply of the server, 0 when there was none
	Temporary bool // a later attempt may succeed
	// Session is true when no recipient is to blame: the server could not be
	// reached, turned us away before it heard of one, or fell silent. The operator
	// can mend that. Only such an error may be logged: other replies like to quote
	// the recipient.
	Session bool
	// Unclear is true when the server got the whole message and did not say whether it
	// accepted it. The letter may arrive.
	Unclear bool
	Reason  string // for people: one line of at most 300 characters, the server's words in it without addresses
	Cause   error  // what the network or TLS said, for the log only; nil when the server replied
}

// Error is for logs: it includes the cause. The cause is cleaned like the reason,
// because it may quote a line of the server.
func (e *SendError) Error() string {
	if e.Cause != nil {
		return e.Reason + ": " + cut(words(e.Cause.Error()), maxReason)
	}
	return e.Reason
}

// Unwrap returns the cause.
func (e *SendError) Unwrap() error { return e.Cause }

const maxReason = 300 // characters

// stage is a stretch of a conversation, in order.
type stage int

const (
	reaching stage = iota
	greeting
	securing
	loggingIn
	namingSender
	namingRecipient
	asking      // whether the message may go
	handingOver // the message, up to the final dot
	confirming  // the reply to it
)

// refused says what a reply other than the expected one means at each stage.
var refused = [...]string{
	reaching:        typus.FailedUnreachable,
	greeting:        typus.FailedTurnedAway,
	securing:        typus.FailedNoEncryption,
	loggingIn:       typus.FailedLoginRefused,
	namingSender:    typus.FailedSender,
	namingRecipient: typus.FailedRecipient,
	handingOver:     typus.FailedLetter,
	confirming:      typus.FailedLetter,
}

// failure says what err at a stage means. Only a reply of the class 5yz that is about
// the recipient or the message is permanent (RFC 5321, 4.2.1). After the final dot,
// only a reply of the class 4yz or 5yz says that the message was not accepted.
func failure(at stage, err error) *SendError {
	reply, ok := errors.AsType[*textproto.Error](err)
	if !ok {
		return &SendError{Temporary: true, Session: true, Unclear: at == confirming, Reason: silence(at, err), Cause: err}
	}
	if at == confirming && reply.Code/100 != 4 && reply.Code/100 != 5 {
		return &SendError{Code: reply.Code, Temporary: true, Session: true, Unclear: true, Reason: typus.FailedNoAnswer}
	}
	early := at < namingRecipient
	return &SendError{
		Code: reply.Code, Temporary: early || reply.Code/100 != 5, Session: early,
		Reason: cut(refused[at]+": "+strconv.Itoa(reply.Code)+" "+words(reply.Msg), maxReason),
	}
}

// silence says in our own words that no reply came, because a driver's words name hosts
// and addresses.
func silence(at stage, err error) string {
	switch {
	case at == reaching:
		return refused[reaching]
	case isTimeout(err):
		return typus.FailedSilent
	case at == securing:
		return typus.FailedUnencrypted
	case at == loggingIn:
		return typus.FailedLogin
	case at == confirming && isNonsense(err):
		return typus.FailedNoAnswer
	}
	return typus.FailedBrokenOff
}

func isNonsense(err error) bool {
	_, ok := errors.AsType[textproto.ProtocolError](err)
	return ok
}

func isTimeout(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) {
		return true
	}
	timeout, ok := errors.AsType[net.Error](err)
	return ok && timeout.Timeout()
}

// broken reports whether the connection can no longer be used: no reply came, or it was
// 421, with which a server announces that it hangs up (RFC 5321, 3.8).
func broken(err error) bool {
	reply, ok := errors.AsType[*textproto.Error](err)
	return !ok || reply.Code == 421
}

// Clean makes what a mail server said fit to be shown and stored: one line of at most 300
// characters, without addresses and what cannot be seen.
func Clean(said string) string { return cut(words(said[:min(len(said), maxSpoken)]), maxReason) }

// maxSpoken is how many bytes of what a server said are looked at. Longer words are no
// longer read by anybody.
const maxSpoken = 8 << 10

var address = regexp.MustCompile(`\S*@\S*`)

// words makes a reply of a server fit to be shown and stored: one line of clean text
// without addresses, because servers tend to quote the recipient's.
func words(reply string) string {
	text := strings.Join(strings.FieldsFunc(strings.ToValidUTF8(reply, "\ufffd"), blank), " ")
	return address.ReplaceAllString(strings.Map(visible, text), "…")
}
