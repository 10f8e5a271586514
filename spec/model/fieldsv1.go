// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package model

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Encode writes a set as FieldsV1: an object for each element, which holds the elements
// below it, and "." if the path to it is in the set, too. A path without anything below it
// needs no dot. Rule F6. The order of elements is that of their texts, where servers order
// keys by their values.
func Encode(s Set) []byte {
	type node map[string]any
	root := node{}
	for p := range s {
		at := root
		for _, e := range p.Elements() {
			next, ok := at[string(e)].(node)
			if !ok {
				next = node{}
				at[string(e)] = next
			}
			at = next
		}
		at["."] = node{}
	}
	var bare func(n node)
	bare = func(n node) {
		if len(n) == 1 {
			delete(n, ".")
		}
		for _, below := range n {
			bare(below.(node))
		}
	}
	bare(root)
	return []byte(text(root))
}

// Decode reads FieldsV1.
func Decode(fieldsV1 []byte) (Set, error) {
	var root map[string]any
	if err := json.Unmarshal(fieldsV1, &root); err != nil {
		return nil, err
	}
	out := Set{}
	var read func(at Path, n map[string]any) error
	read = func(at Path, n map[string]any) error {
		if len(n) == 0 {
			out.add(at)
		}
		for e, below := range n {
			next, ok := below.(map[string]any)
			switch {
			case !ok:
				return fmt.Errorf("%q: %v, want an object", e, below)
			case e == ".":
				out.add(at)
			case len(e) >= 2 && e[1] == ':' && strings.ContainsRune("fkvi", rune(e[0])):
				if err := read(at.with(canonical(Element(e))), next); err != nil {
					return err
				}
			default:
				return fmt.Errorf("%q is no path element", e)
			}
		}
		return nil
	}
	return out, read("", root)
}

// canonical writes the JSON of an element as identities have it.
func canonical(e Element) Element {
	if e[0] != 'k' && e[0] != 'v' {
		return e
	}
	var v any
	d := json.NewDecoder(strings.NewReader(string(e[2:])))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return e
	}
	return e[:2] + Element(text(v))
}
