package inspect

import "strings"

// Cause is a likely reason why a signature does not match.
type Cause struct {
	Key   string // one of those below
	About string // a name or a duration, "" for most
}

// The causes. What each means for a person stands in texts.
const (
	SecretSpace   = "secret_space"   // spaces, line breaks or quotes around the secret
	SecretPrefix  = "secret_prefix"  // with or without whsec_
	SecretDecoded = "secret_decoded" // base64-decoded where the text is the key
	SecretText    = "secret_text"    // the text where the decoded bytes are the key
	SecretOther   = "secret_other"   // another live secret fits; About says which
	SecretKey     = "secret_key"     // an API key was taken for the secret

	BodyBOM         = "body_bom"
	BodyBase64      = "body_base64"
	BodyQuoted      = "body_quoted"   // as a JSON string
	BodyCharset     = "body_charset"  // UTF-8 read as Latin-1, or written so
	BodyEntities    = "body_entities" // &amp; and others
	BodyCRLF        = "body_crlf"
	BodyNewline     = "body_newline" // at the end, too many or none
	BodySpace       = "body_space"   // before the first byte
	BodyEmpty       = "body_empty"
	BodySpaces      = "body_spaces" // inside the JSON
	BodyEscapes     = "body_escapes"
	BodyHTMLEscapes = "body_html_escapes"
	BodyOrder       = "body_order"
	BodyNumbers     = "body_numbers"
	BodyChanged     = "body_changed" // it is not what was sent, and nobody knows how

	ValuePrefix  = "value_prefix"  // sha256= is missing
	ValueVersion = "value_version" // v1, is missing
	ValueUpper   = "value_upper"
	ValueBase64  = "value_base64" // where hex belongs
	ValueHex     = "value_hex"    // where base64 belongs
	ValueURL     = "value_url"    // base64 of the form for addresses, or without =
	ValueCut     = "value_cut"
	ValueMasked  = "value_masked" // copied from our log
	ValueChanged = "value_changed"

	WrongHeader  = "wrong_header"  // the value of the other signature
	WrongMessage = "wrong_message" // made over what the other one is made over
	OnlyAlt      = "only_alt"
	FitsAlt      = "fits_alt" // during a rotation
	NoID         = "no_id"

	TimeOld          = "time_old"
	TimeAhead        = "time_ahead"
	TimeMilliseconds = "time_milliseconds"
	TimeUnreadable   = "time_unreadable"

	Unknown = "unknown"
)

// isKey reports whether somebody has taken an API key for the secret.
func isKey(secret string) bool { return strings.HasPrefix(strings.TrimSpace(secret), "typ_") }
