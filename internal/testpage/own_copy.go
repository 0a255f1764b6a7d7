package testpage

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"typus/internal/assess"
	"typus/internal/pdf"
	"typus/internal/report"
	"typus/internal/web"
)

// ownCopyView is what is stored about the candidate, to be read, printed and saved.
type ownCopyView struct {
	frame
	Unshown string // text key of why the result is left out, "" where it is not
	Parts   []pdf.CopyPart
	Answers []pdf.CopyPart
}

// Template names the page.
func (ownCopyView) Template() string { return "own_copy" }

// withCopy calls h with the candidate's copy.
func (f *face) withCopy(h func(w http.ResponseWriter, r *http.Request, v visit, c assess.Copy) error) web.HandlerFunc {
	return f.proved(func(w http.ResponseWriter, r *http.Request, v visit, _ assess.Proof) error {
		c, err := f.steps.OwnCopy(r.Context(), v.Test, v.lang)
		if err != nil {
			return err
		}
		return h(w, r, v, c)
	})
}

func (f *face) ownCopy(w http.ResponseWriter, _ *http.Request, v visit, c assess.Copy) error {
	view := ownCopyView{frame: v.frame(), Unshown: unshown(c)}
	view.Over, view.Answers = true, f.answerParts(v, c)
	var err error
	if view.Parts, err = f.copyParts(v, c); err != nil {
		return err
	}
	return f.pages.Render(w, http.StatusOK, v.lang, view)
}

// unshown is the text key of why a copy is without the result, "" where it is not.
func unshown(c assess.Copy) string {
	switch {
	case c.Never:
		return "own.copy.never"
	case c.Unshown:
		return "own.copy.unshown"
	}
	return ""
}

// ownCopyJSON sends the copy for programs.
func (f *face) ownCopyJSON(w http.ResponseWriter, _ *http.Request, _ visit, c assess.Copy) error {
	body, err := c.JSON()
	if err != nil {
		return err
	}
	return sendFile(w, "application/json", "typus.json", body)
}

// ownCopyPDF sends the copy for keeping and printing.
func (f *face) ownCopyPDF(w http.ResponseWriter, _ *http.Request, v visit, c assess.Copy) error {
	parts, err := f.copyParts(v, c)
	if err != nil {
		return err
	}
	file := pdf.Copy{
		Frame: pdf.Frame{
			Language: v.lang, Say: func(key string, pairs ...any) string { return f.say(v, key, pairs...) }, Made: v.Account.WorldTime(v.Candidate.CompletedAt), Foot: v.Account.Name, Twin: f.say(v, "own.copy.twin"), Unprinted: f.say(v, "own.copy.missing"),
			Page:   func(n, of int) string { return f.say(v, "own.copy.page", "Page", n, "Of", of) },
			Moment: func(at time.Time) string { return f.moment(v, at) },
		},
		Title: f.say(v, "own.copy.heading"), Name: v.Candidate.Name, Facts: []string{f.say(v, "own.copy.partly", "Account", v.Account.Name)},
		Address: f.links.Of(v.Account).OwnResult(v.token) + "/daten", Parts: append(parts, f.answerParts(v, c)...),
	}
	if why := unshown(c); why != "" {
		file.Facts = append(file.Facts, f.say(v, why, "Account", v.Account.Name))
	}
	body, err := file.File()
	if err != nil {
		return err
	}
	return sendFile(w, "application/pdf", "typus.pdf", body)
}

// sendFile sends something to be kept. Its name says nothing about a person.
func sendFile(w http.ResponseWriter, contentType, name string, body []byte) error {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	h.Set("Content-Security-Policy", web.DataPolicy)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body) // a reader who has gone is no fault
	return nil
}

func (f *face) moment(v visit, at time.Time) string {
	said, err := f.pages.Moment(v.lang, at.In(v.Account.Zone.Location()))
	if err != nil {
		return at.UTC().Format(time.RFC3339)
	}
	return said
}

// copyParts are the tables of a copy and the result, in words. What is empty is left out.
func (f *face) copyParts(v visit, c assess.Copy) ([]pdf.CopyPart, error) {
	var parts []pdf.CopyPart
	for _, t := range c.Tables {
		part := pdf.CopyPart{Heading: t.DE}
		if v.lang == "en" {
			part.Heading = t.EN
		}
		for _, row := range t.Rows {
			var entry []pdf.Pair
			for i, column := range t.Columns {
				label := column.DE
				if v.lang == "en" {
					label = column.EN
				}
				if said := f.value(v, row[i]); said != "" {
					entry = append(entry, pdf.Pair{Label: label, Value: said})
				}
			}
			part.Entries = append(part.Entries, entry)
		}
		if len(part.Entries) > 0 {
			parts = append(parts, part)
		}
	}
	for _, r := range c.Results {
		if r.Scores == nil {
			continue
		}
		part, err := f.resultPart(v, r)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	return parts, nil
}

// value is a value in words, "" for nothing.
func (f *face) value(v visit, value any) string {
	switch x := value.(type) {
	case time.Time:
		return f.moment(v, x)
	case bool:
		key := "own.copy.no"
		if x {
			key = "own.copy.yes"
		}
		return f.say(v, key)
	case nil:
		return ""
	}
	return fmt.Sprint(value)
}

// resultPart is a result as the page shows it.
func (f *face) resultPart(v visit, r assess.CopiedResult) (pdf.CopyPart, error) {
	stored, err := report.Read(r.Scores, r.Role)
	if err != nil {
		return pdf.CopyPart{}, err
	}
	of := report.OwnOf(report.Of(r.With, stored, v.lang))
	part := pdf.CopyPart{Heading: f.say(v, "own.copy.result", "Date", f.moment(v, r.At))}
	for _, d := range of.Words {
		entry := []pdf.Pair{{Label: d.Name, Value: f.say(v, "own.dimensions.open")}}
		if d.Scored {
			entry[0].Value = f.say(v, "own.dimensions.score", "Score", d.Score, "Low", d.Low, "High", d.High)
		}
		if d.Says != "" {
			entry = append(entry, pdf.Pair{Label: f.say(v, "own.copy.words"), Value: d.Says})
		}
		part.Entries = append(part.Entries, entry)
	}
	if o := of.Overall; o != nil {
		part.Entries = append(part.Entries, []pdf.Pair{{Label: f.say(v, "own.overall.heading"), Value: f.say(v, "own.dimensions.score", "Score", o.Score, "Low", o.Low, "High", o.High)}})
	}
	if p := of.Persona; p != nil {
		for _, named := range p.Named() {
			part.Entries = append(part.Entries, []pdf.Pair{{Label: f.say(v, "own.copy.pattern"), Value: named.Name}})
		}
	}
	return part, nil
}

// answerParts are the answers, one after the other.
func (f *face) answerParts(v visit, c assess.Copy) []pdf.CopyPart {
	var parts []pdf.CopyPart
	for _, r := range c.Results {
		part := pdf.CopyPart{Heading: f.say(v, "own.copy.answers", "Date", f.moment(v, r.At))}
		var entry []pdf.Pair
		for _, a := range r.Answers {
			said := f.say(v, "own.copy.none")
			if a.Value > 0 {
				said = f.say(v, "own.copy.answer", "Value", a.Value, "Of", r.With.Points())
			}
			entry = append(entry, pdf.Pair{Label: strconv.Itoa(a.Number), Value: a.Statement + ": " + said})
		}
		part.Entries = [][]pdf.Pair{entry}
		parts = append(parts, part)
	}
	return parts
}

// say is a text in the language of a visit, its key if there is none.
func (f *face) say(v visit, key string, pairs ...any) string {
	said, err := f.pages.Text(v.lang, key, pairs...)
	if err != nil {
		return key
	}
	return said
}
