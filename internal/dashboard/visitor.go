package dashboard

import (
	"net/http"
	"time"

	"typus"
	"typus/internal/auth"
	"typus/internal/page"
	"typus/internal/store"
)

// visitor is who sends a request. Before the login only the language is known.
type visitor struct {
	typus.Session
	User    typus.User
	Account typus.Account
	Reader  store.Reader // of candidates
	Trouble store.Trouble
	lang    string

	roles *[]typus.RoleProfile // nil until they are needed
	named map[string]string    // own role profiles that a list has named, by key
}

// known reports whether somebody is logged in, second factor included.
func (v visitor) known() bool { return v.User.ID != 0 && v.Verified }

// may reports whether the visitor is logged in with at least a role.
func (v visitor) may(least typus.UserRole) bool {
	return least == anyone || v.known() && v.User.Role.AtLeast(least)
}

// seesDecisions reports whether decisions are kept here and the visitor is told of them, where
// they are not blind. Interviewers neither decide nor see what was decided.
func (v visitor) seesDecisions() bool { return v.may(viewer) && !v.Account.DecidesElsewhere }

// confirmed reports whether the visitor gave the password within that time, so that
// secrets may be shown without asking for it again. A time in the future, from before
// the clock was set back, does not count.
func (v visitor) confirmed(now time.Time, within time.Duration) bool {
	age := now.Sub(v.ConfirmedAt)
	return age >= 0 && age < within
}

// seenEvery is how often the last use of a session is noted.
const seenEvery = time.Minute

// visitor finds out who sends the request. It costs one statement, and a second one in
// the first request of a minute.
func (f *face) visitor(r *http.Request) (visitor, error) {
	v := visitor{lang: page.Language(r, "", "")}
	cookie, _ := r.Cookie(f.sessionCookie()) // nil without one
	if cookie == nil || !auth.WellFormedSession(cookie.Value) {
		return v, nil
	}
	hash, now := auth.Hash(cookie.Value), f.now()
	found, err := f.Store.SessionByToken(r.Context(), hash)
	if typus.Is(err, typus.NotFound) {
		return v, nil
	}
	if err != nil {
		return v, err
	}
	if !found.Session.Live(now) {
		return v, nil
	}
	if now.Sub(found.Session.SeenAt) >= seenEvery {
		if err := f.touch(r, found.Session.Hash, now); err != nil {
			return v, err
		}
	}
	return visitor{
		Session: found.Session, User: found.User, Account: found.Account, Reader: found.Reader, Trouble: found.Trouble,
		lang: page.Language(r, found.User.Language, found.Account.Language),
	}, nil
}

// touch notes that a session is in use.
func (f *face) touch(r *http.Request, hash string, at time.Time) error {
	return f.Store.InTx(r.Context(), func(tx *store.Tx) error {
		return tx.TouchSession(r.Context(), hash, at)
	})
}
