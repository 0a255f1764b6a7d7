package typus

import (
	"errors"
	"fmt"
)

// Kind classifies an error for whoever answers it. Package web holds the one table that
// maps a kind to an HTTP status.
type Kind int

// The twelve kinds.
const (
	Internal Kind = iota // the zero value: a fault of ours
	Invalid
	Unauthorized
	Forbidden
	NotFound
	Conflict
	Gone
	NoCredit
	TooMany
	Unavailable    // try again: the database is busy, full or away
	OutcomeUnknown // done or not done, nobody knows: the answer to the commit was lost
	Suspended      // whoever runs the server has suspended the account; nothing was done
)

var kindNames = [...]string{"internal", "invalid", "unauthorized", "forbidden", "not found", "conflict", "gone", "no credit", "too many", "unavailable", "outcome unknown", "suspended"}

func (k Kind) String() string { return kindNames[k] }

// Field is one wrong input: its name as the sender typed it, a code, and the
// remedy in words.
type Field struct {
	Name string
	Code string // one of the Code… constants
	Msg  string
}

// The codes of a Field; clients may rely on them.
const (
	CodeRequired     = "required"
	CodeInvalid      = "invalid"
	CodeTooLong      = "too_long"
	CodeUnknownField = "unknown_field"
)

// The codes of the first Field of a Conflict that the API answers with.
const (
	CodeErased         = "erased"          // the person is erased
	CodeAlreadyBegun   = "already_begun"   // the test has begun: what was asked for can no longer be changed
	CodePositionClosed = "position_closed" // nobody is invited to it any more
	CodeAccountFull    = "account_full"    // as many people are stored as the operator allows the account
	CodeBusy           = "busy"            // an equal call is still running; try again
	CodeWorldReset     = "world_reset"     // the test world was reset, which ended the move of its clock
)

// Error is an error that may be shown: Msg is written for a person and never
// built from a driver's words. The cause, if any, is for the log only.
type Error struct {
	Kind   Kind
	Msg    string
	Fields []Field
	Cause  error
}

// Error is for logs: it includes the cause.
func (e *Error) Error() string {
	if e.Cause != nil {
		return fmt.Sprintf("%s: %s: %v", e.Kind, e.Msg, e.Cause)
	}
	return fmt.Sprintf("%s: %s", e.Kind, e.Msg)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Errorf makes an Error of the given kind, without fields and without a cause.
// The words of others (drivers, the network) go into WithCause, never into format.
func Errorf(k Kind, format string, args ...any) *Error {
	return &Error{Kind: k, Msg: fmt.Sprintf(format, args...)}
}

// WrongFields is an Error of the kind Invalid that names every field and says what
// is wrong with the first; nil for no fields.
func WrongFields(fields []Field) error {
	if len(fields) == 0 {
		return nil
	}
	return &Error{Kind: Invalid, Msg: fields[0].Name + " " + fields[0].Msg, Fields: fields}
}

// WithCause returns a copy of e that carries cause for the log.
func (e *Error) WithCause(cause error) *Error {
	c := *e
	c.Cause = cause
	return &c
}

// Is reports whether err is of the kind; nil is of none.
func Is(err error, k Kind) bool { return err != nil && KindOf(err) == k }

// Passing reports whether the database may be back in a moment: err is Unavailable or
// OutcomeUnknown. Whoever tries again after that needs a guard against doing the same
// thing twice.
func Passing(err error) bool { return Is(err, Unavailable) || Is(err, OutcomeUnknown) }

// KindOf returns the kind of the first Error in err's chain, and Internal for any other
// error. Do not call it with nil, which has no kind.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return Internal
}
