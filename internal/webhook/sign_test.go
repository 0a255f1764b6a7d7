package webhook

import (
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"typus"
)

const (
	vectorSecret   = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
	vectorID       = "evt_01JGJ6Q3YJ8X2V6W5T4S3R2Q1P"
	vectorTime     = 1767323045
	vectorSeed     = "sha256=ebe12770ddc331c6869159e0146c0b46b45800df053fc0b6b95da386788db461"
	vectorStandard = "v1,ZL0eeeS4zMRXEcpA/8mEqNV9Jl4R0X+r+f89I+1EbQ0="
)

func TestBothSignaturesMatchTheVector(t *testing.T) {
	if got := Sign(vectorSecret, []byte(vectorBody)); got != vectorSeed {
		t.Errorf("Sign = %s, want %s", got, vectorSeed)
	}
	got, err := SignStandard(vectorSecret, vectorID, vectorTime, []byte(vectorBody))
	if err != nil || got != vectorStandard {
		t.Errorf("SignStandard = %s, %v; want %s", got, err, vectorStandard)
	}
}

// The vector that the libraries of Standard Webhooks carry in their tests.
func TestTheStandardSignatureMatchesThePublishedVector(t *testing.T) {
	const want = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
	for _, secret := range []string{"MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"} {
		got, err := SignStandard(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, []byte(`{"test": 2432232314}`))
		if err != nil || got != want {
			t.Errorf("SignStandard with %s = %s, %v; want %s", secret, got, err, want)
		}
	}
}

func TestASecretThatIsNotBase64OrAnIDWithADotCannotSign(t *testing.T) {
	for _, secret := range []string{"", "whsec_", "whsec_äöü", "whsec_A", "plain words"} {
		_, err := SignStandard(secret, vectorID, vectorTime, nil)
		if err == nil || typus.KindOf(err) != typus.Invalid {
			t.Errorf("secret %q: error = %v, want Invalid", secret, err)
		}
		if secret != "" && err != nil && strings.Contains(err.Error(), strings.TrimPrefix(secret, "whsec_")) && len(secret) > 7 {
			t.Errorf("the error %v shows the secret", err)
		}
	}
	if _, err := SignStandard(vectorSecret, "evt_1.2", vectorTime, nil); err == nil {
		t.Error("an id with a dot passed")
	}
}

func TestVerifyTakesTheOneRightSignatureOnly(t *testing.T) {
	body := []byte(vectorBody)
	if !Verify(vectorSecret, vectorSeed, body) {
		t.Error("the right signature is refused")
	}
	for _, header := range []string{"", "sha256=", vectorSeed[7:], strings.ToUpper(vectorSeed), vectorSeed + "0", vectorSeed[:70] + "0"} {
		if Verify(vectorSecret, header, body) {
			t.Errorf("%q passes", header)
		}
	}
	if Verify(vectorSecret, vectorSeed, append(body, '\n')) || Verify(NewSecret(), vectorSeed, body) {
		t.Error("another body or another secret passes")
	}
}

func standardHeader(id string, at int64, signature string) http.Header {
	h := make(http.Header)
	h.Set("Webhook-Id", id)
	h.Set("Webhook-Timestamp", strconv.FormatInt(at, 10))
	h.Set("Webhook-Signature", signature)
	return h
}

func TestVerifyStandardTakesEachOfSeveralSignatures(t *testing.T) {
	now := time.Unix(vectorTime, 0)
	for _, signature := range []string{vectorStandard, "v1,other= " + vectorStandard, vectorStandard + " v1a,whatever"} {
		h := standardHeader(vectorID, vectorTime, signature)
		if err := VerifyStandard(vectorSecret, h, []byte(vectorBody), now); err != nil {
			t.Errorf("%q is refused: %v", signature, err)
		}
	}
}

func TestVerifyStandardRefusesWhatDoesNotMatch(t *testing.T) {
	now := time.Unix(vectorTime, 0)
	for what, h := range map[string]http.Header{
		"no headers":        {},
		"no signature":      standardHeader(vectorID, vectorTime, ""),
		"another signature": standardHeader(vectorID, vectorTime, "v1,"+base64.StdEncoding.EncodeToString(make([]byte, 32))),
		"another version":   standardHeader(vectorID, vectorTime, "v2"+vectorStandard[2:]),
		"another id":        standardHeader("evt_other", vectorTime, vectorStandard),
		"another time":      standardHeader(vectorID, vectorTime+1, vectorStandard),
	} {
		err := VerifyStandard(vectorSecret, h, []byte(vectorBody), now)
		if err == nil || typus.KindOf(err) != typus.Unauthorized {
			t.Errorf("%s: error = %v, want Unauthorized", what, err)
		}
	}
}

func TestVerifyStandardRefusesOldAndFutureTimes(t *testing.T) {
	h := standardHeader(vectorID, vectorTime, vectorStandard)
	for offset, want := range map[time.Duration]bool{
		0: true, Tolerance: true, -Tolerance: true, Tolerance + time.Second: false, -Tolerance - time.Second: false,
	} {
		err := VerifyStandard(vectorSecret, h, []byte(vectorBody), time.Unix(vectorTime, 0).Add(offset))
		if (err == nil) != want {
			t.Errorf("%s after signing: %v", offset, err)
		}
	}
}

func TestANewSecretSignsAndNeverRepeats(t *testing.T) {
	first, second := NewSecret(), NewSecret()
	if first == second || len(first) != len("whsec_")+44 {
		t.Errorf("secrets %q, %q", first, second)
	}
	if _, err := SignStandard(first, NewEventID(time.Now()), 1, nil); err != nil {
		t.Error(err)
	}
}

func TestIdsHaveTheirPrefixAndNeverRepeat(t *testing.T) {
	seen := make(map[string]bool)
	now := time.Now()
	for range 1000 {
		for prefix, id := range map[string]string{"evt_": NewEventID(now), "dlv_": NewDeliveryID(now)} {
			if !strings.HasPrefix(id, prefix) || len(id) != 30 || seen[id] {
				t.Fatalf("id %q is malformed or repeated", id)
			}
			seen[id] = true
		}
	}
}

// The delivery log is in the order of the ids.
func TestIdsAreInTheOrderOfTheirTimes(t *testing.T) {
	at := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	for _, later := range []time.Duration{time.Millisecond, time.Hour, 365 * 24 * time.Hour} {
		if first, second := NewDeliveryID(at), NewDeliveryID(at.Add(later)); first >= second {
			t.Errorf("%s, made %s later than %s, stands before it", second, later, first)
		}
	}
	if id := NewDeliveryID(time.Time{}); len(id) != 30 {
		t.Errorf("before 1970 the id is %q", id)
	}
}

func TestASealedSecretIsTiedToItsRowAndEndpoint(t *testing.T) {
	if got := SecretAAD(3, 7); got != "webhook_secret|3|7" {
		t.Errorf("SecretAAD = %q", got)
	}
}
