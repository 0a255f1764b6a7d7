package main

import (
	"context"
	"fmt"
	"html/template"
	"io"
	"iter"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"typus/internal/mail"
)

// mailbox takes the demo's letters, all of them, and shows them to whoever sits at this
// machine, so that links and codes can be followed; nothing leaves it. Only the demo has one:
// a letter is to be read by whom it is to.
type mailbox struct {
	url    string // of the page
	server *http.Server
	came   chan string // a line about each letter; it is lost when nobody reads

	mu      sync.Mutex
	letters []mail.Message
}

// openMailbox is a mailbox whose page is served until it is closed.
func openMailbox() (*mailbox, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m := &mailbox{url: "http://" + ln.Addr().String() + "/", came: make(chan string, 16)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", m.list)
	mux.HandleFunc("GET /{number}", m.letter)
	m.server = &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go m.server.Serve(ln) // ends with close
	return m, nil
}

func (m *mailbox) close() error { return m.server.Close() }

// Send keeps every letter.
func (m *mailbox) Send(_ context.Context, msgs []mail.Message, before func(int) error) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for i, msg := range msgs {
			err := before(i)
			if err == nil {
				m.keep(msg)
			}
			if !yield(i, err) {
				return
			}
		}
	}
}

// Rehearse keeps a letter that somebody tries.
func (m *mailbox) Rehearse(_ context.Context, msg mail.Message) ([]string, error) {
	m.keep(msg)
	return []string{"250 2.0.0 angenommen; die Demo verschickt nichts"}, nil
}

func (m *mailbox) keep(msg mail.Message) {
	m.mu.Lock()
	m.letters = append(m.letters, msg)
	number := len(m.letters)
	m.mu.Unlock()
	select {
	case m.came <- fmt.Sprintf("E-mail to %s: %s\n  %s%d", msg.To, msg.Subject, m.url, number):
	default:
	}
}

// mailboxPage lists the letters, the newest first.
var mailboxPage = template.Must(template.New("").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>E-mails of the demo</title>
<style>body { font: 16px/1.5 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem } li { margin: .5rem 0 }</style>
<h1>E-mails of the demo</h1>
<p>Nothing is sent. What has been written since the demo serves stands here, the newest first; load the page again to see more.</p>
{{if .}}<ul>{{range .}}<li><a href="/{{.Number}}" lang="{{.Language}}">{{.Subject}}</a><br>to {{.To}}</li>
{{end}}</ul>{{else}}<p>Nothing yet. Invite somebody, or ask for a code.</p>{{end}}
</html>
`))

func (m *mailbox) list(w http.ResponseWriter, _ *http.Request) {
	type line struct {
		mail.Message
		Number int
	}
	var lines []line
	m.mu.Lock()
	for i := len(m.letters); i > 0; i-- {
		lines = append(lines, line{m.letters[i-1], i})
	}
	m.mu.Unlock()
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = mailboxPage.Execute(w, lines) // a reader who has gone is no fault
}

// letter shows one as its reader would see it.
func (m *mailbox) letter(w http.ResponseWriter, r *http.Request) {
	number, err := strconv.Atoi(r.PathValue("number"))
	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil || number < 1 || number > len(m.letters) {
		http.NotFound(w, r)
		return
	}
	shown, err := m.letters[number-1].Page()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = io.WriteString(w, shown) // as above
}
