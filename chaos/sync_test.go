//go:build chaos

package chaos

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"typus/internal/processtest"
	"typus/internal/waittest"
)

// traced starts a server under strace, which writes each call that writes or syncs to a file.
// ended reads the file once the server has stopped.
func (s *site) traced(t *testing.T) (p *processtest.Running, ended func() []call) {
	t.Helper()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Fatalf("%v: run scripts/tools", err)
	}
	file := filepath.Join(t.TempDir(), "trace")
	wrapper := filepath.Join(t.TempDir(), "traced")
	line := fmt.Sprintf("#!/bin/sh\nexec '%s' -D -f -y -s 5000 -e trace=read,recvfrom,pwrite64,fsync,fdatasync,write,sendto -e signal=none -o '%s' '%s' \"$@\"\n", strace, file, program)
	if err := os.WriteFile(wrapper, []byte(line), 0o700); err != nil {
		t.Fatal(err)
	}
	p = processtest.Serve(t, wrapper, s.environ)
	return p, func() []call {
		p.Stop(t)
		waittest.Until(t, "strace has written everything", func() bool {
			text, err := os.ReadFile(file)
			return err == nil && bytes.Contains(text, fmt.Appendf(nil, "\n%d ", p.Process.Pid)) && bytes.HasSuffix(bytes.TrimSpace(text), []byte("+++"))
		})
		return calls(t, file)
	}
}

// call is one call to the system, between the lines where it began and ended.
type call struct {
	name  string
	path  string // of its file, "socket:…" for a connection
	data  string // what it read or wrote, as strace writes it
	begun int
	ended int
}

var (
	wholeCall   = regexp.MustCompile(`^(\d+) +(\w+)\(\d+<([^>]*)>(.*)$`)
	resumedCall = regexp.MustCompile(`^(\d+) +<\.\.\. (\w+) resumed>(.*)$`)
)

// calls are those of a trace, in the order in which they began.
func calls(t *testing.T, file string) []call {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var list []call
	under := map[string]int{} // by thread
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for n := 0; lines.Scan(); n++ {
		if m := wholeCall.FindStringSubmatch(lines.Text()); m != nil {
			list = append(list, call{name: m[2], path: m[3], data: m[4], begun: n, ended: n})
			if strings.HasSuffix(m[4], "<unfinished ...>") {
				list[len(list)-1].ended = 1 << 60 // unless it is resumed
				under[m[1]] = len(list) - 1
			}
		} else if m := resumedCall.FindStringSubmatch(lines.Text()); m != nil {
			if i, there := under[m[1]]; there && list[i].name == m[2] {
				list[i].data, list[i].ended = list[i].data+m[3], n
				delete(under, m[1])
			}
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

func (c call) toLog() bool { return strings.HasSuffix(c.path, "typus.db-wal") }
func (c call) sync() bool  { return c.name == "fsync" || c.name == "fdatasync" }
func (c call) toPeer() bool {
	return strings.HasPrefix(c.path, "socket:") && (c.name == "write" || c.name == "sendto")
}

// Whoever is answered has their write on the disk: between the last write of a commit to
// SQLite's log and the answer lies a sync of it. First one caller, of whom all that happens
// between request and answer is theirs; then many, whose invitations are found in the log by
// their references.
func TestAnAnswerComesAfterTheSyncOfItsCommit(t *testing.T) {
	t.Parallel()
	s := sqliteSite(t)
	a := s.newAccount(t, 1000, 8)
	p, ended := s.traced(t)
	one := newNamedDriver(t, a, "alone", 1)
	driveUntil(t, one, size(40, 150), p.Addr)
	many := newNamedDriver(t, a, "many", 8)
	many.invites = true
	driveUntil(t, many, size(150, 600), p.Addr)
	list := ended()
	check(t, s, one, many)
	alone := checkAlone(t, list)
	if alone < one.acknowledged()/2 {
		t.Errorf("%d requests were acknowledged, only %d are in the trace", one.acknowledged(), alone)
	}
	invited := checkInvited(t, list, many)
	figures(t, "P2a %d answers to one caller and %d invitations of 8 at once, each sent after an fsync of the log that began after the commit's last write (%d calls traced)",
		alone, invited, len(list))
}

// driveUntil drives until so many requests are acknowledged.
func driveUntil(t *testing.T, d *driver, n int, target string) {
	t.Helper()
	stop := d.drive(t, target)
	waittest.Within(t, 2*time.Minute, fmt.Sprint(n, " requests are acknowledged"), func() bool { return t.Failed() || d.acknowledged() >= n })
	stop()
}

// changing are the beginnings of requests that write: each of the lone caller's is a commit.
// The server may have read the first letter alone.
var changing = regexp.MustCompile(`"P?OST /(t/[^ ]*/(start|frage/\d+|antworten|fertig)|api/v1/invites) `)

// acknowledging are the beginnings of answers that say that something is stored.
var acknowledging = regexp.MustCompile(`"HTTP/1\.1 (200|201|303) `)

// checkAlone looks at each request of the lone caller, up to its answer, and says how many
// there were.
func checkAlone(t *testing.T, list []call) int {
	t.Helper()
	last := slices.IndexFunc(list, func(c call) bool { return strings.Contains(c.data, `many-`) })
	seen := 0
	for i, request := range list[:last] {
		if request.name != "read" || !strings.HasPrefix(request.path, "socket:") || !changing.MatchString(request.data) {
			continue
		}
		answer := slices.IndexFunc(list[i:], func(c call) bool {
			return c.toPeer() && c.path == request.path && strings.Contains(c.data, `"HTTP/1.1 `)
		})
		if answer < 0 || !acknowledging.MatchString(list[i+answer].data) {
			continue // the driver had stopped and gone
		}
		seen++
		within := list[i : i+answer]
		if why := unsynced(within, func(call) bool { return true }, within[0].begun, list[i+answer].begun); why != "" {
			t.Errorf("%.80s: %s", request.data, why)
		}
	}
	return seen
}

// checkInvited looks for each invitation's way from the log to the answer.
func checkInvited(t *testing.T, list []call, d *driver) int {
	t.Helper()
	seen := 0
	for _, p := range d.people {
		if p.id == 0 {
			continue
		}
		answer := slices.IndexFunc(list, func(c call) bool { return c.toPeer() && strings.Contains(c.data, `\"external_id\":\"`+p.ref+`\"`) })
		if answer < 0 {
			t.Errorf("the answer to %s is not in the trace", p.ref)
			continue
		}
		seen++
		named := regexp.MustCompile(regexp.QuoteMeta(p.ref) + `\D`)
		if why := unsynced(list[:answer], func(c call) bool { return named.MatchString(c.data) }, 0, list[answer].begun); why != "" {
			t.Errorf("the invitation of %s: %s", p.ref, why)
		}
	}
	return seen
}

// unsynced says what is missing between the first write to the log that is of the commit and
// the answer: such a write, or a sync of the log that began after it and ended before.
func unsynced(list []call, of func(call) bool, from, answer int) string {
	written := slices.IndexFunc(list, func(c call) bool {
		return c.name == "pwrite64" && c.toLog() && c.begun >= from && of(c)
	})
	if written < 0 {
		return "nothing was written to the log before the answer"
	}
	synced := slices.ContainsFunc(list[written:], func(c call) bool {
		return c.sync() && c.toLog() && c.begun > list[written].ended && c.ended < answer
	})
	if !synced {
		return "the log was not synced between its write and the answer"
	}
	return ""
}
