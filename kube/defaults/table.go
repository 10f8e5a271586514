// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaults

import (
	"encoding/json"
	"fmt"
	"strings"
)

// A table is a text of lines, each a fact about the type whose name stands above:
//
//	release v1.37.2
//	v1 Pod io.k8s.api.core.v1.Pod
//
//	io.k8s.api.core.v1.Container
//	 ports []io.k8s.api.core.v1.ContainerPort
//	 terminationMessagePath ="/dev/termination-log" zero
//
// The first lines name the kinds. Of a type they say, in the order in which the fields are
// walked, where types stand below it: as a struct that is always there, by a pointer (*),
// in a list ([]) or as values of a map ({}); and which constants its fields take if they
// are absent (or zero, or an empty list: "zero"). "documented" constants stand in OpenAPI
// documents, too. A constant of a field further below, by its path, holds below this type
// only. For what depends on other fields there are rules.
type table struct {
	version string
	kinds   map[kindName]*node
	types   map[string]*node
}

type kindName struct{ apiVersion, kind string }

// node is a type, with what is to be done where it stands.
type node struct {
	name      string
	fields    []field
	constants []constant
	rules     []*rule
}

// field is a field that holds a type.
type field struct {
	name  string
	shape shape
	below *node
}

// shape is how a field holds a type.
type shape int

const (
	always shape = iota // a struct: an absent one is an empty one
	pointer
	list
	mapped
)

// constant is what a field takes if it is absent.
type constant struct {
	// path leads to the field; all but the last name are fields of the table.
	path []string
	// value is plain data, and never written to.
	value any
	// zero says that a zero value or an empty list counts as absent.
	zero bool
	// documented says that OpenAPI documents have it, too.
	documented bool
}

// readTable reads a table and adds the rules of a minor release. What is wrong with a
// table is a defect of this package.
func readTable(text, minor string) *table {
	t := &table{kinds: map[kindName]*node{}, types: map[string]*node{}}
	var at *node
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		fact, ofType := strings.CutPrefix(line, " ")
		name, rest, more := strings.Cut(fact, " ")
		switch {
		case line == "" || line[0] == '#':
		case ofType:
			at.add(t, name, rest)
		case name == "release":
			t.version = rest
		case more:
			kind, definition, _ := strings.Cut(rest, " ")
			t.kinds[kindName{name, kind}] = t.node(definition)
		default:
			at = t.node(name)
		}
	}
	for _, r := range rules {
		if !r.in(minor) {
			continue
		}
		for _, name := range r.types {
			if n, ok := t.types[name]; ok {
				n.rules = append(n.rules, r)
			}
		}
	}
	return t
}

func (t *table) node(name string) *node {
	n, ok := t.types[name]
	if !ok {
		n = &node{name: name}
		t.types[name] = n
	}
	return n
}

// shapes are how tables spell shapes, all but that of a struct.
var shapes = map[string]shape{"*": pointer, "[]": list, "{}": mapped}

func (n *node) add(t *table, name, fact string) {
	if fact[0] == '=' {
		c := constant{path: strings.Split(name, ".")}
		d := json.NewDecoder(strings.NewReader(fact[1:]))
		d.UseNumber()
		if err := d.Decode(&c.value); err != nil {
			panic(fmt.Errorf("%s: %s: %w", n.name, name, err))
		}
		c.value = plain(c.value)
		for _, mark := range strings.Fields(fact[1+d.InputOffset():]) {
			c.zero = c.zero || mark == "zero"
			c.documented = c.documented || mark == "documented"
		}
		n.constants = append(n.constants, c)
		return
	}
	f := field{name: name}
	for mark, s := range shapes {
		if rest, ok := strings.CutPrefix(fact, mark); ok {
			f.shape, fact = s, rest
		}
	}
	f.below = t.node(fact)
	n.fields = append(n.fields, f)
}

// plain is v with its numbers as integers.
func plain(v any) any {
	switch x := v.(type) {
	case json.Number:
		i, err := x.Int64()
		if err != nil {
			panic(err)
		}
		return i
	case map[string]any:
		for k := range x {
			x[k] = plain(x[k])
		}
	case []any:
		for i := range x {
			x[i] = plain(x[i])
		}
	}
	return v
}

// field returns the field of n that holds a type.
func (n *node) field(name string) (field, bool) {
	for _, f := range n.fields {
		if f.name == name {
			return f, true
		}
	}
	return field{}, false
}
