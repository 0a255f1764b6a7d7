package metrics

import (
	"fmt"
	"strconv"
	"strings"
)

// text is what Prometheus reads (text format 0.0.4): families, each with its samples.
type text struct{ strings.Builder }

// escaped are the only three characters that the value of a label may not have as they are.
var escaped = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// family begins a family of one kind: gauge, counter, histogram or summary.
func (t *text) family(name, kind, help string) {
	fmt.Fprintf(t, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

// sample says a value. Labels are names, each with its value behind it.
func (t *text) sample(name string, value float64, labels ...string) {
	t.WriteString(name)
	for i := 0; i+1 < len(labels); i += 2 {
		before := ","
		if i == 0 {
			before = "{"
		}
		fmt.Fprintf(t, `%s%s="%s"`, before, labels[i], escaped.Replace(labels[i+1]))
	}
	if len(labels) > 0 {
		t.WriteByte('}')
	}
	t.WriteString(" " + number(value) + "\n")
}

// gauge is a family of one sample, which goes up and down.
func (t *text) gauge(name, help string, value float64) {
	t.family(name, "gauge", help)
	t.sample(name, value)
}

// counter is a family of one sample, which only grows.
func (t *text) counter(name, help string, value float64) {
	t.family(name, "counter", help)
	t.sample(name, value)
}

func number(value float64) string { return strconv.FormatFloat(value, 'g', -1, 64) }
