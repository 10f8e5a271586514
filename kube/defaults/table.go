// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaults

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
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
	version, minor string
	// kinds are the names of the types of kinds, and lines the facts of types.
	kinds map[kindName]string
	lines map[string]string

	mu sync.Mutex
	// types are those that were asked for, and all below them.
	types map[string]*node
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

// readTable finds the parts of a table; types are read when they are asked for. What is
// wrong with a table is a defect of this package.
func readTable(text, minor string) *table {
	t := &table{minor: minor, kinds: map[kindName]string{}, lines: map[string]string{}, types: map[string]*node{}}
	head, rest, _ := strings.Cut(text, "\n\n")
	for line := range strings.SplitSeq(head, "\n") {
		name, fact, _ := strings.Cut(line, " ")
		switch kind, definition, more := strings.Cut(fact, " "); {
		case name == "release":
			t.version = fact
		case more && name != "#":
			t.kinds[kindName{name, kind}] = definition
		}
	}
	for part := range strings.SplitSeq(strings.TrimSuffix(rest, "\n"), "\n\n") {
		name, lines, _ := strings.Cut(part, "\n")
		t.lines[name] = lines
	}
	return t
}

// kind returns the type of a kind, nil if the table does not have it.
func (t *table) kind(apiVersion, kind string) *node {
	definition, ok := t.kinds[kindName{apiVersion, kind}]
	if !ok {
		return nil
	}
	return t.typeNamed(definition)
}

// typeNamed returns a type with all that is below it, nil if the table does not have it.
func (t *table) typeNamed(name string) *node {
	if _, ok := t.lines[name]; !ok {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.node(name)
}

func (t *table) node(name string) *node {
	n, ok := t.types[name]
	if ok {
		return n
	}
	n = &node{name: name}
	t.types[name] = n
	for line := range strings.SplitSeq(t.lines[name], "\n") {
		if field, fact, ok := strings.Cut(strings.TrimPrefix(line, " "), " "); ok {
			n.add(t, field, fact)
		}
	}
	for _, r := range rules {
		if r.in(t.minor) && slices.Contains(r.types, name) {
			here := *r
			here.converts = r.convertsIn(t.minor)
			n.rules = append(n.rules, &here)
		}
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
