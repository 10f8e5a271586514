// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldpath"
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
	key := r.keys.One()
	*key = append(r.fields.Take(len(fields))[:0], fields...)
	return key
}

// maxSearched is how many elements of a set are compared with a plain key.
const maxSearched = 32

// findPlainKey finds the item of a set that key stands for, if it is plain and the
// set is small. below is nil if the set has nothing below the item.
func findPlainKey(set *fieldpath.Set, key string) (below *fieldpath.Set, named bool) {
	var room [4]plainField
	fields := room[:0]
	children, members := set.Children.Sorted(), set.Members.Sorted()
	if len(key) < 2 || key[0] != 'k' || len(children)+len(members) > maxSearched ||
		!eachPlainField(key[2:], func(name, scalar string) { fields = append(fields, plainField{name, scalar}) }) {
		return nil, false
	}
	for i := range children {
		if areFields(fields, &children[i].PathElement) {
			return children[i].Set, true
		}
	}
	for i := range members {
		if areFields(fields, &members[i]) {
			return nil, true
		}
	}
	return nil, false
}

// plainField is a field of a plain key, with the JSON of its value.
type plainField struct{ name, scalar string }

// areFields tells whether e names the item that has these key fields.
func areFields(fields []plainField, e *fieldpath.PathElement) bool {
	if e.Key == nil || len(*e.Key) != len(fields) {
		return false
	}
	for i, f := range *e.Key {
		if f.Name != fields[i].name || !isPlainScalar(fields[i].scalar, f.Value.Unstructured()) {
			return false
		}
	}
	return true
}

// isPlainScalar tells whether text, which skipPlainScalar has read, stands for v.
func isPlainScalar(text string, v any) bool {
	switch v := v.(type) {
	case string:
		return text[0] == '"' && text[1:len(text)-1] == v
	case bool:
		return text == "true" && v || text == "false" && !v
	case float64:
		return isDigit(text[0]) && float64(plainNumber(text)) == v
	case int64:
		return isDigit(text[0]) && int64(plainNumber(text)) == v
	}
	return false
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

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
	for ; i < len(text) && isDigit(text[i]); i++ {
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
	return float64(plainNumber(text))
}

func plainNumber(digits string) int {
	n := 0
	for _, c := range []byte(digits) {
		n = 10*n + int(c-'0')
	}
	return n
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
