package api_test

import (
	"strings"
	"testing"
)

// What is noted beside an answer may fail, and the answer is given.
func TestAResultIsReadWhereItCannotBeNoted(t *testing.T) {
	onBothDatabases(t, func(m mover) {
		_, m.key = m.testWorld()
		m.finish(m.invite(`{` + person + `,"external_id":"x"}`).CandidateToken)
		_, err := m.side.ExecContext(t.Context(), "drop table server_marks")
		m.Must(err)
		for _, path := range []string{"/api/v1/candidates/x", "/api/v1/candidates"} {
			if r := m.do(call{path: path}); r.status != 200 || !strings.Contains(r.body, `"overall"`) {
				t.Errorf("%s: %d %s", path, r.status, r.body)
			}
		}
		if !strings.Contains(m.log.String(), "is not noted") {
			t.Error("the log says nothing")
		}
	})
}
