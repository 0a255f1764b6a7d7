package mail

import (
	"context"
	"errors"
	"fmt"
	"net/textproto"
	"strings"

	"github.com/wneessen/go-mail/log"
)

// Rehearse sends one message as Send does and returns the dialogue, one line each, "C:
// " for us and "S: " for the server, so that people can see why letters do not go out.
// Passwords are left out. The error is that of Send.
func (s *SMTP) Rehearse(ctx context.Context, m Message) ([]string, error) {
	said := &dialogue{}
	if s.user != nil {
		said.secret, _ = s.user.Password()
	}
	c := conversation{server: s, said: said, before: func() error { return nil }}
	defer c.quit()
	err := c.send(ctx, m)
	return said.lines, err
}

// maxDialogue bounds how many lines are kept: a server may say a lot.
const maxDialogue = 100

// dialogue keeps what is said in a conversation.
type dialogue struct {
	lines  []string
	secret string // never kept
}

func (d *dialogue) add(who, said string) {
	if d.secret != "" {
		said = strings.ReplaceAll(said, d.secret, "…")
	}
	for line := range strings.Lines(said) {
		if len(d.lines) < maxDialogue {
			d.lines = append(d.lines, who+": "+cut(strings.Map(visible, strings.ToValidUTF8(strings.TrimSpace(line), "\ufffd")), maxReason))
		}
	}
}

// heard keeps the reply that ended a stage with an error, which the library does not
// log.
func (d *dialogue) heard(err error) {
	if reply, ok := errors.AsType[*textproto.Error](err); ok && d != nil {
		d.add("S", fmt.Sprintf("%d %s", reply.Code, reply.Msg))
	}
}

// Debugf implements the library's Logger: it is told each line, without logins.
func (d *dialogue) Debugf(l log.Log) {
	who := "S"
	if l.Direction == log.DirClientToServer {
		who = "C"
	}
	d.add(who, fmt.Sprintf(l.Format, l.Messages...))
}

// Infof implements the library's Logger.
func (d *dialogue) Infof(l log.Log) { d.Debugf(l) }

// Warnf implements the library's Logger.
func (d *dialogue) Warnf(l log.Log) { d.Debugf(l) }

// Errorf implements the library's Logger.
func (d *dialogue) Errorf(l log.Log) { d.Debugf(l) }
