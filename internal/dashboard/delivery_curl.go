package dashboard

import (
	"strings"

	"typus"
)

// curl is a command that repeats an attempt with the same body and headers, signed anew: the
// secret is taken from $SECRET and is not in it. Other values that the log masks are left to
// be filled in. "" without a body.
func curl(a typus.Attempt, eventID string, body []byte) string {
	if body == nil {
		return ""
	}
	var b strings.Builder
	b.WriteString("BODY=" + quoted(string(body)) + "\n" +
		"AT=$(date +%s)\n" +
		`SIGNATURE=$(printf %s "$BODY" | openssl dgst -sha256 -hmac "$SECRET" | sed 's/.* //')` + "\n" +
		`KEY=$(printf %s "${SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n')` + "\n" +
		`STANDARD=$(printf %s "` + eventID + `.$AT.$BODY" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$KEY" -binary | openssl base64 -A)` + "\n" +
		"curl -sS -i " + quoted(a.URL))
	for line := range strings.Lines(a.RequestHeaders) {
		if header := curlHeader(strings.TrimSpace(line)); header != "" {
			b.WriteString(" \\\n  -H " + header)
		}
	}
	b.WriteString(" \\\n  --data-raw \"$BODY\"")
	return b.String()
}

// curlHeader is a header of the log as an argument of a shell, "" for one that is left out.
func curlHeader(line string) string {
	name, value, _ := strings.Cut(line, ": ")
	switch lower := strings.ToLower(name); {
	case name == "" || strings.HasSuffix(lower, "-signature-alt"): // one signature is enough
		return ""
	case lower == "webhook-timestamp":
		return `"` + name + `: $AT"`
	case lower == "webhook-signature":
		return `"` + name + `: v1,$STANDARD"`
	case strings.HasSuffix(lower, "-signature"):
		return `"` + name + `: sha256=$SIGNATURE"`
	case strings.ContainsAny(value, "…•"):
		return `"` + name + `: $HEADER"`
	}
	return quoted(line)
}

// quoted is a text that a shell takes as it is.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
