package faulttest

import (
	"errors"
	"io"
	"sync"

	"typus"
	"typus/internal/store"
)

// blow is a kind of fault.
type blow struct {
	name   string
	commit bool // it strikes a commit, not a statement
	stored bool // after the commit is done
	leaves bool // the client is gone; the database answers as ever
	err    error
}

// secret stands in the errors of the faults and must stand in no answer.
const secret = `near "select": faulttest`

// blows are all that befalls a request. What a connection that ends with a statement means
// only a database with connections knows: PostgreSQL's transaction is run again.
var blows = []blow{
	{name: "the statement fails", err: errors.New(secret)},
	{name: "the connection ends", err: io.ErrUnexpectedEOF},
	{name: "the client leaves", leaves: true},
	{name: "the client leaves at the commit", commit: true, leaves: true},
	{name: "the connection ends before the commit", commit: true, err: unheard()},
	{name: "the connection ends after the commit", commit: true, stored: true, err: unheard()},
}

// unheard is the error of db for a commit of which nobody knows whether it was done.
func unheard() error {
	return typus.Errorf(typus.OutcomeUnknown, "the database did not say whether it has stored this; look before you try again").WithCause(errors.New(secret))
}

// Faults let one statement or commit of a request fail.
type Faults struct {
	mu         sync.Mutex
	struck     bool // the fault has come
	on         bool // a request is on its way
	blow       *blow
	at         int // which statement or commit of the request, from 1
	statements []string
	commits    int
	gone       func() // ends the request's context
}

// Inject is a store whose statements and commits fail as the faults say: not at all before
// Play.
func Inject(s *store.Store) (*store.Store, *Faults) {
	f := new(Faults)
	return s.Watched(f.statement).WatchedCommits(f.commit), f
}

// next is about the next request, which a blow strikes at some statement or commit of it;
// none with nil.
func (f *Faults) next(b *blow, at int, gone func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.on, f.struck, f.blow, f.at, f.gone = true, false, b, at, gone
	f.statements, f.commits = nil, 0
}

// over ends the request, and says what it was struck at, "" if it was not.
func (f *Faults) over() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.on = false
	switch {
	case !f.struck:
		return ""
	case f.blow.commit:
		return "commit"
	}
	return f.statements[f.at-1]
}

func (f *Faults) statement(query string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.on {
		return nil
	}
	f.statements = append(f.statements, query)
	if f.blow == nil || f.blow.commit || f.struck || len(f.statements) != f.at {
		return nil
	}
	return f.strike()
}

func (f *Faults) commit(done bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.on {
		return nil
	}
	if !done {
		f.commits++
	}
	if f.blow == nil || !f.blow.commit || f.struck || f.blow.stored != done || f.commits != f.at {
		return nil
	}
	return f.strike()
}

func (f *Faults) strike() error {
	f.struck = true
	if f.blow.leaves {
		f.gone()
	}
	return f.blow.err
}
