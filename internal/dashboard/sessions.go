package dashboard

import (
	"strings"
	"time"

	"typus"
)

// sessionRow is one login of the user.
type sessionRow struct {
	ID        string // names it in the form; nobody can log in with it
	Agent, IP string
	SeenAt    time.Time
	CreatedAt time.Time
	Current   bool
}

// sessionRows are the logins that hold, the one that asks first.
func sessionRows(list []typus.Session, current typus.Session, now time.Time) []sessionRow {
	var rows []sessionRow
	for _, s := range list {
		if !s.Verified || !s.Live(now) {
			continue
		}
		row := sessionRow{ID: sessionID(s), Agent: s.Agent, IP: s.IP, SeenAt: s.SeenAt, CreatedAt: s.CreatedAt, Current: s.Hash == current.Hash}
		if row.Current {
			rows = append([]sessionRow{row}, rows...)
		} else {
			rows = append(rows, row)
		}
	}
	return rows
}

func sessionID(s typus.Session) string { return s.Hash[:min(16, len(s.Hash))] }

// endSession ends one login of the user, or all but the present one.
func (f *face) endSession(v *visit) error {
	id := v.PostFormValue("sitzung")
	if id == "" {
		if err := f.Access.EndSession(v.Context(), v.User, "", v.Session.Hash, v.actor()); err != nil {
			return err
		}
		return f.done(v, profilePath, f.say(v, "profile.sessionsEnded"))
	}
	list, err := f.Store.SessionsOf(v.Context(), v.Account.ID, v.User.ID)
	if err != nil {
		return err
	}
	for _, s := range list {
		if len(id) >= 16 && strings.HasPrefix(s.Hash, id) {
			if err := f.Access.EndSession(v.Context(), v.User, s.Hash, "", v.actor()); err != nil {
				return err
			}
			return f.done(v, profilePath, f.say(v, "profile.sessionEnded"))
		}
	}
	return typus.Errorf(typus.NotFound, "there is no such session")
}
