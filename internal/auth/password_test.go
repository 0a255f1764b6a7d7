package auth_test

import (
	"strings"
	"testing"

	"typus"
	"typus/internal/auth"
)

func TestAPasswordMatchesItsHashAndNoOtherDoes(t *testing.T) {
	const password = "vier Wörter und 😀 dazu"
	phc, err := auth.HashPassword(t.Context(), password)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(phc, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Fatalf("the hash %q has not the promised parameters", phc)
	}
	for try, want := range map[string]bool{password: true, password + " ": false, "": false, strings.ToUpper(password): false} {
		got, err := auth.CheckPassword(t.Context(), try, phc)
		if err != nil || got != want {
			t.Errorf("CheckPassword(%q) = %t, %v; want %t", try, got, err, want)
		}
	}
}

func TestTheSamePasswordHashesDifferentlyEachTime(t *testing.T) {
	first, _ := auth.HashPassword(t.Context(), "twelve chars and more")
	second, _ := auth.HashPassword(t.Context(), "twelve chars and more")
	if first == second {
		t.Fatal("two hashes of one password are equal: the salt is not random")
	}
}

func TestAnUnreadableHashIsAnErrorNotAMismatch(t *testing.T) {
	for _, phc := range []string{"", "secret", "$2a$10$abcdefghijklmnopqrstuv", "$argon2id$v=19$m=x$$",
		"$argon2id$v=19$m=4194304,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", // 4 GB
		"$argon2id$v=19$m=64,t=4294967295,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
		"$argon2id$v=19$m=64,t=0,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
		"$argon2id$v=19$m=64,t=1,p=0$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
		"$argon2id$v=19$m=64,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$", // a key of nothing, which every password has
	} {
		ok, err := auth.CheckPassword(t.Context(), "twelve chars and more", phc)
		if ok || err == nil || typus.KindOf(err) != typus.Internal {
			t.Errorf("CheckPassword(…, %q) = %t, %v; want an internal error", phc, ok, err)
		}
	}
}

func TestPasswordFaultNamesTheFault(t *testing.T) {
	const email, name, company = "jordan.rivera@lager-nord.example.com", "Jordan Rivera", "Möbelhaus Öztürk GmbH"
	for password, want := range map[string]string{
		"eleven char":  auth.PasswordTooShort,
		"twelve chars": "",
		"zwölf Zeiche": "",
		strings.Repeat("vierÜ wort", 12) + "acht mal": "",
		strings.Repeat("zwölf", 13)[:64]:              "",
		strings.Repeat("vierÜ wort", 13):              auth.PasswordTooLong,
		"password1234":                                auth.PasswordCommon,
		"!!PassWord 2026!!":                           auth.PasswordCommon,
		"1qaz2wsx3edc":                                auth.PasswordCommon,
		"123456789012":                                auth.PasswordCommon,
		"Unbelievable":                                auth.PasswordCommon,
		"aaaaaaaaaaaa":                                auth.PasswordCommon,
		"12121212121212":                              auth.PasswordCommon,
		"        x        ":                           auth.PasswordCommon,
		"# permission is hereby granted":              "",
		"jordanrivera801":                             auth.PasswordPersonal,
		"my-RIVERA-2026!":                             auth.PasswordPersonal,
		"LAGER-und-Bestand":                           auth.PasswordPersonal,
		"das MÖBELHAUS am Eck":                        auth.PasswordPersonal,
		"com und ein langer Satz":                     "",
		"four\xffteen bytes":                          auth.PasswordMalformed,
		"unrelated battery horse staple 7":            "",
	} {
		if got := auth.PasswordFault(password, email, name, company); got != want {
			t.Errorf("PasswordFault(%.40q) = %q, want %q", password, got, want)
		}
	}
}
