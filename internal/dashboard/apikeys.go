package dashboard

import (
	"net/http"
	"slices"
	"time"

	"typus"
	"typus/internal/auth"
)

// callsShown is how far back calls are counted, in days; today is one of them.
const callsShown = 30

// since is the first day that calls are counted from.
func (f *face) since() time.Time { return f.now().AddDate(0, 0, 1-callsShown) }

// apiKeysView is the list of the account's API keys, with a new one on top of it
// once.
type apiKeysView struct {
	frame
	Keys    []keyRow
	Manage  bool
	Example string // an address of the API that any key may ask that reads
	Invites string // and the one that others may
}

// Template names the page.
func (apiKeysView) Template() string { return "apikeys" }

// keyRow is one key and how much it was used lately.
type keyRow struct {
	typus.APIKey
	Calls typus.Calls
	Live  bool
	By    string // who made it, in the reader's words
	May   string // what it may do, likewise
	Only  string // of which position only, "" for all
}

// Expired reports whether the key ended by its date, not by hand.
func (k keyRow) Expired() bool { return !k.Live && k.RevokedAt.IsZero() }

// apiKeys lists the keys: those that open the API first, then those that have
// ended, the newest of each first.
func (f *face) apiKeys(v *visit) error {
	keys, err := f.Store.APIKeys(v.Context(), v.Account.ID)
	if err != nil {
		return err
	}
	calls, err := f.Store.CallsByKey(v.Context(), v.Account.ID, f.since())
	if err != nil {
		return err
	}
	view := apiKeysView{Keys: keyRows(keys, calls, f.now()), Manage: v.may(admin), Example: f.links.APICandidates() + "?limit=1", Invites: f.links.APIInvites()}
	if err := f.tellKeys(v, view.Keys); err != nil {
		return err
	}
	view.frame = f.settingsFrame(v, sectionKeys)
	return f.render(v, http.StatusOK, view)
}

func keyRows(keys []typus.APIKey, calls []typus.Calls, now time.Time) []keyRow {
	used := map[int64]typus.Calls{}
	for _, c := range calls {
		used[c.KeyID] = c
	}
	var live, ended []keyRow
	for i := range keys {
		k := keys[len(keys)-1-i]
		if row := (keyRow{APIKey: k, Calls: used[k.ID], Live: k.Live(now)}); row.Live {
			live = append(live, row)
		} else {
			ended = append(ended, row)
		}
	}
	return append(live, ended...)
}

// tellKeys says in words who made keys and what they may do. The name of a position that the
// visitor does not see is not told.
func (f *face) tellKeys(v *visit, keys []keyRow) error {
	var positions []typus.Position
	if slices.ContainsFunc(keys, func(k keyRow) bool { return k.PositionID != 0 }) {
		var err error
		if positions, err = f.Store.Positions(v.Context(), v.Reader); err != nil {
			return err
		}
	}
	for i := range keys {
		f.tellKey(v, &keys[i], positions)
	}
	return nil
}

func (f *face) tellKey(v *visit, k *keyRow, positions []typus.Position) {
	k.By, k.May = f.actorName(v, k.CreatedBy), string(k.Scope)
	if words, known := scopeWords[k.Scope]; known {
		k.May = f.say(v, words.label)
	}
	if k.PositionID == 0 {
		return
	}
	k.Only = f.say(v, "apikeys.onlyUnseen")
	if i := slices.IndexFunc(positions, func(p typus.Position) bool { return p.ID == k.PositionID }); i >= 0 {
		k.Only = f.say(v, "apikeys.only", "Name", f.positionName(v, positions[i]))
	}
}

// keyInPath is the key that the address names. NotFound.
func (f *face) keyInPath(v *visit) (typus.APIKey, error) {
	id, err := pathID(v)
	if err != nil {
		return typus.APIKey{}, err
	}
	return f.Store.APIKey(v.Context(), v.Account.ID, id)
}

// Curl is a command that shows that a new key works, and changes nothing.
func (v apiKeysView) Curl(key string) string {
	if v.OnlyInvites(key) {
		return "curl -sS -X POST '" + v.Invites + "' \\\n  -H 'Authorization: Bearer " + key + "' \\\n  -H 'Content-Type: application/json' -d '{}'"
	}
	return "curl -sS --fail-with-body '" + v.Example + "' \\\n  -H 'Authorization: Bearer " + key + "'"
}

// OnlyInvites reports whether a new key reads nobody.
func (v apiKeysView) OnlyInvites(key string) bool {
	hash := auth.Hash(key)
	return slices.ContainsFunc(v.Keys, func(k keyRow) bool { return k.Hash == hash && !k.Scope.Reads() })
}
