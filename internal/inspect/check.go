package inspect

import (
	"context"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"typus"
	"typus/internal/webhook"
)

// Trial is one delivery that tries a receiver, and what it made of it.
type Trial struct {
	Name   string // what was sent
	Answer string // the status, or why there was none
	Should string // what a receiver does with it
	OK     bool   // it did so, as far as can be seen from outside
}

// Receiver is a receiver to be tried.
type Receiver struct {
	URL    string
	Secret string // whsec_ and base64, as the receiver holds it
	Prefix string // of the service's own header names, "" is X-Service
	Clock  typus.Clock
}

// sent is one of the deliveries: what is different about it from a right one.
type sent struct {
	name, should string
	refused      bool // a receiver refuses it
	body         func(body string) string
	secrets      func(secret string) map[typus.SecretRole]string
	age          time.Duration // of its timestamp
	again        bool          // with the id of the one before
	slow         bool          // its body comes in pieces
}

const (
	accepts = "answers with 2xx"
	refuses = "refuses it with 401 or another 4xx"
)

// checks are the eleven deliveries, in their order.
var checks = []sent{
	{name: "a right delivery", should: accepts},
	{name: "a forged one, signed with another secret", should: refuses, refused: true, secrets: func(string) map[typus.SecretRole]string {
		return map[typus.SecretRole]string{typus.SecretCurrent: webhook.NewSecret()}
	}},
	{name: "an old one, sent an hour ago", should: refuses + ", if it checks webhook-signature", refused: true, age: time.Hour},
	{name: "the first one once more, with the same webhook-id", should: accepts + ", and does the work once", again: true},
	{name: "umlauts, an emoji and &<>", should: accepts, body: func(body string) string {
		return strings.Replace(body, "Jana Beispiel", "Jürgen Müller & Söhne <b> 😀", 1)
	}},
	{name: "a body of 64 KiB", should: accepts, body: func(body string) string {
		const member = `,"later":""}`
		return strings.TrimSuffix(body, "}") + `,"later":"` + strings.Repeat("x", webhook.MaxPayload-len(body)-len(member)+1) + `"}`
	}},
	{name: "an additional member that it does not know", should: accepts, body: func(body string) string {
		return strings.TrimSuffix(body, "}") + `,"later":{"a":[1,null]}}`
	}},
	{name: "external_id null", should: accepts, body: func(body string) string {
		return strings.Replace(body, `"external_id":"`+webhook.TestCandidate.ExternalID+`"`, `"external_id":null`, 1)
	}},
	{name: "during a change of secrets: its secret is the second one", should: accepts, secrets: func(secret string) map[typus.SecretRole]string {
		return map[typus.SecretRole]string{typus.SecretCurrent: webhook.NewSecret(), typus.SecretNext: secret}
	}},
	{name: "a body that comes slowly, in pieces", should: accepts, slow: true},
	{name: "one more on the same connection", should: accepts},
}

// Check tries a receiver with eleven deliveries of test events, one after the other. Error
// of kind Invalid: the address or the secret is none.
func Check(ctx context.Context, r Receiver) ([]Trial, error) {
	if rightKey(standardScheme, r.Secret) == nil {
		return nil, typus.Errorf(typus.Invalid, "the secret is not whsec_ followed by base64")
	}
	guard := webhook.NewGuard(anywhere)
	url, err := guard.CheckURL(r.URL)
	if err != nil {
		return nil, err
	}
	line := &line{}
	client, err := webhook.NewClient(webhook.ClientOptions{Guard: guard, HeaderPrefix: r.Prefix, Dial: line.dial})
	if err != nil {
		return nil, err
	}
	defer client.Close()
	var trials []Trial
	first := ""
	for _, s := range checks {
		request, err := s.request(r, url)
		if err != nil {
			return nil, err
		}
		if first == "" {
			first = request.Event.ID
		}
		if s.again {
			request.Event.ID = first
		}
		line.slow.Store(s.slow)
		trials = append(trials, s.judge(client.Post(ctx, request)))
	}
	return trials, nil
}

// anywhere lets a developer try what runs on their own machine: the command is theirs, and
// so is the network.
var anywhere = webhook.Policy{AllowHTTP: true, AllowNets: []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}}

func (s sent) request(r Receiver, url string) (webhook.Request, error) {
	now := r.Clock.Now()
	body, err := webhook.TestPayload(sampleScores, webhook.TestCandidate.ExternalID, url, now)
	if err != nil {
		return webhook.Request{}, err
	}
	if s.body != nil {
		body = []byte(s.body(string(body)))
	}
	secrets := map[typus.SecretRole]string{typus.SecretCurrent: r.Secret}
	if s.secrets != nil {
		secrets = s.secrets(r.Secret)
	}
	return webhook.Request{
		URL: url, Event: typus.Event{ID: webhook.NewEventID(now), Type: typus.EventCandidateCompleted, Payload: body},
		DeliveryID: webhook.NewDeliveryID(now), Attempt: 1, Secrets: secrets, At: now.Add(-s.age),
	}, nil
}

// judge says what a receiver did with a delivery.
func (s sent) judge(out webhook.Outcome) Trial {
	status := out.Attempt.HTTPStatus
	t := Trial{Name: s.name, Should: s.should, Answer: out.Attempt.ErrorCode, OK: out.Delivered}
	if status != 0 {
		t.Answer = strconv.Itoa(status)
	}
	if s.refused {
		t.OK = status >= 400 && status < 500
	}
	return t
}

// sampleScores have the form of a result, and the keys of nobody's.
var sampleScores = typus.Scores{
	Overall: 77, Fit: typus.Fit{Key: "C", Label: "Beispiel"}, Persona: typus.Persona{Key: "allrounder", Name: "Beispiel", Subtitle: "Beispiel"},
	Dimensions: []typus.DimensionScore{{Key: "achievement_drive", Name: "Beispiel", Score: 61}},
	Warnings:   []typus.Warning{},
}
