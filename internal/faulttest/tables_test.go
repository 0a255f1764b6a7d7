package faulttest

import (
	"strings"
	"testing"
	"time"
)

func TestRowsThatDifferAreToldApart(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range [][]any{
		{int64(1795776000000)}, {int64(1795776000001)}, {"1795776000000"}, {nil}, {"<nil>"}, {[]byte{0}}, {[]byte{1}}, {"a b"}, {"a", "b"}, {true}, {time.Unix(1, 0)}, {time.Unix(2, 0)},
	} {
		text := strings.Join(words(row), " ")
		if seen[text] {
			t.Errorf("another row is %s, too", text)
		}
		seen[text] = true
	}
}
