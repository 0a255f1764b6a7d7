package db_test

import (
	"testing"

	"typus/internal/db"
	"typus/internal/db/dbtest"
)

func TestTheWriterCountsWhatItGroups(t *testing.T) {
	d := openSQLite(t)
	before, _ := d.Groups()
	dbtest.AtOnce(40, func(int) {
		if err := d.InTx(t.Context(), func(tx *db.Tx) error { return exec(t.Context(), tx, `select 1`) }); err != nil {
			t.Error(err)
		}
	})
	after, grouped := d.Groups()
	if n := after.Writes - before.Writes; !grouped || n < 40 || after.Groups == before.Groups || after.Groups-before.Groups > n || after.Waited <= before.Waited {
		t.Errorf("from %+v to %+v", before, after)
	}
}

func TestADatabaseSaysHowLargeItIs(t *testing.T) {
	onBoth(t, func(t *testing.T, d *db.DB) {
		write(t, d, func(tx *db.Tx) error { return exec(t.Context(), tx, `create table large (x text)`) })
		size := must[db.Size](t)(d.Size(t.Context()))
		lite := d.Dialect() == "sqlite"
		if size.Database <= 0 || (size.Log >= 0) != lite || (size.Free > 0) != lite {
			t.Errorf("%+v", size)
		}
		if _, grouped := d.Groups(); grouped != lite {
			t.Errorf("grouped: %t", grouped)
		}
	})
}
