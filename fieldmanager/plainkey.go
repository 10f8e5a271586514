package fieldmanager

import (
	"github.com/dovetail-ssa/dovetail/value"
)

// readPlainKey reads the JSON of list keys in the one form in which they are
// nearly always stored: names in order, strings without escapes, small whole
// numbers, booleans, no spaces. Whatever else there is, the result is nil and
// the JSON is left to fieldpath. Such a key is written as it was read.
//
// Numbers become float64, as fieldpath reads them.
func (r *fieldsReader) readPlainKey(text string) *value.FieldList {
	if len(text) < 2 || text[0] != '{' || text[len(text)-1] != '}' {
		return nil
	}
	rest := text[1 : len(text)-1]
	var room [4]value.Field
	fields := room[:0]
	for {
		name, after, ok := plainString(rest)
		if !ok || after == "" || after[0] != ':' {
			return nil
		}
		if n := len(fields); n > 0 && fields[n-1].Name >= name {
			return nil
		}
		v, after, ok := plainScalar(after[1:])
		if !ok {
			return nil
		}
		fields = append(fields, value.Field{Name: name, Value: r.values.Value(v)})
		if after == "" {
			key := append(take(&r.keys, 1), append(take(&r.fields, len(fields)), fields...))
			return &key[0]
		}
		if after[0] != ',' {
			return nil
		}
		rest = after[1:]
	}
}

func plainScalar(text string) (v any, after string, ok bool) {
	switch {
	case text == "":
		return nil, "", false
	case text[0] == '"':
		s, after, ok := plainString(text)
		return s, after, ok
	case len(text) >= 4 && text[:4] == "true":
		return true, text[4:], true
	case len(text) >= 5 && text[:5] == "false":
		return false, text[5:], true
	}
	n, i := 0, 0
	for ; i < len(text) && text[i] >= '0' && text[i] <= '9'; i++ {
		if i == 9 {
			return nil, "", false
		}
		n = 10*n + int(text[i]-'0')
	}
	if i == 0 || text[0] == '0' && i > 1 {
		return nil, "", false
	}
	return float64(n), text[i:], true
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
