package db_test

import (
	"fmt"
	"testing"

	"typus/internal/db"
)

func TestANamedParameterHasOneNumberHoweverOftenItIsUsed(t *testing.T) {
	var q db.StatementBuilder
	q.Add(`select 1 where a = :b and c < :d2 `)
	q.Add(`and (e, f) > (:b,:d2) and g = :h`)
	for name, value := range map[string]any{"b": "x", "d2": 2, "h": nil, "unused": 4} {
		q.Set(name, value)
	}
	text, args := q.Numbered()
	if got, want := fmt.Sprint(text, args), `select 1 where a = $1 and c < $2 and (e, f) > ($1,$2) and g = $3[x 2 <nil>]`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestANameWithoutAValueIsNotedAtOnce(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("the statement would have been asked without it")
		}
	}()
	var q db.StatementBuilder
	q.Add(`select :a`)
	q.Numbered()
}
