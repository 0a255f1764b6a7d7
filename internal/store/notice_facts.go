package store

import (
	"database/sql/driver"

	"github.com/go-json-experiment/json"

	"typus"
)

// noticeFacts is a column: a JSON object with what is told, and "" where nothing is.
type noticeFacts typus.NoticeFacts

// storedFacts are the members of the column. Their names stay, because old rows have them.
type storedFacts struct {
	Consequence    string      `json:"consequence,omitempty"`
	ConsequenceOwn storedWords `json:"consequence_own,omitzero"`
	Operator       string      `json:"operator,omitempty"`
	Country        string      `json:"country,omitempty"`
	Abroad         string      `json:"abroad,omitempty"`
	Safeguard      string      `json:"safeguard,omitempty"`
	SafeguardOwn   storedWords `json:"safeguard_own,omitzero"`
	Officer        string      `json:"officer,omitempty"`
	Basis          storedWords `json:"basis,omitzero"`
	Client         string      `json:"client,omitempty"`
	ClientKind     storedWords `json:"client_kind,omitzero"`
	Period         storedWords `json:"period,omitzero"`
}

type storedWords struct {
	DE string `json:"de,omitempty"`
	EN string `json:"en,omitempty"`
}

// Value implements driver.Valuer.
func (f noticeFacts) Value() (driver.Value, error) {
	if f == (noticeFacts{}) {
		return "", nil
	}
	text, err := json.Marshal(storedFacts{
		Consequence: string(f.Consequence), ConsequenceOwn: storedWords(f.ConsequenceOwn),
		Operator: f.Operator, Country: f.Country, Abroad: f.Abroad,
		Safeguard: string(f.Safeguard), SafeguardOwn: storedWords(f.SafeguardOwn),
		Officer: f.Officer, Basis: storedWords(f.Basis),
		Client: f.Client, ClientKind: storedWords(f.ClientKind), Period: storedWords(f.Period),
	})
	return string(text), err
}

// Scan implements sql.Scanner. Internal: the column holds what Value did not make.
func (f *noticeFacts) Scan(src any) error {
	var text string
	switch src := src.(type) {
	case string:
		text = src
	case []byte:
		text = string(src)
	}
	*f = noticeFacts{}
	if text == "" {
		return nil
	}
	var s storedFacts
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return typus.Errorf(typus.Internal, "what an account tells in the notice is damaged").WithCause(err)
	}
	*f = noticeFacts{
		Consequence: typus.Consequence(s.Consequence), ConsequenceOwn: typus.OwnWords(s.ConsequenceOwn),
		Operator: s.Operator, Country: s.Country, Abroad: s.Abroad,
		Safeguard: typus.Safeguard(s.Safeguard), SafeguardOwn: typus.OwnWords(s.SafeguardOwn),
		Officer: s.Officer, Basis: typus.OwnWords(s.Basis),
		Client: s.Client, ClientKind: typus.OwnWords(s.ClientKind), Period: typus.OwnWords(s.Period),
	}
	return nil
}
