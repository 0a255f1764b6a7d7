package testpage

import (
	"net/http"
	"strconv"
)

// itemForm is a statement with its answers, the same for the practice and the test.
type itemForm struct {
	Statement string
	Options   []option
	Missing   bool // "Next" was pressed without an answer
}

type option struct {
	Value   int
	Label   string
	Checked bool
}

// itemForm builds the answers with one of them chosen, 0 for none.
func (v visit) itemForm(statement string, chosen int) itemForm {
	q := itemForm{Statement: statement}
	for i, label := range v.Instrument.Labels(v.lang) {
		q.Options = append(q.Options, option{Value: i + 1, Label: label, Checked: i+1 == chosen})
	}
	return q
}

// reply is what an item's form sent.
type reply struct {
	action string // "zurueck", "auslassen", or anything else for going on
	value  int    // 0: nothing chosen, or nothing that is on the scale
}

func (v visit) reply(r *http.Request) reply {
	value, err := strconv.Atoi(r.PostFormValue("antwort"))
	if err != nil || value < 1 || value > v.Instrument.Points() {
		value = 0
	}
	return reply{action: r.PostFormValue("aktion"), value: value}
}

// progress is how far a test has come.
type progress struct {
	Done  int // items answered or skipped
	Items int
}

func (v visit) progress() progress {
	p := progress{Items: len(v.items())}
	for _, a := range v.Sheet.Answers {
		if a.Value != 0 || a.Skipped {
			p.Done++
		}
	}
	return p
}
