package dashboard

import (
	"fmt"
	"slices"
	"testing"

	"typus"
	"typus/internal/accounts"
	"typus/internal/store"
)

// What nobody sees comes along when a name is pasted. It is dropped from the names of things
// as from those of people: else two keys that look the same are two, and nobody can type the
// name of one to revoke it.
func TestTheNamesOfThingsDropWhatNobodySees(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		const pasted, plain = "\ufeffNord\u200b-S\u00adüd \u202eTeam\u202c\u200f", "Nord-Süd Team"
		c := w.as(admin)
		named := map[string]string{}

		c.post(keysPath+"/neu", fields("name", pasted, "scope", "all")).want(t, 303)
		keys, err := w.Store.APIKeys(w.Ctx, w.Account)
		w.Must(err)
		named["API key"] = keys[0].Name
		c.post(fmt.Sprintf("%s/%d/widerrufen", keysPath, keys[0].ID), fields("name", pasted)).want(t, 303)

		c.post(endpointsPath+"/neu", fields("url", "https://hooks.example.com/", "description", pasted)).want(t, 303)
		hooks, err := w.Store.Endpoints(w.Ctx, w.Account)
		w.Must(err)
		named["webhook"] = hooks[0].Description

		out := w.invited("Kim Muster", "")
		for _, tag := range []string{pasted, plain} {
			c.post(candidatePath(out.Candidate.ID)+"/tags", fields("tag", tag)).want(t, 303)
		}
		tags, err := w.Store.TagsOf(w.Ctx, w.Account, out.Candidate.ID)
		w.Must(err)
		if !slices.Equal(tags, []string{plain}) {
			t.Errorf("the tags are %q", tags)
		}

		id, err := w.Accounts.AddPosition(w.Ctx, store.WholeAccount(w.Account), typus.Position{Name: pasted, ClientKind: typus.ClientNamed, ClientName: pasted, Reminders: typus.RemindersOfAccount}, nil, by)
		w.Must(err)
		p, err := w.Store.Position(w.Ctx, w.Account, id)
		w.Must(err)
		named["position"], named["client"] = p.Name, p.ClientName

		expert := accounts.Expert{Name: pasted}
		role, err := w.Accounts.BeginRole(w.Ctx, w.Account, "general_sales", pasted, []accounts.Expert{expert, expert, expert}, "de", typus.Actor{Name: c.user.Email, UserID: c.user.ID})
		w.Must(err)
		r, err := w.Store.RoleProfile(w.Ctx, w.Account, role)
		w.Must(err)
		named["role profile"] = r.Name

		for what, name := range named {
			if name != plain {
				t.Errorf("the name of the %s is %q", what, name)
			}
		}
	})
}
