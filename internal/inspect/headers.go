package inspect

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
)

// Headers are pasted headers, by their names in lower case.
type Headers struct {
	prefix string
	values map[string]string
}

// Get is the value of a header, "" if it is not there.
func (h Headers) Get(name string) string { return h.values[strings.ToLower(name)] }

// ID is the webhook-id, "" if it is not there.
func (h Headers) ID() string { return h.Get("webhook-id") }

// headerLine is one header as people paste it: bare, from curl -v (> and <), as an
// argument of curl (-H '…'), or quoted.
var headerLine = regexp.MustCompile(`^\s*(?:[<>*]\s+)?(?:-H\s+|--header\s+)?["'\[]?([A-Za-z0-9_-]+)["'\]]?\s*(?::|=>)\s*(.*?)\s*[,\\]?\s*$`)

// ReadHeaders reads headers as they are pasted: a line each, as curl -v prints them, as a
// JSON object, or one signature alone, which its form gives to a header. The prefix
// begins the names of the service's own headers, "" is X-Service. Of a header that is
// there twice the first counts.
func ReadHeaders(text, prefix string) Headers {
	h := Headers{prefix: cmp.Or(prefix, "X-Service"), values: map[string]string{}}
	text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	if h.readObject(text) {
		return h
	}
	for line := range strings.Lines(text) {
		if m := headerLine.FindStringSubmatch(line); m != nil {
			h.add(m[1], m[2])
		}
	}
	if len(h.values) == 0 {
		h.addAlone(text)
	}
	return h
}

// add takes a header, also as CGI and PHP name it (HTTP_WEBHOOK_ID).
func (h Headers) add(name, value string) {
	name = strings.ToLower(name)
	if cgi, found := strings.CutPrefix(name, "http_"); found {
		name = strings.ReplaceAll(cgi, "_", "-")
	}
	if _, known := h.values[name]; !known {
		h.values[name] = unquoted(value)
	}
}

// addAlone takes one value without a name.
func (h Headers) addAlone(value string) {
	name := h.prefix + "-Signature"
	_, hex := strings.CutPrefix(strings.ToLower(value), "sha256=")
	if strings.HasPrefix(value, "v1,") || !hex && len(value) != 64 {
		name = "webhook-signature"
	}
	if value != "" {
		h.add(name, value)
	}
}

func (h Headers) readObject(text string) bool {
	if !strings.HasPrefix(text, "{") {
		return false
	}
	var object map[string]any
	if json.Unmarshal([]byte(text), &object) != nil {
		return false
	}
	if inner, ok := object["headers"].(map[string]any); ok {
		object = inner
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		value := object[name]
		if list, ok := value.([]any); ok && len(list) > 0 {
			value = list[0]
		}
		switch said := value.(type) {
		case string:
			h.add(name, said)
		case float64: // a timestamp without quotes
			h.add(name, strconv.FormatFloat(said, 'f', -1, 64))
		}
	}
	return true
}

func unquoted(s string) string {
	for _, q := range []string{`"`, `'`} {
		s = strings.TrimSuffix(strings.TrimPrefix(s, q), q)
	}
	return s
}

// signatures are the values of a scheme's signature headers.
func (h Headers) signatures(s scheme) []string {
	list := []string{h.Get("webhook-signature")}
	if s == serviceScheme {
		list = []string{h.Get(h.prefix + "-Signature"), h.Get(h.prefix + "-Signature-Alt")}
	}
	return slices.DeleteFunc(list, func(v string) bool { return v == "" })
}

// stamp is webhook-timestamp in seconds, and whether it was given in milliseconds.
func (h Headers) stamp() (int64, bool, bool) {
	n, err := strconv.ParseInt(h.Get("webhook-timestamp"), 10, 64)
	if n > 1e11 { // seconds reach that in the year 5138
		return n / 1000, true, err == nil
	}
	return n, false, err == nil
}
