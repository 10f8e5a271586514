// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package model

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Encode writes a set as FieldsV1, in profile V6. Each path element becomes a JSON object, which
// contains the elements below it. For example, the paths a and a.b become
// {"f:a":{".":{},"f:b":{}}}. The member "." says that the path of the object itself is in the
// set. An empty object needs no ".", because it always means this (rule F6).
func Encode(s Set) []byte { return EncodeAs(s, V6) }

// EncodeAs writes a set in the given profile.
func EncodeAs(s Set, p Profile) []byte {
	var b bytes.Buffer
	write(&b, s, p)
	return b.Bytes()
}

func write(b *bytes.Buffer, s Set, p Profile) {
	first := map[Element]bool{}
	for path := range s {
		first[path.Elements()[0]] = true
	}
	b.WriteByte('{')
	for i, e := range slices.SortedFunc(maps.Keys(first), inOrder) {
		if i > 0 {
			b.WriteByte(',')
		}
		at := Path("").with(e)
		b.WriteString(p.member(e) + ":")
		below := s.below(at)
		if s[at] && len(below) > 0 {
			b.WriteString(`{".":{},`)
			var rest bytes.Buffer
			write(&rest, below, p)
			b.Write(rest.Bytes()[1:])
		} else {
			write(b, below, p)
		}
	}
	b.WriteByte('}')
}

// inOrder compares two path elements. Fields come first, sorted by name. Keys come second: they
// are compared key by key, by name and then by value. Item values come third, and indices last
// (rule F6).
func inOrder(a, b Element) int {
	if a[0] != b[0] {
		return cmp.Compare(strings.IndexByte("fkvi", a[0]), strings.IndexByte("fkvi", b[0]))
	}
	if a[0] == 'f' {
		return cmp.Compare(a, b)
	}
	return order(value(a), value(b))
}

// value decodes the JSON value that follows the letter of a path element.
func value(e Element) any {
	var v any
	if err := json.Unmarshal([]byte(e[2:]), &v); err != nil {
		panic(fmt.Sprintf("%q is not a path element: %v", e, err))
	}
	return v
}

// order compares two values: numbers come first, then strings, booleans, lists, maps and null.
func order(a, b any) int {
	rank := func(v any) int {
		switch v.(type) {
		case float64:
			return 0
		case string:
			return 1
		case bool:
			return 2
		case []any:
			return 3
		case map[string]any:
			return 4
		}
		return 5
	}
	if rank(a) != rank(b) {
		return cmp.Compare(rank(a), rank(b))
	}
	switch a := a.(type) {
	case float64:
		return cmp.Compare(a, b.(float64))
	case string:
		return cmp.Compare(a, b.(string))
	case bool:
		if a == b {
			return 0
		} else if a {
			return 1
		}
		return -1
	case []any:
		return slices.CompareFunc(a, b.([]any), order)
	case map[string]any:
		return slices.CompareFunc(pairs(a), pairs(b.(map[string]any)), func(x, y [2]any) int { return cmp.Or(order(x[0], y[0]), order(x[1], y[1])) })
	}
	return 0
}

func pairs(m map[string]any) (all [][2]any) {
	for _, name := range names(m) {
		all = append(all, [2]any{name, m[name]})
	}
	return all
}

// Decode reads a set from FieldsV1 (rules F7, F8).
func Decode(fieldsV1 []byte) (Set, error) {
	d := json.NewDecoder(bytes.NewReader(marked(fieldsV1)))
	out, _, err := read(d)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("there is data after the object")
	}
	return out, nil
}

// read reads the JSON object of one path element. It returns the paths below the element,
// relative to it. The second result is true if the set contains the path of the element itself.
func read(d *json.Decoder) (below Set, member bool, err error) {
	below = Set{}
	switch t, err := d.Token(); {
	case err != nil:
		return nil, false, err
	case t == nil:
		return below, true, nil
	case t != json.Delim('{'):
		return nil, false, fmt.Errorf("found %v, want an object", t)
	}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, false, err
		}
		e, known, err := element(t.(string))
		if err != nil {
			return nil, false, err
		}
		if !known {
			member = member || e == "."
			var any json.RawMessage
			if err := d.Decode(&any); err != nil {
				return nil, false, err
			}
			continue
		}
		inside, is, err := read(d)
		if err != nil {
			return nil, false, err
		}
		at := Path("").with(e)
		if is {
			below.add(at)
		}
		if len(inside) > 0 { // if two members have elements below them, the last one wins
			maps.DeleteFunc(below, func(p Path, _ bool) bool { return p != at && strings.HasPrefix(string(p), string(at)) })
		}
		for p := range inside {
			below.add(at + p)
		}
	}
	if _, err := d.Token(); err != nil {
		return nil, false, err
	}
	return below, member || len(below) == 0, nil
}

// element decodes the name of a JSON member, such as "f:spec". It returns the path element in its
// canonical spelling. The second result is false if the name is "." or begins with an unknown
// letter.
func element(name string) (e Element, known bool, err error) {
	if name == "." {
		return ".", false, nil
	}
	if len(name) < 2 || name[1] != ':' {
		return "", false, fmt.Errorf("%q is not a path element", name)
	}
	switch rest := name[2:]; name[0] {
	case 'f':
		return Element(name), true, nil
	case 'i':
		i, err := strconv.Atoi(rest)
		return Element(fmt.Sprint("i:", i)), true, err
	case 'k':
		var keys map[string]any
		err := json.Unmarshal([]byte(rest), &keys)
		return Element("k:" + text(keys)), true, err
	case 'v':
		var v any
		err := json.Unmarshal([]byte(rest), &v)
		return Element("v:" + text(v)), true, err
	}
	return "", false, nil
}
