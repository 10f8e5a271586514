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

// table contains the defaults of one release. Tables are stored as text:
//
//	release v1.37.2
//	v1 Pod io.k8s.api.core.v1.Pod
//
//	io.k8s.api.core.v1.Container
//	 ports []io.k8s.api.core.v1.ContainerPort
//	 terminationMessagePath ="/dev/termination-log" zero
//
// The lines at the top map each kind to its type. The types follow, with indented lines for their
// fields. The line of a field has one of two forms.
//
// A line without = is a field that contains another type: a struct that is always present, a
// pointer (*), a list ([]) or a map ({}). Fill visits these fields in the order of the lines.
//
// A line with = is a constant, which is the default of an absent field. With "zero", the constant
// also replaces a zero value or an empty list. With "documented", OpenAPI documents also contain
// the constant. The name can be a path of several fields. Such a default applies only inside this
// type.
//
// Defaults that depend on other fields are not part of the table. They are rules.
type table struct {
	version, minor string
	// kinds maps each kind to the name of its type. lines maps the name of each type to its
	// text.
	kinds map[kindName]string
	lines map[string]string

	mu sync.Mutex
	// types caches the types that are already parsed, by name.
	types map[string]*node
}

type kindName struct{ apiVersion, kind string }

// node is a type with the defaults of its fields.
type node struct {
	name      string
	fields    []field
	constants []constant
	rules     []*rule
}

// field is a field whose type has defaults.
type field struct {
	name  string
	shape shape
	below *node
}

// shape describes how a field contains values of its type: directly, by pointer, in a
// list or in a map.
type shape int

const (
	always shape = iota // a struct that counts as empty if it is absent
	pointer
	list
	mapped
)

// constant is the default of an absent field.
type constant struct {
	// path lists the field names that lead from the type to the field with the default. Most paths
	// have only one name.
	path []string
	// value is the default as plain data. It must not be modified.
	value any
	// zero is true if the constant also replaces a zero value or an empty list.
	zero bool
	// documented is true if OpenAPI documents also contain the default.
	documented bool
}

// readTable splits the text of a table by type. A type is parsed only when it is
// requested. An error in a table is a defect of this package, so it causes a panic.
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

// kind returns the type of a kind, or nil if the table does not have it.
func (t *table) kind(apiVersion, kind string) *node {
	definition, ok := t.kinds[kindName{apiVersion, kind}]
	if !ok {
		return nil
	}
	return t.typeNamed(definition)
}

// typeNamed returns a type with all types inside it, or nil if the table does not have it.
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
		if r.existsIn(t.minor) && slices.Contains(r.types, name) {
			here := *r
			here.converts = r.convertsIn(t.minor)
			n.rules = append(n.rules, &here)
		}
	}
	return n
}

// shapes has the shape for each prefix in a table. A struct has no prefix.
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

// plain converts each json.Number in v to an int64. It changes maps and lists in place.
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

// field returns a field of n, if the table has it.
func (n *node) field(name string) (field, bool) {
	for _, f := range n.fields {
		if f.name == name {
			return f, true
		}
	}
	return field{}, false
}
