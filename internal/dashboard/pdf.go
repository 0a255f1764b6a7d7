package dashboard

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
	"time"

	"typus"
	"typus/internal/pdf"
	"typus/internal/report"
	"typus/internal/store"
)

// reportFile sends the report of a candidate as a PDF file. That it was kept is noted as a
// look at the report and as a transfer; a request for nothing but the head gets no file.
// Without a result, or while it is withheld, the page says why there is none; a message does
// where the page shows the result, and is the first to.
func (f *face) reportFile(v *visit) error {
	row, err := f.rowOfPath(v)
	if err != nil {
		return err
	}
	if row.Early {
		return f.undone(v, candidatePath(row.ID), f.say(v, "pdf.early"))
	}
	if row.Scores == nil || row.Withheld() {
		return f.goOn(v, candidatePath(row.ID))
	}
	name := "typus-" + strconv.FormatInt(row.ID, 10) + ".pdf"
	if v.Method == http.MethodHead {
		return sendPDF(v, name, nil)
	}
	kept, err := f.Store.ResultFor(v.Context(), v.Reader, row.ID)
	if err != nil {
		return err
	}
	about, err := f.Store.DossierOf(v.Context(), v.Reader, row.ID)
	if err != nil {
		return err
	}
	shown, err := f.shownReport(v, row, kept, about)
	if err != nil {
		return err
	}
	file, err := f.onPaper(v, row, about, shown).File()
	if err != nil {
		return err
	}
	newest := int64(0)
	if len(about.Comments) > 0 {
		newest = about.Comments[0].ID
	}
	if err := f.Steps.NoteSaved(v.Context(), v.Reader, row.ID, newest, v.actor()); err != nil {
		return err
	}
	return sendPDF(v, name, file)
}

// rowOfPath reads the candidate of the address as the list has them. NotFound.
func (f *face) rowOfPath(v *visit) (store.CandidateRow, error) {
	id, err := pathID(v)
	if err != nil {
		return store.CandidateRow{}, err
	}
	return f.aRow(v, id)
}

// onPaper is the report as a file says it, with what the page shows beside it: what the person
// says, and what was decided.
func (f *face) onPaper(v *visit, row store.CandidateRow, about store.Dossier, shown *reportView) pdf.Report {
	c := row.Candidate
	var page candidateView
	f.addComments(v, row, about, &page)
	f.addDecisions(v, row, about, &page)
	frame := f.pdfFrame(v, c.CompletedAt)
	frame.Short = f.say(v, "pdf.short")
	guide, role := f.guideOf(v, c, about.Questions)
	paper := pdf.Report{
		Frame: frame, Report: shown.Report, Name: c.Name, Facts: []string{role, cmp.Or(f.takenOver(v, c), f.say(v, "pdf.completed", "Date", f.dayOf(v, c.CompletedAt)))},
		Address: f.links.Report(c.ID), Guide: guide, FollowUps: shown.FollowUps, Rated: shown.Answers, Closed: shown.Closed, Aged: shown.Aged,
	}
	if c := page.Comment; c != nil {
		paper.Comments, paper.Elsewhere = c.Versions, f.say(v, "pdf.earlier")
	}
	if d := page.Decision; d != nil {
		paper.Stage, paper.Decisions = d.Stage, d.Entries
	}
	return paper
}

// pdfFrame is what every file has around what it says.
func (f *face) pdfFrame(v *visit, made time.Time) pdf.Frame {
	return pdf.Frame{
		Language: v.lang, Made: made, Foot: v.Account.Name, Twin: f.say(v, "pdf.twin"), Unprinted: f.say(v, "pdf.missing"),
		Say:  func(key string, pairs ...any) string { return f.say(v, key, pairs...) },
		Page: func(page, of int) string { return f.say(v, "pdf.page", "Page", page, "Of", of) },
		Moment: func(at time.Time) string {
			at = v.Account.Shown(at)
			said, err := f.pages.Moment(v.lang, at)
			if err != nil {
				return at.Format(time.RFC3339)
			}
			return said
		},
	}
}

// guideOf is the guide for a candidate, by the questions that the account has chosen for its
// positions, and the name of the role profile. Neither depends on the result.
func (f *face) guideOf(v *visit, c typus.Candidate, chosen []typus.CoreQuestion) (report.Guide, string) {
	in := f.test(c.Instrument)
	role := f.roleOf(v, in, c.RoleProfile) // of an unknown one nothing is known to weigh most
	return report.GuideOf(in, role, v.lang, typus.CoreOf(chosen, c.PositionID)...), f.roleName(v, c.RoleProfile)
}

// guideFile sends the guide for one interview as a PDF file, without what anybody heard.
func (f *face) guideFile(v *visit, c typus.Candidate) error {
	return f.sendGuides(v, []typus.Candidate{c}, strconv.FormatInt(c.ID, 10))
}

// guideFiles sends the guides for several interviews in one file, newest candidate first.
func (f *face) guideFiles(v *visit) error {
	return f.withAll(v, v.URL.Query(), bulkGuides, func(rows []store.CandidateRow) error {
		var list []typus.Candidate
		for _, row := range rows {
			list = append(list, row.Candidate)
		}
		return f.sendGuides(v, list, strconv.Itoa(len(list)))
	})
}

// sendGuides sends guides in one file. Its date is that of the newest invitation, so that the
// same people give the same bytes until a result of theirs becomes too old.
func (f *face) sendGuides(v *visit, list []typus.Candidate, name string) error {
	chosen, err := f.Store.CoreQuestions(v.Context(), v.Account.ID)
	if err != nil {
		return err
	}
	guides := pdf.Guides{}
	made := time.Time{}
	for _, c := range list {
		guide, role := f.guideOf(v, c, chosen)
		facts := []string{role}
		if months := v.aged(c.Answered(), f.now()); months > 0 {
			facts = append(facts, f.say(v, "report.aged", "Months", months))
		}
		guides.Guides = append(guides.Guides, pdf.Guide{Name: c.Name, Facts: facts, Role: role, Address: f.links.Report(c.ID) + "/leitfaden", Guide: guide})
		if c.CreatedAt.After(made) {
			made = c.CreatedAt
		}
	}
	guides.Frame = f.pdfFrame(v, made)
	guides.Short = f.say(v, "pdf.guideShort")
	file, err := guides.File()
	if err != nil {
		return err
	}
	return sendPDF(v, strings.Join([]string{"typus", f.say(v, "pdf.guideFile"), name}, "-")+".pdf", file)
}

// sendPDF sends a file whose name says nothing about a person.
func sendPDF(v *visit, name string, file []byte) error {
	attachment(v.w, "application/pdf", name)
	if file == nil {
		return nil
	}
	v.w.Header().Set("Content-Length", strconv.Itoa(len(file)))
	v.w.WriteHeader(http.StatusOK)
	_, _ = v.w.Write(file)
	return nil
}
