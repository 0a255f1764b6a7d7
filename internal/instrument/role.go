package instrument

import (
	"cmp"
	"strconv"

	"github.com/go-json-experiment/json"

	"typus"
)

// Role is a role profile: what a sales role asks for. Its JSON is the snapshot kept with
// every result.
type Role struct {
	Key     string  `json:"key"`
	Version int     `json:"version"`
	Name    string  `json:"name,omitzero"` // of an account's own profile, "" for one of the test
	Below   float64 `json:"below"`         // attainment lost per score point below a zone
	Zones   []Zone  `json:"zones"`         // one per dimension, in the frozen order

	Confirmed Confirmation `json:"confirmed,omitzero"`

	names map[string]string
	sem   float64
}

// Confirmation says who has confirmed a role profile; the zero value: nobody has.
type Confirmation struct {
	By     string `json:"by"`     // "person" or "experts"
	Raters int    `json:"raters"` // how many experts
	On     string `json:"on"`     // YYYY-MM-DD
}

// Zone is where a role wants one dimension to lie, in score points from 0 to 100.
type Zone struct {
	Dimension string  `json:"dimension"`
	Weight    float64 `json:"weight"` // the weights of a role sum to 1
	Low       float64 `json:"low"`
	High      float64 `json:"high"`
	Above     float64 `json:"above"` // attainment lost per score point above the zone
}

// Ref is "key@version".
func (r Role) Ref() string { return r.Key + "@" + strconv.Itoa(r.Version) }

// Roles lists the role profiles, the general one first.
func (in *Instrument) Roles() []Role { return in.roles }

// Role finds a role profile.
func (in *Instrument) Role(key string) (Role, bool) {
	for _, r := range in.roles {
		if r.Key == key {
			return r, true
		}
	}
	return Role{}, false
}

// RoleName is the name of a role.
func (in *Instrument) RoleName(lang, key string) string {
	r, _ := in.Role(key)
	return r.names[lang]
}

// Called is what a role profile is called: by its own name, or by the one that the test
// has for it; else its key.
func (in *Instrument) Called(lang string, r Role) string {
	return cmp.Or(r.Name, in.RoleName(lang, r.Key), r.Key)
}

// RoleSnapshot is the JSON of a role profile. Invalid: no such role.
func (in *Instrument) RoleSnapshot(key string) ([]byte, error) {
	r, ok := in.Role(key)
	if !ok {
		return nil, unknownRole(key)
	}
	return json.Marshal(r)
}

func unknownRole(key string) error {
	return typus.Errorf(typus.Invalid, "there is no role profile %q", key)
}
