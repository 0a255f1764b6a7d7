package dashboard

import (
	"math"
	"strconv"
	"strings"

	"typus"
	"typus/internal/store"
)

// madeThings are the API keys that open the API and the webhooks of an account and of its test
// world that one person has made. What is on goes on without that person, who may know the keys
// and the secrets by heart; what is off may be switched on again, with the same secret.
type madeThings struct {
	KeysHeading, HooksHeading string // text keys
	Keys, Hooks               []madeThing
}

// madeThing is one of them.
type madeThing struct {
	Name string
	Mark string // of a key its fingerprint, of a webhook its host
	Path string // where it is revoked, or shown
	Test bool   // it is the test world's

	State, Badge string // of a webhook, as in endpointRow
}

// Any reports whether there is any.
func (m madeThings) Any() bool { return len(m.Keys)+len(m.Hooks) > 0 }

// madeBy finds what a user has made. It goes by the audit log, since an address that is noted
// at a key may have become another's.
func (f *face) madeBy(v *visit, u typus.User) (madeThings, error) {
	made := madeThings{KeysHeading: "team.madeKeys", HooksHeading: "team.madeHooks"}
	if u.ID == v.User.ID {
		made = madeThings{KeysHeading: "team.myKeys", HooksHeading: "team.myHooks"}
	}
	if err := f.madeIn(v, v.Account.ID, u, &made, false); err != nil {
		return made, err
	}
	world, err := f.Store.World(v.Context(), v.Account.ID)
	if typus.Is(err, typus.NotFound) {
		return made, nil
	}
	if err == nil {
		err = f.madeIn(v, world.ID, u, &made, true)
	}
	return made, err
}

func (f *face) madeIn(v *visit, accountID int64, u typus.User, made *madeThings, test bool) error {
	traces, err := f.tracesOf(v, accountID, u.ID, typus.AuditKeyCreated)
	if err != nil {
		return err
	}
	keys, err := f.Store.APIKeys(v.Context(), accountID)
	if err != nil {
		return err
	}
	for _, k := range keys {
		if traces[k.Fingerprint()] && k.Live(f.now()) {
			path := keysPath + "/" + strconv.FormatInt(k.ID, 10) + "/widerrufen"
			made.Keys = append(made.Keys, madeThing{Name: k.Name, Mark: k.Fingerprint(), Path: inWorld(path, test), Test: test})
		}
	}
	if traces, err = f.tracesOf(v, accountID, u.ID, typus.AuditWebhookCreated); err != nil {
		return err
	}
	hooks, err := f.Store.Endpoints(v.Context(), accountID)
	for _, e := range hooks {
		if traces[strconv.FormatInt(e.ID, 10)] {
			row := newEndpointRow(e, typus.EndpointRates{}, true)
			made.Hooks = append(made.Hooks, madeThing{
				Name: e.Description, Mark: e.Host(), Path: inWorld(endpointPath(e.ID), test), Test: test, State: row.State, Badge: row.Badge,
			})
		}
	}
	return err
}

// inWorld is the address that a page of ours has in the test world, if test.
func inWorld(path string, test bool) string {
	if !test {
		return path
	}
	return worldPath + strings.TrimPrefix(path, homePath)
}

// tracesOf are the first words of what the audit log says of an action of a user: of a key its
// fingerprint, of a webhook its number.
func (f *face) tracesOf(v *visit, accountID, userID int64, action typus.AuditAction) (map[string]bool, error) {
	lines, err := f.Store.AuditLog(v.Context(), store.WholeAccount(accountID), store.AuditFilter{Action: action, UserID: userID, Limit: math.MaxInt32})
	traces := map[string]bool{}
	for _, line := range lines {
		trace, _, _ := strings.Cut(line.Detail, " ")
		traces[trace] = true
	}
	return traces, err
}
