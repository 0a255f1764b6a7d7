package webhook

import "typus"

// Refusal is the code of a reason why an address is not called. It is the cause of
// CheckURL's error, so that a page can say it in its own language.
type Refusal string

// The refusals.
const (
	RefusedLength      Refusal = "length"
	RefusedCharacters  Refusal = "characters"
	RefusedForm        Refusal = "form"
	RefusedScheme      Refusal = "scheme"
	RefusedHTTP        Refusal = "http"
	RefusedUserinfo    Refusal = "userinfo"
	RefusedFragment    Refusal = "fragment"
	RefusedHost        Refusal = "host"
	RefusedNumber      Refusal = "number"
	RefusedPort        Refusal = "port"
	RefusedClosedPort  Refusal = "closed_port"
	RefusedLocalName   Refusal = "local_name"
	RefusedPrivate     Refusal = "private"
	RefusedPrivateHTTP Refusal = "private_http"
	RefusedOwn         Refusal = "own"
)

// Error says it in words, with the remedy, and names the settings that would
// allow the address where there are some.
func (r Refusal) Error() string { return refusals[r] }

var refusals = map[Refusal]string{
	RefusedLength:      "the address is longer than 2048 bytes",
	RefusedCharacters:  "the address contains a space, a line break, a backslash or another character that cannot stand in an address; copy it again",
	RefusedForm:        "this is not a complete address; it should look like https://hooks.example.com/typus",
	RefusedScheme:      "the address must begin with https://",
	RefusedHTTP:        "the address must begin with https://, since results are personal data; whoever runs this server can allow http:// with TYPUS_WEBHOOK_ALLOW_HTTP",
	RefusedUserinfo:    "the address contains a user name or a password before the @; remove it, the signature shows where a delivery comes from",
	RefusedFragment:    "the address contains a # and text after it, which is never sent; remove it",
	RefusedHost:        "the host name in the address is not valid",
	RefusedNumber:      "the host in the address is a number in an unusual form; write the host name, or the IP address as four numbers such as 93.184.216.34",
	RefusedPort:        "the port in the address is not valid; it is a number from 1 to 65535 after the colon",
	RefusedClosedPort:  "the port in the address belongs to another kind of service, such as mail or a database; whoever runs this server can open it with TYPUS_WEBHOOK_ALLOW_PORTS",
	RefusedLocalName:   "the host name is known inside a private network only; whoever runs this server can open such networks with TYPUS_WEBHOOK_ALLOW_NETS",
	RefusedPrivate:     "the address is not on the public internet; whoever runs this server can open private networks with TYPUS_WEBHOOK_ALLOW_NETS",
	RefusedPrivateHTTP: "the address begins with http:// and is not on the public internet; whoever runs this server can allow both with TYPUS_WEBHOOK_ALLOW_HTTP and TYPUS_WEBHOOK_ALLOW_NETS",
	RefusedOwn:         "this is the address of Typus itself; a webhook needs another receiver",
}

func (r Refusal) fault() error {
	return &typus.Error{
		Kind: typus.Invalid, Msg: r.Error(), Cause: r,
		Fields: []typus.Field{{Name: "url", Code: r.code(), Msg: r.Error()}},
	}
}

func (r Refusal) code() string {
	if r == RefusedLength {
		return typus.CodeTooLong
	}
	return typus.CodeInvalid
}
