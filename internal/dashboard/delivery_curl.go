package dashboard

import (
	"strings"

	"typus"
)

// curl is a command that repeats an attempt, whose headers are known, with the same body
// and headers, signed anew: the secret is taken from $SECRET and is not in it. Other
// values that the log masks are left to be filled in. prefix begins the names of the
// service's own headers. "" without a body.
func curl(a typus.Attempt, prefix, eventID string, body []byte) string {
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
		if header := curlHeader(strings.TrimSpace(line), prefix); header != "" {
			b.WriteString(" \\\n  -H " + header)
		}
	}
	b.WriteString(" \\\n  --data-raw \"$BODY\"")
	return b.String()
}

// curlHeader is a header of the log as an argument of a shell, "" for one that is left out.
// A name may be the customer's own, so that it is quoted like a value.
func curlHeader(line, prefix string) string {
	name, value, _ := strings.Cut(line, ": ")
	switch strings.ToLower(name) {
	case "", strings.ToLower(prefix + "-Signature-Alt"): // one signature is enough
		return ""
	case "webhook-timestamp":
		return quoted(name+": ") + `"$AT"`
	case "webhook-signature":
		return quoted(name+": v1,") + `"$STANDARD"`
	case strings.ToLower(prefix + "-Signature"):
		return quoted(name+": sha256=") + `"$SIGNATURE"`
	}
	if strings.ContainsAny(value, "…•") {
		return quoted(name+": ") + `"$HEADER"`
	}
	return quoted(line)
}

// quoted is a text that a shell takes as it is.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
