package assess

import (
	"unicode/utf8"

	"typus"
)

// faults collects wrong fields.
type faults []typus.Field

func (f *faults) add(field, code, msg string) {
	*f = append(*f, typus.Field{Name: field, Code: code, Msg: msg})
}

// check adds what a rule says against the value, if anything.
func (f *faults) check(field string, rule func(value string) (code, msg string), value string) {
	if code, msg := rule(value); code != "" {
		f.add(field, code, msg)
	}
}

func (f *faults) when(wrong bool, field, msg string) {
	if wrong {
		f.add(field, typus.CodeInvalid, msg)
	}
}

// text wants 1 to 200 characters, one of them visible.
func (f *faults) text(field, value string) {
	if typus.Blank(value) {
		f.add(field, typus.CodeRequired, "must hold 1 to 200 characters")
		return
	}
	f.remark(field, value)
}

// remark wants at most 200 characters, none of them unsafe.
func (f *faults) remark(field, value string) {
	if r, bad := typus.UnsafeRune(value); bad {
		f.add(field, typus.CodeInvalid, unsafeMsg(r))
	} else if utf8.RuneCountInString(value) > maxName {
		f.add(field, typus.CodeTooLong, "may hold at most 200 characters")
	}
}

// email wants one address.
func (f *faults) email(field, value string) {
	if value == "" {
		f.add(field, typus.CodeRequired, "must be an address such as name@example.com")
	} else {
		f.check(field, emailFault, value)
	}
}

func (f faults) err() error { return typus.WrongFields(f) }
