package fieldmanager

import (
	"github.com/dovetail-ssa/dovetail/value"
)

// readPlainKey reads the JSON of list keys in the one form in which they are
// nearly always stored: names in order, strings without escapes, small whole
// numbers, booleans, no spaces. Whatever else there is, ok is false and
// the JSON is left to fieldpath. Such a key is written as it was read.
//
// Numbers become float64, as fieldpath reads them.
func readPlainKey(text string) (key value.FieldList, ok bool) {
	if len(text) < 2 || text[0] != '{' || text[len(text)-1] != '}' {
		return nil, false
	}
	rest := text[1 : len(text)-1]
	key = make(value.FieldList, 0, 2)
	for {
		name, after, ok := plainString(rest)
		if !ok || after == "" || after[0] != ':' {
			return nil, false
		}
		if n := len(key); n > 0 && key[n-1].Name >= name {
			return nil, false
		}
		v, after, ok := plainScalar(after[1:])
		if !ok {
			return nil, false
		}
		key = append(key, value.Field{Name: name, Value: value.NewValueInterface(v)})
		if after == "" {
			return key, true
		}
		if after[0] != ',' {
			return nil, false
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
