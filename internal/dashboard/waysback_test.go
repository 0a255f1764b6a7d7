package dashboard

import (
	"net/http"
	"testing"
	"time"

	"typus"
)

// Somebody has moved the login to an address of theirs, and nobody has read the letter
// to the former one in time. The operator lets its owner in.
func TestAnIntruderGetsNoWayBackOnceTheOperatorHasHelped(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		ada := w.person("ada@example.com", member)
		w.moved(w.loggedIn(ada.Email), "intruder1@example.com")
		w.Later(typus.TakeBackLife)
		intruders := w.moved(w.loggedIn("intruder1@example.com"), "intruder2@example.com")
		link, _, err := w.Access.RecoverUser(w.Ctx, w.Account, "intruder2@example.com", "operator")
		w.Must(err)
		mine := w.stranger()
		mine.post(w.pathOf(link, nil), fields("password", goodPassword)).want(t, http.StatusSeeOther)
		w.stranger().post(intruders, fields("password", newPassword)).want(t, http.StatusNotFound, "gilt nicht mehr")

		w.Later(time.Hour)
		before, me := w.brought(w.Account, typus.LetterEmailChanged), w.loggedIn("intruder2@example.com")
		me.post(profilePath+"/email", fields("email", "ada@example.com", "password", goodPassword)).want(t, http.StatusSeeOther)
		me.post("/bestaetigen/"+w.brought(w.Account, typus.LetterEmailChange), nil).want(t, http.StatusSeeOther)
		if after := w.brought(w.Account, typus.LetterEmailChanged); after != before {
			t.Error("the intruder's address is told a way back")
		}
		if told := w.toldOf(); told[0] != "email_moved to intruder2@example.com" || w.present(ada) != "ada@example.com" {
			t.Errorf("the login is %s, and told is %q", w.present(ada), told)
		}
		way := w.moved(me, "ada2@example.com") // once: this one could be another intruder's
		w.stranger().post(way, fields("password", newPassword)).want(t, http.StatusSeeOther)
		if got := w.present(ada); got != "ada@example.com" {
			t.Errorf("the login is %s", got)
		}
	})
}

// What a link of the operator's has done is over with the link.
func TestAWayBackIsGivenAgainAWeekAfterTheOperatorHasHelped(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		ada := w.person("ada@example.com", member)
		link := w.pathOf(w.Access.NewPasswordLink(w.Ctx, w.Account, ada.Email, "operator"))
		w.stranger().post(link, fields("password", goodPassword)).want(t, http.StatusSeeOther)
		w.Later(typus.InviteLinkLife)
		way := w.moved(w.loggedIn(ada.Email), "intruder@example.com")
		w.stranger().post(way, fields("password", newPassword)).want(t, http.StatusSeeOther)
		if got := w.present(ada); got != ada.Email {
			t.Errorf("the login is %s", got)
		}
	})
}

// One change was made while the clock was ahead; an intruder made the next, and then set
// up a second factor.
func TestAnIntrudersSecondFactorGoesThoughAClockWasAheadBefore(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		ada := w.person("ada@example.com", owner)
		w.Later(72 * time.Hour)
		w.moved(w.loggedIn(ada.Email), "ada1@example.com")
		w.Later(-72 * time.Hour)
		intruder := w.loggedIn("ada1@example.com")
		way := w.moved(intruder, "intruder@example.com")
		intruder.withTOTP()
		mine := w.stranger()
		mine.follow(mine.post(way, fields("password", newPassword))).want(t, http.StatusOK)
		if got := w.present(ada); got != "ada1@example.com" || !mine.in() || w.hasFactor(ada) {
			t.Errorf("the login is %s; its owner is in: %t, the intruder's second factor is there: %t", got, mine.in(), w.hasFactor(ada))
		}
	})
}
