package testpage

import (
	"fmt"
	"testing"
	"time"
)

// TestTheTimeOfAnItemIsWhatTheServerCanVouchFor answers the second item some
// time after its page was made, with what the form claims about that.
func TestTheTimeOfAnItemIsWhatTheServerCanVouchFor(t *testing.T) {
	const paused, looked = 40 * time.Second, 5 * time.Second // since the first answer; since the page
	tests := []struct {
		name    string
		claimed func(shown time.Time) string
		looked  time.Duration
		want    time.Duration
	}{
		{"an honest form", unix(0), looked, looked},
		{"a form that claims more", unix(-time.Hour), looked, paused + looked},
		{"a form from the future", unix(time.Hour), looked, paused + looked},
		{"a form that claims no time at all", unix(looked), looked, time.Millisecond},
		{"no time", func(time.Time) string { return "" }, looked, paused + looked},
		{"nonsense", func(time.Time) string { return "9e99x" }, looked, paused + looked},
		{"a page left open over lunch", unix(0), time.Hour, maxActive},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			out, r := w.begun("de"), w.reader("de")
			w.answer(out.Token, 0, 1)
			w.Later(paused)
			r.open("/t/" + out.Token + "/frage/2")
			shown := w.Now()
			w.Later(tc.looked)
			r.press("Weiter", "antwort", "3", "gezeigt", tc.claimed(shown))
			if got := w.test(out.Token).Sheet.Answers[1].ActiveMS; got != int(tc.want.Milliseconds()) {
				t.Errorf("%d ms, not %d", got, tc.want.Milliseconds())
			}
		})
	}
}

func unix(shift time.Duration) func(time.Time) string {
	return func(shown time.Time) string { return fmt.Sprint(shown.Add(shift).UnixMilli()) }
}

func TestAskingAgainDoesNotStopTheClock(t *testing.T) {
	w := newWorld(t)
	out, r := w.begun("de"), w.reader("de")
	r.open("/t/" + out.Token + "/frage/1")
	w.Later(4 * time.Second)
	r.press("Weiter")
	w.Later(3 * time.Second)
	r.press("Weiter", "antwort", "1")
	if got := w.test(out.Token).Sheet.Answers[0].ActiveMS; got != 7000 {
		t.Errorf("%d ms", got)
	}
}

func TestALongAbsenceIsAPauseAndNotATime(t *testing.T) {
	w := newWorld(t)
	out, r := w.begun("de"), w.reader("de")
	r.open("/t/" + out.Token + "/frage/1")
	w.Later(30 * time.Minute)
	r.press("Weiter", "antwort", "1")
	if got := w.test(out.Token).Sheet.MaxPauseMS; got != int((30*time.Minute - maxActive).Milliseconds()) {
		t.Errorf("a pause of %d ms", got)
	}
}
