package webhook

import (
	"context"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"typus/internal/porttest"
	"typus/internal/webhook/hostiletest"
)

func TestHostileReceiversEndTheAttemptAndAreNamed(t *testing.T) {
	outcomes := map[string]struct {
		status int
		code   string
	}{
		"never reads":              {0, CodeTimeoutHeaders},
		"never answers":            {0, CodeTimeoutHeaders},
		"drips its head":           {0, CodeTimeoutHeaders},
		"resets":                   {0, CodeReset},
		"closes":                   {0, CodeClosed},
		"speaks garbage":           {0, CodeMalformed},
		"garbles a header":         {0, CodeMalformed},
		"sends 10 MB of headers":   {0, CodeHeadTooLarge},
		"sends 103 without end":    {0, CodeHeadTooLarge},
		"sends 103 and closes":     {0, CodeClosed},
		"switches protocols":       {101, CodeOther},
		"drips its body":           {200, ""},
		"drips an error":           {500, Code5xx},
		"stalls its body":          {200, ""},
		"truncates its body":       {200, ""},
		"has an endless body":      {200, ""},
		"breaks the second call":   {204, ""},
		"answers 200":              {200, ""},
		"answers 299":              {299, ""},
		"answers 300":              {300, Code3xx},
		"answers 304":              {304, Code3xx},
		"answers 400":              {400, Code4xx},
		"answers 410":              {410, CodeGone},
		"answers 429":              {429, Code429},
		"answers 503":              {503, Code5xx},
		"answers 999":              {999, CodeOther},
		"refreshes to another URL": {200, ""},
	}
	for name, behaviour := range hostiletest.Behaviours {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, said := outcomes[name]
			if !said {
				t.Fatal("nobody has said what comes of it")
			}
			bounds := unhurried()
			if c.code == CodeTimeoutHeaders || slices.Contains([]string{"drips its body", "drips an error", "stalls its body", "switches protocols"}, name) {
				bounds = quick()
			}
			r := hostiletest.Start(t, behaviour)
			out := client(t, ClientOptions{limits: bounds}).Post(t.Context(), request(r.URL))
			a := out.Attempt
			if a.HTTPStatus != c.status || a.ErrorCode != c.code {
				t.Errorf("status %d, code %q; want %d, %q", a.HTTPStatus, a.ErrorCode, c.status, c.code)
			}
			if out.Delivered != (c.code == "") || out.Gone != (c.status == 410) || out.RetryAfter != 0 {
				t.Errorf("outcome %+v", out)
			}
			if len(a.ResponseBody) > MaxBody || len(a.ResponseHead) > maxLoggedHead {
				t.Errorf("%d bytes of body and %d of head are kept", len(a.ResponseBody), len(a.ResponseHead))
			}
			if r.Connections() != 1 {
				t.Errorf("%d connections, want 1", r.Connections())
			}
		})
	}
}

func TestWhatCameOfABodyIsKept(t *testing.T) {
	for name, c := range map[string]struct {
		behaviour hostiletest.Behaviour
		want      string
	}{
		"endless":  {hostiletest.EndlessBody, strings.Repeat("x", MaxBody)},
		"stalled":  {hostiletest.StallsBody, "half"},
		"cut off":  {hostiletest.TruncatesBody, "half"},
		"complete": {hostiletest.Answers(500), "thanks"},
		"switched": {hostiletest.SwitchesProtocols, ""},
	} {
		r := hostiletest.Start(t, c.behaviour)
		bounds := unhurried()
		if name == "stalled" || name == "switched" {
			bounds = quick()
		}
		if a := client(t, ClientOptions{limits: bounds}).Post(t.Context(), request(r.URL)).Attempt; string(a.ResponseBody) != c.want {
			t.Errorf("%s: %d bytes %.20q are kept, want %d", name, len(a.ResponseBody), a.ResponseBody, len(c.want))
		}
	}
}

func TestRedirectsAreShownAndNotFollowed(t *testing.T) {
	target := hostiletest.Start(t, hostiletest.Answers(200))
	for _, status := range []int{301, 302, 303, 307, 308} {
		r := hostiletest.Start(t, hostiletest.Answers(status, "Location: "+target.URL))
		out := client(t, ClientOptions{}).Post(t.Context(), request(r.URL))
		if out.Delivered || out.Attempt.ErrorCode != Code3xx || !strings.Contains(out.Attempt.ResponseHead, "Location: "+target.URL) {
			t.Errorf("%d: %+v", status, out)
		}
	}
	if target.Connections() != 0 {
		t.Error("a redirect was followed")
	}
}

func TestTheHintOfAnOverloadedReceiverIsTakenOver(t *testing.T) {
	for status, want := range map[int]time.Duration{429: 2 * time.Minute, 503: 2 * time.Minute, 500: 0} {
		r := hostiletest.Start(t, hostiletest.Answers(status, "Retry-After: 120"))
		if out := client(t, ClientOptions{}).Post(t.Context(), request(r.URL)); out.RetryAfter != want {
			t.Errorf("%d: hint %s, want %s", status, out.RetryAfter, want)
		}
	}
}

func TestAClosedPortIsSaidToRefuse(t *testing.T) {
	if a := client(t, ClientOptions{}).Post(t.Context(), request("http://"+porttest.Free(t))).Attempt; a.ErrorCode != CodeRefused {
		t.Errorf("attempt %+v", a)
	}
}

// Under a clock of its own the true limits can be asserted to the nanosecond.
func TestTheLimitsOfAnAttempt(t *testing.T) {
	for name, c := range map[string]struct {
		url       string
		behaviour hostiletest.Behaviour
		code      string
		want      time.Duration
	}{
		"answers at once":           {"http", hostiletest.Answers(200), "", 0},
		"never takes the request":   {"http", hostiletest.NeverReads, CodeTimeoutBody, 20 * time.Second},
		"never answers":             {"http", hostiletest.NeverAnswers, CodeTimeoutHeaders, 15 * time.Second},
		"drips its head":            {"http", hostiletest.DripsHead, CodeTimeoutHeaders, 15 * time.Second},
		"drips its body":            {"http", hostiletest.DripsBody(200), "", time.Second},
		"stalls its body":           {"http", hostiletest.StallsBody, "", time.Second},
		"switches protocols":        {"http", hostiletest.SwitchesProtocols, CodeOther, 0},
		"never shakes hands in TLS": {"https", hostiletest.NeverAnswers, CodeTLSTimeout, 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				limited := client(t, ClientOptions{limits: defaultLimits(), Dial: pipeTo(c.behaviour)})
				r := request(c.url + "://hooks.example.com/")
				r.Event.Payload = make([]byte, MaxPayload) // more than the transport buffers
				a := limited.Post(t.Context(), r).Attempt
				if a.ErrorCode != c.code || a.Duration != c.want {
					t.Errorf("code %q after %s, want %q after %s", a.ErrorCode, a.Duration, c.code, c.want)
				}
				limited.Close()
				time.Sleep(time.Second) // the receiver notices and ends
			})
		})
	}
}

func pipeTo(b hostiletest.Behaviour) func(context.Context, string, string) (net.Conn, error) {
	return func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go func() {
			defer theirs.Close()
			b(theirs)
		}()
		return ours, nil
	}
}
