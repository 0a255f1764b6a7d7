package accounts

import (
	"context"
	"fmt"
	"slices"

	"golang.org/x/text/unicode/norm"

	"typus"
	"typus/internal/clerk"
	"typus/internal/report"
	"typus/internal/store"
)

// maxQuestion bounds an own question, and what to listen for, in code points (our choice).
const maxQuestion = 300

// ChangeCore lets choose say which questions a position (0: the account's default one) asks
// everybody, by those it asks now; choose reports false if nothing is to be changed after
// all. Those of the bank come first, in its order; what the program proposes is stored as
// no choice, and then proposes what later versions do. What stays as it was is not noted.
// Invalid: not MinCore to MaxCore, one twice, none of the bank, or a text that
// is no question of at most 300 characters; the fields are core, and ask_de_1 and so on,
// from the first own question.
//
// Who may: the face lets admins only.
func (s *Steps) ChangeCore(ctx context.Context, reader store.Reader, positionID int64, by typus.Actor, choose func(now []typus.CoreQuestion) ([]typus.CoreQuestion, bool)) error {
	return s.onPosition(ctx, reader, positionID, func(tx *store.Tx, p typus.Position) error {
		all, err := tx.CoreQuestions(ctx, p.AccountID)
		if err != nil {
			return err
		}
		now := typus.CoreOf(all, p.ID)
		list, goOn := choose(now)
		if !goOn {
			return nil
		}
		bank := s.bank()
		list = inOrder(list, bank)
		if err := checkCore(list, bank); err != nil {
			return err
		}
		if report.Proposed(list) {
			list = nil
		}
		if slices.EqualFunc(now, list, typus.CoreQuestion.Same) {
			return nil
		}
		if err := tx.SetCoreQuestions(ctx, p, list); err != nil {
			return err
		}
		return s.clerk.AuditPosition(ctx, tx, by, p, typus.AuditPositionCore, countedCore(list))
	})
}

// bank are the keys of all questions of the bank, in its order.
func (s *Steps) bank() []string {
	var keys []string
	for _, topic := range report.Bank(s.instrument, "de") {
		for _, q := range topic.Questions {
			keys = append(keys, q.Key)
		}
	}
	return keys
}

// countedCore says how many questions there are and how many of them are own ones: the
// audit log is never erased, and quotes nobody. "0 0": those that the program proposes.
func countedCore(list []typus.CoreQuestion) string {
	own := 0
	for _, q := range list {
		if q.Own() {
			own++
		}
	}
	return fmt.Sprintf("%d %d", len(list), own)
}

// inOrder are the questions as they are stored: those of the bank first and in its order,
// then the own ones, each text on one line.
func inOrder(list []typus.CoreQuestion, keys []string) []typus.CoreQuestion {
	var bank, own []typus.CoreQuestion
	for _, q := range list {
		if !q.Own() {
			bank = append(bank, q)
			continue
		}
		for _, words := range []*typus.OwnWords{&q.Ask, &q.High, &q.Low} {
			*words = typus.OwnWords{DE: norm.NFC.String(oneLine(words.DE)), EN: norm.NFC.String(oneLine(words.EN))}
		}
		own = append(own, q)
	}
	slices.SortStableFunc(bank, func(a, b typus.CoreQuestion) int { return slices.Index(keys, a.Key) - slices.Index(keys, b.Key) })
	return append(bank, own...)
}

func checkCore(list []typus.CoreQuestion, keys []string) error {
	var f clerk.Faults
	own := 0
	for i, q := range list {
		twice := slices.ContainsFunc(list[:i], q.Same)
		if q.Own() {
			own++
			checkOwn(&f, own, q, twice)
			continue
		}
		f.When(!slices.Contains(keys, q.Key) || twice, "core", "must be questions of the bank, each once")
	}
	if len(list) < typus.MinCore || len(list) > typus.MaxCore {
		f.Add("core", CodeCount, fmt.Sprintf("must be %d to %d questions", typus.MinCore, typus.MaxCore))
	}
	return f.Err()
}

// Codes of faults in core questions.
const (
	CodeCount = "count" // too few or too many
	CodeTwice = "twice" // an own question that is there already
)

// checkOwn finds what is wrong with an own question: what to listen for goes with a
// question in its language.
func checkOwn(f *clerk.Faults, n int, q typus.CoreQuestion, twice bool) {
	for _, part := range []struct{ name, ask, high, low string }{{"de", q.Ask.DE, q.High.DE, q.Low.DE}, {"en", q.Ask.EN, q.High.EN, q.Low.EN}} {
		field := func(what string) string { return fmt.Sprintf("%s_%s_%d", what, part.name, n) }
		switch {
		case typus.Blank(part.ask) && part.ask+part.high+part.low != "":
			f.Add(field("ask"), typus.CodeRequired, "must hold a question, because there is something to listen for")
		case twice && part.ask != "":
			f.Add(field("ask"), CodeTwice, "is there already")
		default:
			f.AtMost(field("ask"), part.ask, maxQuestion)
		}
		f.AtMost(field("high"), part.high, maxQuestion)
		f.AtMost(field("low"), part.low, maxQuestion)
	}
}
