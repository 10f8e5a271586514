package fieldmanager

import (
	"strings"

	"github.com/dovetail-ssa/dovetail/value"
)

// readPlainKey reads the JSON of list keys in the one form in which they are
// nearly always stored: names in order, strings without escapes, small whole
// numbers, booleans, no spaces. Whatever else there is, the result is nil and
// the JSON is left to fieldpath. Such a key is written as it was read.
//
// Numbers become float64, as fieldpath reads them.
func (r *fieldsReader) readPlainKey(text string) *value.FieldList {
	var room [4]value.Field
	fields := room[:0]
	if !eachPlainField(text, func(name, scalar string) {
		fields = append(fields, value.Field{Name: name, Value: r.values.Value(plainScalar(scalar))})
	}) {
		return nil
	}
	key := append(take(&r.keys, 1), append(take(&r.fields, len(fields)), fields...))
	return &key[0]
}

// eachPlainField calls f for the fields of a list key, with the JSON of their
// values. It returns false, maybe after some calls, for a key that is in another
// form than the plain one.
func eachPlainField(text string, f func(name, scalar string)) bool {
	if len(text) < 2 || text[0] != '{' || text[len(text)-1] != '}' {
		return false
	}
	rest, last := text[1:len(text)-1], ""
	for first := true; ; first = false {
		name, after, ok := plainString(rest)
		if !ok || after == "" || after[0] != ':' || !first && last >= name {
			return false
		}
		scalar := after[1:]
		if after, ok = skipPlainScalar(scalar); !ok {
			return false
		}
		f(name, scalar[:len(scalar)-len(after)])
		if after == "" {
			return true
		}
		if after[0] != ',' {
			return false
		}
		rest, last = after[1:], name
	}
}

// skipPlainScalar returns what follows the scalar that text begins with.
func skipPlainScalar(text string) (after string, ok bool) {
	switch {
	case text == "":
		return "", false
	case text[0] == '"':
		_, after, ok := plainString(text)
		return after, ok
	case strings.HasPrefix(text, "true"):
		return text[4:], true
	case strings.HasPrefix(text, "false"):
		return text[5:], true
	}
	i := 0
	for ; i < len(text) && text[i] >= '0' && text[i] <= '9'; i++ {
		if i == 9 {
			return "", false
		}
	}
	if i == 0 || text[0] == '0' && i > 1 {
		return "", false
	}
	return text[i:], true
}

// plainScalar is the scalar that text, which skipPlainScalar has read, stands
// for.
func plainScalar(text string) any {
	switch text[0] {
	case '"':
		return text[1 : len(text)-1]
	case 't', 'f':
		return text[0] == 't'
	}
	n := 0
	for _, c := range []byte(text) {
		n = 10*n + int(c-'0')
	}
	return float64(n)
}

// plainString reads a quoted string in which every byte stands for itself.
func plainString(text string) (s, after string, ok bool) {
	if text == "" || text[0] != '"' {
		return "", "", false
	}
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			return text[1:i], text[i+1:], true
		case c < 0x20, c >= 0x7f, c == '\\', c == '<', c == '>', c == '&':
			return "", "", false
		}
	}
	return "", "", false
}
