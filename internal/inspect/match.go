package inspect

import (
	"cmp"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// trial is a signature that would come about, and what would have to be wrong for it.
type trial struct {
	mac    string
	causes []Cause
	by     string
}

// match finds the simplest explanation of a value. One with no causes is right.
func (p Pasted) match(s scheme, value string) (trial, bool) {
	own := p.trials(s, s)
	header := sync.OnceValue(func() []trial { return p.trials(s.other(), s.other()) })
	message := sync.OnceValue(func() []trial { return p.trials(s, s.other()) })
	best, found := trial{}, false
	for _, one := range p.split(s, value) {
		sig, ok := readValue(s, one)
		if !ok {
			continue
		}
		fits, ok := find(own, sig, sig.causes...)
		if !ok && sig.foreign {
			fits, ok = find(header(), sig, Cause{Key: WrongHeader})
		}
		if !ok {
			fits, ok = find(message(), sig, append(sig.causes, Cause{Key: WrongMessage})...)
		}
		if ok && (!found || len(fits.causes) < len(best.causes)) {
			best, found = fits, true
		}
	}
	return best, found
}

// split is what stands in a value: the standard allows several signatures.
func (p Pasted) split(s scheme, value string) []string {
	if s == standardScheme {
		return strings.Fields(value)
	}
	return []string{value}
}

func find(trials []trial, sig signature, causes ...Cause) (trial, bool) {
	for _, t := range trials {
		if t.mac == string(sig.mac) {
			t.causes = append(slices.Clone(causes), t.causes...)
			return t, true
		}
	}
	return trial{}, false
}

// trials are the signatures by the keys of one scheme over the messages of another,
// those first for which least must be wrong.
func (p Pasted) trials(keys, messages scheme) []trial {
	var list []trial
	for _, k := range p.keys(keys) {
		for _, b := range p.bodies {
			for _, m := range p.messages(messages, b.bytes) {
				list = append(list, trial{mac: string(sum(k.bytes, m.text)), causes: slices.Concat(k.causes, b.causes, m.causes), by: k.by})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b trial) int { return cmp.Compare(len(a.causes), len(b.causes)) })
	return list
}

// message is what a signature is made over.
type message struct {
	text   []byte
	causes []Cause
}

func (p Pasted) messages(s scheme, body []byte) []message {
	if s == serviceScheme {
		return []message{{text: body}}
	}
	id, stamp := p.Headers.ID(), p.Headers.Get("webhook-timestamp")
	if id == "" || stamp == "" {
		return nil
	}
	list := []message{{text: slices.Concat([]byte(id+"."+stamp+"."), body)}}
	if seconds, milliseconds, ok := p.Headers.stamp(); ok && milliseconds {
		list = append(list, message{text: slices.Concat([]byte(id+"."+strconv.FormatInt(seconds, 10)+"."), body), causes: []Cause{{Key: TimeMilliseconds}}})
	}
	return list
}

// key is a key that may have been used.
type key struct {
	bytes  []byte
	causes []Cause
	by     string
}

const secretPrefix = "whsec_"

// keys are those that the pasted and the known secrets give in a scheme.
func (p Pasted) keys(s scheme) []key {
	var list []key
	if p.Secret != "" {
		list = append(list, keysOf(s, p.Secret)...)
		if clean := unquoted(strings.TrimSpace(unquoted(strings.TrimSpace(p.Secret)))); clean != p.Secret {
			for _, k := range keysOf(s, clean) {
				k.causes = append([]Cause{{Key: SecretSpace}}, k.causes...)
				list = append(list, k)
			}
		}
	}
	for _, known := range p.Known {
		k := key{by: known.Name}
		if p.Secret != "" {
			k.causes = []Cause{{Key: SecretOther, About: known.Name}}
		}
		if k.bytes = rightKey(s, known.Secret); k.bytes != nil {
			list = append(list, k)
		}
	}
	return list
}

// rightKey is the key of a secret as the scheme wants it, nil if it has none.
func rightKey(s scheme, secret string) []byte {
	if s == serviceScheme {
		return []byte(secret)
	}
	bytes, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
	if err != nil || len(bytes) == 0 {
		return nil
	}
	return bytes
}

func keysOf(s scheme, secret string) []key {
	bare, prefixed := strings.CutPrefix(secret, secretPrefix)
	toggled := secretPrefix + secret
	if prefixed {
		toggled = bare
	}
	decoded := rightKey(standardScheme, secret)
	if s == standardScheme {
		list := []key{{bytes: []byte(secret), causes: []Cause{{Key: SecretText}}}, {bytes: []byte(toggled), causes: []Cause{{Key: SecretText}}}}
		if decoded != nil {
			list = slices.Insert(list, 0, key{bytes: decoded})
		}
		return list
	}
	list := []key{{bytes: []byte(secret)}, {bytes: []byte(toggled), causes: []Cause{{Key: SecretPrefix}}}}
	if decoded != nil {
		list = append(list, key{bytes: decoded, causes: []Cause{{Key: SecretDecoded}}})
	}
	return list
}

// cut reports whether a value is the beginning of the right one.
func (p Pasted) cut(s scheme, value string) bool {
	const least = 12 // characters that no other signature begins with
	if len(value) < least {
		return false
	}
	for _, k := range p.keys(s) {
		for _, m := range p.messages(s, p.Body) {
			if right := write(s, sum(k.bytes, m.text)); len(value) < len(right) && strings.HasPrefix(right, value) {
				return true
			}
		}
	}
	return false
}
