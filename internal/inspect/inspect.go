// Package inspect helps whoever writes a receiver of webhooks (webhook debugger): it says
// why a signature does not match, and tries a receiver.
package inspect

import (
	"crypto/hmac"
	"crypto/sha256"
	"slices"
	"strconv"
	"strings"
	"time"

	"typus/internal/webhook"
)

// MaxBody is how many bytes of a pasted body are looked at: the longest payload, and as
// much again for spaces and escapes.
const MaxBody = 2 * webhook.MaxPayload

// Pasted is what somebody has received and wants to have explained. Nothing of it is
// kept.
type Pasted struct {
	Secret  string  // as the receiver holds it, "" to try only Known
	Known   []Known // live secrets that are tried beside it
	Headers Headers
	Body    []byte
	Sent    []byte // the body that was sent with this webhook-id, nil if unknown
	Now     time.Time

	bodies []variant // what Body may have been, made once
}

// Known is a live secret with what it is called.
type Known struct{ Name, Secret string }

// Verdict says what was found out about one signature.
type Verdict string

// The verdicts. Late is right for a receiver whose clock stood near its timestamp then.
const (
	Right   Verdict = "right"
	Late    Verdict = "late"
	Wrong   Verdict = "wrong"
	Missing Verdict = "missing" // it is not among the headers
)

// Finding is what was found out about one signature.
type Finding struct {
	Header  string // its name
	Verdict Verdict
	Causes  []Cause // why it is not right, likely ones, in the order in which to mend them
	By      string  // the name of the Known secret that it fits, "" for the pasted one
}

// Difference is where a pasted body first differs from the one that was sent.
type Difference struct {
	At           int // bytes before it
	Pasted, Sent string
}

// Inspection is what was found out about a pasted request.
type Inspection struct {
	Service, Standard Finding
	Difference        *Difference // nil: there is none, or nobody knows what was sent
}

// OK reports whether a receiver takes the request now: each signature that is there is
// right, and one is.
func (i Inspection) OK() bool {
	return !i.Empty() && i.Service.fits() && i.Standard.fits() && i.Standard.Verdict != Late
}

// Empty reports whether there is no signature among the headers.
func (i Inspection) Empty() bool {
	return i.Service.Verdict == Missing && i.Standard.Verdict == Missing
}

// fits reports whether nothing is wrong with a signature but perhaps its age.
func (f Finding) fits() bool { return f.Verdict != Wrong }

// Delivery checks both signatures of a request as a receiver does. Where one is not
// right, it tries what receivers commonly do to secret, body and value, the simplest
// first, and names what makes it fit.
func Delivery(p Pasted) Inspection {
	p.Body = p.Body[:min(len(p.Body), MaxBody)]
	p.bodies = bodies(p.Body)
	i := Inspection{Service: p.service(), Standard: p.standard()}
	if p.Sent != nil && !slices.Equal(p.Sent, p.Body) && (p.fitsSent(serviceScheme) || p.fitsSent(standardScheme)) {
		d := differ(p.Body, p.Sent)
		i.Difference = &d
	}
	i.Service.conclude(i.Standard, i.Difference != nil)
	i.Standard.conclude(i.Service, i.Difference != nil)
	return i
}

// conclude gives a signature for which nothing fits the cause that remains.
func (f *Finding) conclude(other Finding, changed bool) {
	if f.Verdict != Wrong || len(f.Causes) > 0 {
		return
	}
	switch {
	case changed:
		f.Causes = []Cause{{Key: BodyChanged}}
	case other.Verdict == Right || other.Verdict == Late:
		f.Causes = []Cause{{Key: ValueChanged}}
	default:
		f.Causes = []Cause{{Key: Unknown}}
	}
}

func (p Pasted) service() Finding {
	f := Finding{Header: p.Headers.prefix + "-Signature", Verdict: Missing}
	value, alt := p.Headers.Get(f.Header), p.Headers.Get(f.Header+"-Alt")
	switch {
	case value == "" && alt == "":
		return f
	case value == "":
		f.judge(p, serviceScheme, alt)
		f.Verdict, f.Causes = Wrong, append(f.Causes, Cause{Key: OnlyAlt})
		return f
	}
	f.judge(p, serviceScheme, value)
	if f.Verdict == Wrong && alt != "" {
		other := Finding{}
		if other.judge(p, serviceScheme, alt); other.Verdict == Right {
			f.Causes, f.By = []Cause{{Key: FitsAlt}}, other.By
		}
	}
	return f
}

func (p Pasted) standard() Finding {
	f := Finding{Header: "webhook-signature", Verdict: Missing}
	value := p.Headers.Get(f.Header)
	if value == "" {
		return f
	}
	if p.Headers.Get("webhook-id") == "" || p.Headers.Get("webhook-timestamp") == "" {
		f.Verdict = Wrong
		if fits, found := p.match(standardScheme, value); found {
			f.Causes = fits.causes
			return f
		}
		f.Causes = []Cause{{Key: NoID}}
		return f
	}
	f.judge(p, standardScheme, value)
	if clock, off := p.clock(); off && !slices.Contains(f.Causes, clock) {
		f.Causes = append(f.Causes, clock)
		if f.Verdict == Right {
			f.Verdict = Late
		}
	}
	return f
}

func (f *Finding) judge(p Pasted, s scheme, value string) {
	f.Verdict = Wrong
	if strings.Contains(value, "…") {
		f.Causes = []Cause{{Key: ValueMasked}}
		return
	}
	fits, found := p.match(s, value)
	switch {
	case found && len(fits.causes) == 0:
		f.Verdict = Right
	case !found && p.cut(s, value):
		fits.causes = []Cause{{Key: ValueCut}}
	case !found && isKey(p.Secret):
		fits.causes = []Cause{{Key: SecretKey}}
	}
	f.Causes, f.By = fits.causes, fits.by
}

// clock says how far webhook-timestamp is from now, if a receiver should not take it.
func (p Pasted) clock() (Cause, bool) {
	seconds, inMilliseconds, ok := p.Headers.stamp()
	if !ok {
		return Cause{Key: TimeUnreadable}, true
	}
	if inMilliseconds {
		return Cause{Key: TimeMilliseconds}, true
	}
	age := p.Now.Sub(time.Unix(seconds, 0))
	switch {
	case age > webhook.Tolerance:
		return Cause{Key: TimeOld, About: inWords(age)}, true
	case age < -webhook.Tolerance:
		return Cause{Key: TimeAhead, About: inWords(-age)}, true
	}
	return Cause{}, false
}

// inWords writes a duration in its one or two largest units, which every language knows.
func inWords(d time.Duration) string {
	minutes := int(d.Minutes())
	switch {
	case minutes >= 2*24*60:
		return strconv.Itoa(minutes/(24*60)) + " d"
	case minutes >= 60:
		return strconv.Itoa(minutes/60) + " h " + strconv.Itoa(minutes%60) + " min"
	}
	return strconv.Itoa(minutes) + " min"
}

// fitsSent reports whether a signature is that of the body that was sent. Only who has
// such a signature learns something about that body.
func (p Pasted) fitsSent(s scheme) bool {
	for _, k := range p.keys(s) {
		for _, message := range p.messages(s, p.Sent) {
			for _, value := range p.Headers.signatures(s) {
				if sig, ok := readValue(s, value); ok && hmac.Equal(sig.mac, sum(k.bytes, message.text)) {
					return true
				}
			}
		}
	}
	return false
}

func differ(pasted, sent []byte) Difference {
	at := 0
	for at < min(len(pasted), len(sent)) && pasted[at] == sent[at] {
		at++
	}
	return Difference{At: at, Pasted: excerpt(pasted, at), Sent: excerpt(sent, at)}
}

// excerpt is a body around a byte, with what cannot be seen as Go writes it.
func excerpt(body []byte, at int) string {
	const around = 12
	from, to := max(0, at-around), min(len(body), at+around)
	quoted := strconv.Quote(string(body[from:to]))
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}

func sum(key, message []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(message)
	return h.Sum(nil)
}
