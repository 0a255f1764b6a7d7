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
	action    string // "zurueck", "auslassen", or anything else for going on
	value     int    // 0: nothing chosen, or nothing that is on the scale
	held      int    // the answer that the page showed, see value
	untouched bool   // the form came back as the page showed it
}

func (v visit) reply(r *http.Request) reply {
	value, err := strconv.Atoi(r.PostFormValue("antwort"))
	if err != nil || value < 1 || value > v.Instrument.Points() {
		value = 0
	}
	held, err := strconv.Atoi(r.PostFormValue("stand"))
	re := reply{action: r.PostFormValue("aktion"), value: value, held: held}
	re.untouched = err == nil && re.action != actionSkip && value == max(held, 0)
	return re
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
