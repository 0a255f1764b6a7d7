package typus_test

import (
	"testing"
	"time"

	"typus"
)

var right = time.Date(2026, 11, 28, 9, 30, 0, 0, time.UTC)

func TestALoginHoldsWhileItIsUsed(t *testing.T) {
	s := typus.Session{SeenAt: right, ExpiresAt: right.Add(typus.SessionLife)}
	for after, want := range map[time.Duration]bool{
		-30 * time.Second: true, // the clock of the server that began it is a little ahead
		0:                 true, typus.SessionIdle - time.Second: true, typus.SessionIdle: false,
	} {
		if s.Live(right.Add(after)) != want {
			t.Errorf("%v after its last use it holds: %v", after, !want)
		}
	}
	s.SeenAt = s.ExpiresAt.Add(-time.Second)
	if s.Live(s.ExpiresAt) {
		t.Error("it holds at its end")
	}
}

func TestALoginMadeWhileTheClockWasAheadEnds(t *testing.T) {
	for _, ahead := range []time.Duration{5 * time.Hour, 240 * time.Hour} {
		made := right.Add(ahead)
		s := typus.Session{SeenAt: made, ExpiresAt: made.Add(typus.SessionLife)}
		if s.Live(right) {
			t.Errorf("made %v ahead, it would hold for as much longer", ahead)
		}
	}
}

func TestALinkMadeWhileTheClockWasAheadIsNotGoodForLonger(t *testing.T) {
	for _, ahead := range []time.Duration{5 * time.Hour, 240 * time.Hour} {
		made := right.Add(ahead)
		l := typus.UserLink{Purpose: typus.LinkPassword, CreatedAt: made, ExpiresAt: made.Add(typus.MailLinkLife)}
		if !l.Usable(made) || l.Usable(right) {
			t.Errorf("made %v ahead, the link is good then: %v, and now: %v", ahead, l.Usable(made), l.Usable(right))
		}
		u := typus.SignUp{CreatedAt: made, ExpiresAt: made.Add(typus.SignUpLinkLife)}
		if !u.Usable(made) || u.Usable(right) {
			t.Errorf("made %v ahead, the sign-up is good then: %v, and now: %v", ahead, u.Usable(made), u.Usable(right))
		}
		e := typus.Enrolment{CreatedAt: made, ExpiresAt: made.Add(typus.EnrolmentLife)}
		if !e.Usable(made) || e.Usable(right) {
			t.Errorf("made %v ahead, the enrolment is good then: %v, and now: %v", ahead, e.Usable(made), e.Usable(right))
		}
	}
	l := typus.UserLink{Purpose: typus.LinkPassword, CreatedAt: right, ExpiresAt: right.Add(typus.MailLinkLife)}
	if !l.Usable(right.Add(-30*time.Second)) || l.Usable(l.ExpiresAt) {
		t.Error("a server whose clock is a little behind refuses it, or it has no end")
	}
}

func TestALinkThatTakesBackAChangeStaysGoodWhateverTheClockWas(t *testing.T) {
	l := typus.UserLink{Purpose: typus.LinkRestore, CreatedAt: right.Add(240 * time.Hour), ExpiresAt: right.Add(typus.TakeBackLife)}
	if !l.Usable(right) {
		t.Error("whose address was changed cannot take it back")
	}
}
