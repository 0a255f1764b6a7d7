// Package logtest keeps what a server logs while a test reads it.
package logtest

import (
	"bytes"
	"sync"
)

// Log keeps what is written to it, in order. Its zero value is empty and ready;
// any number of goroutines may write and read at once. A server writes the line
// of a request when its handler has ended, and a client may have read a long
// answer by then: a test waits for such a line, it does not expect it.
type Log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer; it never fails.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// String is everything written so far.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
