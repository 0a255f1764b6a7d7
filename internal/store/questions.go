package store

import (
	"context"

	"typus"
	"typus/internal/db"
)

const questionColumns = `q.id, q.position_id, (select p.standard from positions p where p.id = q.position_id), coalesce(q.place, 0), q.bank, q.ask_de, q.ask_en, q.high_de, q.high_en, q.low_de, q.low_en`

func scanQuestion(row db.Row) (typus.CoreQuestion, error) {
	var (
		q  typus.CoreQuestion
		id int64
	)
	err := row.Scan(&id, &q.PositionID, (*db.Truth)(&q.Standard), &q.Place, &q.Key, &q.Ask.DE, &q.Ask.EN, &q.High.DE, &q.High.EN, &q.Low.DE, &q.Low.EN)
	if q.Key == "" {
		q.Key = typus.OwnQuestionKey(id)
	}
	return q, err
}

// questionsOfAccount is the statement of CoreQuestions, about the account :account.
const questionsOfAccount = `
	select ` + questionColumns + `
	from core_questions q
	where q.account_id = :account order by q.position_id, q.place is null, q.place, q.id`

// CoreQuestions lists the questions that an account has chosen for its positions, in the
// order in which they are asked, and own ones that are no longer asked.
func (r *reads) CoreQuestions(ctx context.Context, accountID int64) ([]typus.CoreQuestion, error) {
	var q db.StatementBuilder
	q.Set("account", accountID)
	q.Add(questionsOfAccount)
	query, args := q.Numbered()
	return db.All(ctx, r, scanQuestion, query, args...)
}

// SetCoreQuestions stores which questions a position asks everybody, in the order of the
// list; none for those that the program proposes. An own question that says what a stored
// one does is that one. The caller has locked the position.
//
// An own question that is no longer asked stays, also where no rating is about it: a page
// that was opened before, and a draft that a browser has kept for two weeks without a
// connection, bring answers to it later, which nothing here knows of, and without its words
// they would be answers to nothing. Whoever rates locks the candidate and no position, so
// that one may be on its way at this very moment.
func (t *Tx) SetCoreQuestions(ctx context.Context, p typus.Position, list []typus.CoreQuestion) error {
	for _, statement := range []string{
		`delete from core_questions where account_id = $1 and position_id = $2 and bank <> ''`,
		`update core_questions set place = null where account_id = $1 and position_id = $2 and place is not null`,
	} {
		if _, err := t.db.Exec(ctx, statement, p.AccountID, p.ID); err != nil {
			return err
		}
	}
	for i, q := range list {
		if err := t.placeQuestion(ctx, p, q, i+1); err != nil {
			return err
		}
	}
	return nil
}

func (t *Tx) placeQuestion(ctx context.Context, p typus.Position, q typus.CoreQuestion, place int) error {
	texts := []any{q.Ask.DE, q.Ask.EN, q.High.DE, q.High.EN, q.Low.DE, q.Low.EN}
	bank := q.Key
	if q.Own() {
		bank = ""
		n, err := t.db.Exec(ctx, `
			update core_questions set place = $1
			where account_id = $2 and position_id = $3 and bank = '' and ask_de = $4 and ask_en = $5 and high_de = $6 and high_en = $7 and low_de = $8 and low_en = $9`,
			append([]any{place, p.AccountID, p.ID}, texts...)...)
		if err != nil || n > 0 {
			return err
		}
	}
	_, err := t.db.Exec(ctx, `
		insert into core_questions (account_id, position_id, place, bank, ask_de, ask_en, high_de, high_en, low_de, low_en)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`, append([]any{p.AccountID, p.ID, place, bank}, texts...)...)
	return err
}
