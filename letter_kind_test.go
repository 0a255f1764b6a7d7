package typus_test

import (
	"slices"
	"testing"

	"typus"
)

func TestEveryKindOfLetterIsKnownOnceWithItsReader(t *testing.T) {
	seen := map[typus.LetterKind]bool{}
	for _, k := range typus.LetterKinds(nil) {
		if seen[k] || k.Reader() == "" {
			t.Errorf("%s: seen before %t, read by %q", k, seen[k], k.Reader())
		}
		seen[k] = true
	}
	if len(seen) != 29 || typus.LetterKind("newsletter").Reader() != "" {
		t.Errorf("%d kinds are known", len(seen))
	}
}

func TestTheListsOfLettersAreTheAgreedOnes(t *testing.T) {
	written := []typus.LetterKind{typus.LetterInvitation, typus.LetterReminder, typus.LetterReceipt}
	candidate := append(slices.Clone(written), typus.LetterOwnCode, typus.LetterOwnReleased, typus.LetterOwnAnswered)
	for name, list := range map[string]struct{ got, want []typus.LetterKind }{
		"to the candidate":     {typus.LetterKinds(typus.LetterKind.ToCandidate), candidate},
		"an account may write": {typus.TemplateKinds(), written},
		"counted":              {typus.LetterKinds(typus.LetterKind.Counted), append(slices.Clone(written), typus.LetterOwnReleased, typus.LetterTeamInvitation)},
		"needed always": {typus.LetterKinds(typus.LetterKind.NeededAlways), []typus.LetterKind{
			typus.LetterOwnCode, typus.LetterOwnReleased, typus.LetterOwnAnswered, typus.LetterOwnAsked, typus.LetterPasswordReset, typus.LetterEmailChange, typus.LetterEmailChanged, typus.LetterSignUp,
			typus.LetterEmailMoved, typus.LetterEmailRestored, typus.LetterPasswordChanged, typus.LetterTOTPOn, typus.LetterTOTPOff, typus.LetterTOTPReset, typus.LetterRecoveryCodes,
		}},
		"urgent": {typus.LetterKinds(typus.LetterKind.Urgent), []typus.LetterKind{
			typus.LetterOwnCode, typus.LetterPasswordReset, typus.LetterEmailChange, typus.LetterEmailChanged, typus.LetterSignUp, typus.LetterEnrolment, typus.LetterEmailMoved, typus.LetterEmailRestored,
			typus.LetterPasswordChanged, typus.LetterTOTPOn, typus.LetterTOTPOff, typus.LetterTOTPReset, typus.LetterRecoveryCodes,
		}},
	} {
		if !slices.Equal(list.got, list.want) {
			t.Errorf("%s: %v, want %v", name, list.got, list.want)
		}
	}
}
