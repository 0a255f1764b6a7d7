package inspect

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// scheme is one of the two signatures.
type scheme int

const (
	serviceScheme  scheme = iota // X-Service-Signature: hex, over the body
	standardScheme               // webhook-signature: base64, over id, timestamp and body
)

func (s scheme) other() scheme { return 1 - s }

// signature is a value of a header, taken apart.
type signature struct {
	mac     []byte
	foreign bool    // it has the form of the other scheme
	causes  []Cause // what is wrong with its form
}

// readValue takes a signature apart, whatever its form. False: it is none.
func readValue(s scheme, value string) (signature, bool) {
	var sig signature
	rest, version := strings.CutPrefix(value, "v1,")
	rest, named := cutFold(rest, "sha256=")
	mac, upper, isHex := readHex(rest)
	sig.foreign = s == serviceScheme && version || s == standardScheme && named
	if isHex {
		sig.mac = mac
	} else {
		var exact bool
		if sig.mac, exact = readBase64(rest); sig.mac == nil {
			return sig, false
		}
		if s == standardScheme && !exact {
			sig.blame(ValueURL)
		}
	}
	sig.blameForm(s, form{version: version, named: named, hex: isHex, upper: isHex && (upper || named && !strings.HasPrefix(value, "sha256="))})
	return sig, true
}

// form is how a signature is written.
type form struct{ version, named, hex, upper bool }

func (sig *signature) blameForm(s scheme, f form) {
	if s == standardScheme {
		sig.blameIf(!f.version, ValueVersion)
		sig.blameIf(f.hex, ValueHex)
		return
	}
	sig.blameIf(!f.named, ValuePrefix)
	sig.blameIf(!f.hex, ValueBase64)
	sig.blameIf(f.upper, ValueUpper)
}

func (sig *signature) blame(key string) { sig.causes = append(sig.causes, Cause{Key: key}) }

func (sig *signature) blameIf(is bool, key string) {
	if is {
		sig.blame(key)
	}
}

func cutFold(s, prefix string) (string, bool) {
	if len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix) {
		return s[len(prefix):], true
	}
	return s, false
}

func readHex(s string) (mac []byte, upper, ok bool) {
	mac, err := hex.DecodeString(s)
	return mac, s != strings.ToLower(s), err == nil && len(mac) == 32
}

// readBase64 reads any form of base64, and says whether it is the usual one.
func readBase64(s string) ([]byte, bool) {
	if mac, err := base64.StdEncoding.DecodeString(s); err == nil && len(mac) == 32 {
		return mac, true
	}
	plain := strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(s, "="))
	if mac, err := base64.RawStdEncoding.DecodeString(plain); err == nil && len(mac) == 32 {
		return mac, false
	}
	return nil, false
}

// write is a signature as it should be written.
func write(s scheme, mac []byte) string {
	if s == serviceScheme {
		return "sha256=" + hex.EncodeToString(mac)
	}
	return "v1," + base64.StdEncoding.EncodeToString(mac)
}
