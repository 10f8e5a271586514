// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package goform

import (
	"fmt"
	"strings"
	"sync"
)

// table contains the Go types of one release. Tables are stored as text. Each struct is
// listed with one line for each of its fields:
//
//	release v1.37.2
//	v1 io.k8s.api.core.v1 Pod PodList
//
//	io.k8s.api.core.v1.Container
//	 name string
//	 command? []string
//	 resources .ResourceRequirements
//	 securityContext? *.SecurityContext
//
// The lines at the top list each apiVersion with its Go package and its kinds. The Go
// type of a kind has the same name as the kind. A field with ? has omitempty. A field
// with ! has omitzero. The prefix of a type means a pointer (*), a list ([]) or a map
// with string keys ({}). A dot before the name means that the type is in the same
// package.
type table struct {
	version string
	// kinds maps each kind to the name of its type. lines maps the name of each type to its
	// fields as text.
	kinds map[kindName]string
	lines map[string]string

	mu sync.Mutex
	// types caches the types that are already parsed, by name.
	types map[string]*node
}

type kindName struct{ apiVersion, kind string }

// node is a Go type.
type node struct {
	shape shape
	// bits is the size of an integer. It is negative if the integer is unsigned.
	bits int
	// below is the type that a pointer points to, or the element type of a list
	// or map.
	below *node
	// fields lists the fields of a struct. byName maps their names to indexes.
	fields []field
	byName map[string]int
	// written returns the indexes of the fields that Go encodes even if they are absent. Call it
	// only after all types inside this type are parsed.
	written func() []int
}

type field struct {
	name string
	// ifEmpty is true if the field has omitempty. ifZero is true if it has omitzero.
	ifEmpty, ifZero bool
	typ             *node
}

type shape int

const (
	structure shape = iota
	pointer
	list
	mapping
	words
	boolean
	integer
	float
	binary // []byte
	quantities
	seconds // metav1.Time
	micros  // metav1.MicroTime
	duration
	intOrString
	raw
	// Fields with these shapes are part of CRD schemas. They contain either a schema or another
	// value, such as a boolean.
	orBool
	orList
	orTexts
)

// scalars maps the names that tables use to types without fields.
var scalars = map[string]*node{
	"string":      {shape: words},
	"bool":        {shape: boolean},
	"int":         {shape: integer, bits: 64},
	"int8":        {shape: integer, bits: 8},
	"int16":       {shape: integer, bits: 16},
	"int32":       {shape: integer, bits: 32},
	"int64":       {shape: integer, bits: 64},
	"uint":        {shape: integer, bits: -64},
	"uint8":       {shape: integer, bits: -8},
	"uint16":      {shape: integer, bits: -16},
	"uint32":      {shape: integer, bits: -32},
	"uint64":      {shape: integer, bits: -64},
	"float64":     {shape: float},
	"bytes":       {shape: binary},
	"quantity":    {shape: quantities},
	"time":        {shape: seconds},
	"microtime":   {shape: micros},
	"duration":    {shape: duration},
	"intorstring": {shape: intOrString},
	"json":        {shape: raw},
}

// alternatives maps prefixes in the table to shapes. A field with one of these shapes contains
// either a schema or another value, such as a boolean.
var alternatives = map[string]shape{"bool|": orBool, "list|": orList, "texts|": orTexts}

// readTable splits the text of a table by type. A type is parsed only when it is
// requested. An error in a table is a defect of this package, so it causes a panic.
func readTable(text string) *table {
	t := &table{kinds: map[kindName]string{}, lines: map[string]string{}, types: map[string]*node{}}
	head, rest, _ := strings.Cut(text, "\n\n")
	for line := range strings.SplitSeq(head, "\n") {
		words := strings.Fields(line)
		switch {
		case len(words) < 2 || words[0] == "#":
		case words[0] == "release":
			t.version = words[1]
		default:
			for _, kind := range words[2:] {
				t.kinds[kindName{words[0], kind}] = words[1] + "." + kind
			}
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
	name, ok := t.kinds[kindName{apiVersion, kind}]
	if !ok {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.node(name, "")
}

// node parses the text of a type in a table, such as "[]string". pkg is the Go package of the
// struct that uses the type.
func (t *table) node(spelled, pkg string) *node {
	for mark, s := range map[string]shape{"*": pointer, "[]": list, "{}": mapping} {
		if rest, ok := strings.CutPrefix(spelled, mark); ok {
			return &node{shape: s, below: t.node(rest, pkg)}
		}
	}
	for mark, s := range alternatives {
		if rest, ok := strings.CutPrefix(spelled, mark); ok {
			return &node{shape: s, below: t.node(rest, pkg)}
		}
	}
	if n, ok := scalars[spelled]; ok {
		return n
	}
	name := spelled
	if strings.HasPrefix(name, ".") {
		name = pkg + name
	}
	if n, ok := t.types[name]; ok {
		return n
	}
	lines, ok := t.lines[name]
	if !ok {
		panic(fmt.Errorf("the tables of Kubernetes' Go types have no %s", name))
	}
	n := &node{shape: structure, byName: map[string]int{}}
	n.written = sync.OnceValue(n.findWritten)
	t.types[name] = n
	pkg = name[:strings.LastIndexByte(name, '.')]
	for line := range strings.SplitSeq(lines, "\n") {
		if name, typ, ok := strings.Cut(strings.TrimPrefix(line, " "), " "); ok {
			f := field{typ: t.node(typ, pkg)}
			name, f.ifZero = strings.CutSuffix(name, "!")
			f.name, f.ifEmpty = strings.CutSuffix(name, "?")
			n.byName[f.name] = len(n.fields)
			n.fields = append(n.fields, f)
		}
	}
	return n
}

// findWritten returns the indexes of the struct's fields that the encoder writes even if
// they are absent.
func (n *node) findWritten() (all []int) {
	w := &walk{}
	for i := range n.fields {
		if after, empty, _ := w.value(n.fields[i].typ, nil, nil, 0); !n.fields[i].isOmitted(after, empty) {
			all = append(all, i)
		}
	}
	return all
}

// isOmitted reports whether Go omits a field whose encoded value is v. empty is true if omitempty
// treats v as empty.
func (f *field) isOmitted(v any, empty bool) bool { return f.ifEmpty && empty || f.ifZero && v == nil }
