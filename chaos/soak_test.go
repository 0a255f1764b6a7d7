//go:build chaos

package chaos

import (
	"database/sql"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"typus/internal/processtest"
)

// soakVariable is how long the soak takes, such as 1h; without it there is none.
const soakVariable = "TYPUS_CHAOS_SOAK"

// sample is what a server has in use at a moment.
type sample struct {
	at    time.Duration
	value map[string]float64
}

// may is by how much a figure may grow over a soak, warming up not counted, as a share of its
// mean or in its unit, whichever is more.
var may = []struct {
	name  string
	share float64
	more  float64
	unit  string
}{
	{"memory", 0.10, 16, "MiB resident"},
	{"goroutines", 0.10, 20, "goroutines"},
	{"descriptors", 0.10, 10, "descriptors"},
	{"log", 0, 64, "MiB of write-ahead log"},
	{"rows of nobody", 0.10, 50, "rows that belong to no candidate"},
}

// ofNobody counts rows that do not become more with the candidates: what is under way, and what
// servers remember. The rest of the tables is people and what they did.
const ofNobody = `select (select count(*) from server_marks) + (select count(*) from chores) + (select count(*) from sheets)
	+ (select count(*) from sessions) + (select count(*) from login_failures) + (select count(*) from signups)`

// Under a steady load a server does not grow: not its memory, its goroutines, its descriptors,
// its log, nor what it keeps beside people's data.
func TestASteadyLoadMakesNothingGrow(t *testing.T) {
	given := os.Getenv(soakVariable)
	if given == "" {
		t.Skip("only with " + soakVariable)
	}
	while, err := time.ParseDuration(given)
	if err != nil || while < time.Minute {
		t.Fatalf("%s is %q", soakVariable, given)
	}
	metrics := address(t)
	s := sqliteSite(t, "TYPUS_METRICS_ADDR="+metrics)
	hook := newReceiver(t, nil)
	a := s.newAccount(t, 10_000_000, 8)
	s.hook(t, a, hook.url)
	d := newDriver(t, a, 8)
	d.every = 200 * time.Millisecond
	addr := address(t)
	p := s.serveAt(t, addr)
	stop := d.drive(t, addr)
	var samples []sample
	for begun, every := time.Now(), max(while/120, 2*time.Second); time.Since(begun) < while; time.Sleep(every) {
		samples = append(samples, sample{time.Since(begun), inUse(t, s, p, metrics)})
	}
	stop()
	awaitDeliveries(t, s, time.Minute)
	check(t, s, d)
	events, requests, again := checkDelivered(t, s, hook)
	p.Stop(t)
	warm := samples[len(samples)/2:]
	var said []string
	for _, m := range may {
		slope, mean := fitted(warm, m.name)
		grown := slope * (warm[len(warm)-1].at - warm[0].at).Hours()
		if grown > max(m.share*mean, m.more) {
			t.Errorf("%s: %.1f on average, grown by %.1f", m.unit, mean, grown)
		}
		said = append(said, fmt.Sprintf("%s %.1f (%+.1f an hour)", m.unit, mean, slope))
	}
	figures(t, "P18 %s: %d requests acknowledged, %d events in %d deliveries, %d of them again; %s",
		while, d.acknowledged(), events, requests, again, strings.Join(said, ", "))
}

// inUse reads what a server says of itself, and what can be seen of it.
func inUse(t *testing.T, s *site, p *processtest.Running, metrics string) map[string]float64 {
	t.Helper()
	resp, err := http.Get("http://" + metrics + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	told := func(name string) float64 {
		for line := range strings.Lines(string(text)) {
			if value, is := strings.CutPrefix(line, name+" "); is {
				n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
				if err != nil {
					t.Fatal(err)
				}
				return n
			}
		}
		t.Fatalf("the metrics have no %s", name)
		return 0
	}
	const mebi = 1 << 20
	use := map[string]float64{
		"memory": told("process_resident_memory_bytes") / mebi, "goroutines": told("go_goroutines"), "descriptors": told("process_open_fds"),
	}
	if info, err := os.Stat(s.database + "-wal"); err == nil {
		use["log"] = float64(info.Size()) / mebi
	}
	s.looking(t, func(db *sql.DB) { use["rows of nobody"] = float64(number(t, db, ofNobody)) })
	return use
}

// fitted is by how much a figure grows in an hour, and its mean: by the median of the slopes
// between each two samples (Theil and Sen), which outliers do not move, where they move that of
// least squares.
func fitted(samples []sample, name string) (float64, float64) {
	var slopes []float64
	sum := 0.0
	for i, s := range samples {
		sum += s.value[name]
		for _, before := range samples[:i] {
			slopes = append(slopes, (s.value[name]-before.value[name])/(s.at-before.at).Hours())
		}
	}
	slices.Sort(slopes)
	return slopes[len(slopes)/2], sum / float64(len(samples))
}

// A figure that jumps has no slope; a slow growth beneath the jumps has.
func TestASlopeIsToldFromNoise(t *testing.T) {
	t.Parallel()
	random := drawn(t)
	for _, growth := range []float64{0, 12} {
		var samples []sample
		for i := range 60 {
			at := time.Duration(i) * time.Minute
			v := 80 + growth*at.Hours() + random.Float64()
			if i%10 == 9 { // now and then much more, towards the end
				v += float64(i)
			}
			samples = append(samples, sample{at, map[string]float64{"memory": v}})
		}
		if slope, _ := fitted(samples, "memory"); math.Abs(slope-growth) > 3 {
			t.Errorf("a growth of %.0f an hour is found as %.1f", growth, slope)
		}
	}
}
