package access_test

import (
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/access"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// Every start of an empty server makes a link.
func TestSetUpLinksLeaveNoMarksBehind(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := emptyWorld(t, s)
		link := func() string {
			t.Helper()
			address, err := w.Access.NewSetUpLink(w.Ctx)
			if err != nil {
				t.Fatal(err)
			}
			_, token, _ := strings.Cut(address, "token=")
			return token
		}
		marks := func() int {
			t.Helper()
			list, err := s.Marks(w.Ctx, "setup ")
			if err != nil {
				t.Fatal(err)
			}
			return len(list)
		}
		link()
		w.Later(typus.SetUpLinkLife - time.Minute)
		other := link() // of a second server
		w.Later(time.Minute)
		mine := link()
		if n := marks(); n != 2 {
			t.Errorf("%d links are marked, want the two that hold", n)
		}
		if err := w.Access.SetUpOpen(w.Ctx, other); err != nil {
			t.Errorf("the link of another server: %v", err)
		}
		f := access.Founding{Company: "Muster GmbH", Email: "ada@example.com", Password: "vier lose Wörter hier"}
		if _, err := w.Access.SetUp(w.Ctx, mine, f, 0, access.Device{}); err != nil {
			t.Fatal(err)
		}
		if n := marks(); n != 0 {
			t.Errorf("%d links are marked after the set-up", n)
		}
		w.WantKind(w.Access.SetUpOpen(w.Ctx, other), typus.NotFound)
	})
}

// How long results are kept is what the founder says, and holds together whatever it is.
func TestWhoFoundsAnAccountSaysHowLongResultsAreKept(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := emptyWorld(t, s)
		for _, days := range []int{-1, 3651} {
			err := w.Access.SignUp(w.Ctx, access.Founding{Company: "Muster GmbH", Email: "ada@example.com", Password: "vier lose Wörter hier", KeepDays: days}, access.Device{})
			w.WantKind(err, typus.Invalid)
		}
		for days, most := range map[int]int{0: 0, 30: 365, typus.NewKeepFinishedDays: 365, 400: 400} {
			a := typus.Account{}.KeptFor(days)
			if a.KeepFinishedDays != days || a.KeepUndecidedDays != most || !a.KeepFromDecision || a.KeepUnfinishedDays != typus.NewKeepUnfinishedDays {
				t.Errorf("%d days make %+v", days, a)
			}
		}
	})
}
