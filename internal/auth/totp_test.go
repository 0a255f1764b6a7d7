package auth_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"typus/internal/auth"
)

// rfcSeed is the ASCII seed of RFC 6238, appendix B, "12345678901234567890".
const rfcSeed = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"

func TestCodesAreThoseOfTheRFC(t *testing.T) {
	for at, want := range map[int64]string{59: "287082", 1111111109: "081804", 1111111111: "050471", 1234567890: "005924", 2000000000: "279037", 20000000000: "353130"} {
		if got, err := auth.TOTPCode(rfcSeed, time.Unix(at, 0)); got != want || err != nil {
			t.Errorf("at %d: %s, %v; want %s", at, got, err, want)
		}
	}
}

func TestACodeIsFoundOneStepOffAndNoFurther(t *testing.T) {
	seed, now := auth.NewTOTPSeed(), time.Unix(1_800_000_010, 0)
	for off := -3; off <= 3; off++ {
		code, err := auth.TOTPCode(seed, now.Add(time.Duration(off)*30*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		step, ok, err := auth.TOTPStep(seed, " "+code[:3]+" "+code[3:], now)
		want := off >= -1 && off <= 1
		if err != nil || ok != want || ok && step != 1_800_000_010/30+int64(off) {
			t.Errorf("%d steps off: step %d, %t, %v", off, step, ok, err)
		}
	}
	for _, odd := range []string{"", "12345", "1234567", "abcdef", "１２３４５６"} {
		if _, ok, err := auth.TOTPStep(seed, odd, now); ok || err != nil {
			t.Errorf("%q: %t, %v", odd, ok, err)
		}
	}
	if _, _, err := auth.TOTPStep("no base32!", "123456", now); err == nil {
		t.Error("an unreadable seed is no error")
	}
}

func TestTheLinkOfASeedIsReadByApps(t *testing.T) {
	link, err := url.Parse(auth.TOTPLink(rfcSeed, "Typus", "a&b c@example.com"))
	if err != nil || link.Scheme != "otpauth" || link.Host != "totp" || link.Path != "/Typus:a&b c@example.com" ||
		link.Query().Get("secret") != rfcSeed || link.Query().Get("issuer") != "Typus" || strings.Contains(link.String(), "+") {
		t.Errorf("%s, %v", link, err)
	}
}

func TestRecoveryCodesAreReadHoweverTheyAreTyped(t *testing.T) {
	codes := auth.NewRecoveryCodes()
	if len(codes) != auth.RecoveryCodes {
		t.Fatalf("%d codes", len(codes))
	}
	seen := map[string]bool{}
	for _, code := range codes {
		plain, ok := auth.PlainRecoveryCode(code)
		if !ok || len(plain) != 16 || seen[plain] {
			t.Errorf("%q becomes %q, %t", code, plain, ok)
		}
		seen[plain] = true
		for _, typed := range []string{strings.ToUpper(code), " " + strings.ReplaceAll(code, "-", " ") + "\n", plain} {
			if got, ok := auth.PlainRecoveryCode(typed); got != plain || !ok {
				t.Errorf("%q becomes %q, %t", typed, got, ok)
			}
		}
	}
	for _, odd := range []string{"", "123456", "aaaa-bbbb-cccc", "aaaa-bbbb-cccc-dddd-eeee", "0189-0189-0189-0189"} {
		if _, ok := auth.PlainRecoveryCode(odd); ok {
			t.Errorf("%q passes", odd)
		}
	}
}

func TestTheWorkIsTheSameForNobody(t *testing.T) {
	before := auth.PasswordWork()
	if err := auth.CheckNoPassword(t.Context(), "vier lose Wörter hier"); err != nil {
		t.Fatal(err)
	}
	if n := auth.PasswordWork() - before; n != 1 {
		t.Errorf("%d passwords were worked on, want 1", n)
	}
	phc, err := auth.HashPassword(t.Context(), "vier lose Wörter hier")
	if err != nil || auth.Outdated(phc) || !auth.Outdated(strings.Replace(phc, "m=19456", "m=4096", 1)) || auth.Outdated("nonsense") {
		t.Errorf("outdated: %q, %v", phc, err)
	}
}

func TestSessionTokensAreWellFormedAndNeverRepeat(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		token := auth.NewSession()
		if !auth.WellFormedSession(token) || len(token) != 43 || seen[token] || auth.WellFormedToken(token) {
			t.Fatalf("%q", token)
		}
		seen[token] = true
	}
	if auth.WellFormedSession(strings.Repeat("a", 42)+"-") || auth.WellFormedSession("") {
		t.Error("an odd token passes")
	}
}
