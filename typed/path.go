// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/compiled"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/item"
	"github.com/dovetail-ssa/dovetail/schema"
)

// A PathError reports that values of a type cannot have the given path.
type PathError struct {
	// Text is the path as it was passed to ParsePath.
	Text string
	// At is the longest prefix of the path that is valid.
	At fieldpath.Path
	// Message describes the problem after At.
	Message string
	// Name is the undeclared field after At, and Fields are the declared fields, sorted. Both
	// are empty if the error has another cause.
	Name   string
	Fields []string
	// Atomic is true if At is the path of an atomic list or map, whose entries have no owners of
	// their own.
	Atomic bool
}

// Error returns the path, its valid prefix and the message.
func (e *PathError) Error() string {
	at := e.At.String()
	if at == "" {
		at = "the object"
	}
	return fmt.Sprintf("path %s: %s %s", e.Text, at, e.Message)
}

// ParsePath parses the path of a field or item in values of the type, as printed in conflicts
// and managed fields. It accepts everything that fieldpath.ParsePath accepts. It also accepts
// two shorter spellings:
//
//   - Names in maps with arbitrary keys may have dots without quotes, as they do in messages:
//     .metadata.labels.example.com/a.
//   - Keys of list items may be left out if they have defaults: .spec.ports[port=80] is
//     .spec.ports[port=80,protocol="TCP"].
//
// If the type nests maps with arbitrary keys, a text can have several meanings. ParsePath then
// chooses the shortest names that lead to a valid path. The error is a *PathError if the type
// has no such path. If text is not a path at all, the error is the one that fieldpath.ParsePath
// returns.
func (p ParseableType) ParsePath(text string) (fieldpath.Path, error) {
	elements, err := fieldpath.ParsePath(text)
	if err != nil {
		return nil, err
	}
	r := &pathReader{schema: p.Schema, text: text}
	path, ok := r.read(p.TypeRef, elements, nil)
	if !ok {
		return nil, r.err
	}
	return path, nil
}

// pathReader matches a parsed path against a type. It tries several meanings if the text is
// ambiguous.
type pathReader struct {
	schema *schema.Schema
	text   string
	// err is the error of the attempt that matched the longest prefix of the path before it
	// failed.
	err *PathError
	// tries counts the attempts, which are limited because a text can have very many meanings.
	tries int
}

// maxPathTries is the maximum number of attempts for one text.
const maxPathTries = 5000

// fail records the error e at a path, unless an earlier attempt already matched a prefix of at
// least the same length.
func (r *pathReader) fail(at fieldpath.Path, e PathError) (fieldpath.Path, bool) {
	if r.err == nil || len(at) > len(r.err.At) {
		e.Text, e.At = r.text, at.Copy()
		r.err = &e
	}
	return nil, false
}

// read matches the remaining elements of the path against the type tr. prefix has the elements that
// already match.
func (r *pathReader) read(tr schema.TypeRef, remaining, prefix fieldpath.Path) (fieldpath.Path, bool) {
	if len(remaining) == 0 {
		return prefix, true
	}
	if r.tries++; r.tries > maxPathTries {
		return r.fail(prefix, PathError{Message: "is followed by names that can be read in too many ways: quote these names"})
	}
	atom, ok := r.schema.Resolve(tr)
	if !ok {
		return r.fail(prefix, PathError{Message: "has a type that the schema does not define"})
	}
	e := &remaining[0]
	switch {
	case e.FieldName != nil && atom.Map != nil:
		if atom.Map.ElementRelationship.IsAtomic() {
			return r.fail(prefix, PathError{Message: "is atomic: a manager owns it as a whole, and not its fields", Atomic: true})
		}
		return r.field(atom.Map, remaining, prefix)
	case e.FieldName == nil && atom.List != nil:
		if !atom.List.ElementRelationship.IsAssociative() {
			return r.fail(prefix, PathError{Message: "is an atomic list: a manager owns it as a whole, and not its items", Atomic: true})
		}
		return r.item(atom.List, compiled.Node(r.schema, tr).List, remaining, prefix)
	case e.FieldName != nil && atom.List != nil:
		return r.fail(prefix, PathError{Message: fmt.Sprintf("is a list: want %s, found %s", itemForm(atom.List), *e)})
	case e.FieldName == nil && atom.Map != nil:
		return r.fail(prefix, PathError{Message: fmt.Sprintf("is a mapping: want .name, found %s", *e)})
	}
	return r.fail(prefix, PathError{Message: fmt.Sprintf("is a scalar, which has no fields or items, found %s", *e)})
}

// field reads a field name from the start of the remaining elements. It prefers the longest
// declared field name. If no declared field matches, it joins as few elements as possible into a
// name that leads to a valid path.
func (r *pathReader) field(m *schema.Map, remaining, prefix fieldpath.Path) (fieldpath.Path, bool) {
	longest := 0
	for i := range m.Fields {
		longest = max(longest, len(m.Fields[i].Name))
	}
	var declared *schema.StructField
	after := 0
	for n, name := range joinedNames(remaining) {
		if len(name) > longest {
			break
		}
		if f, ok := m.FindField(name); ok {
			declared, after = &f, n
		}
	}
	if declared != nil {
		return r.read(declared.Type, remaining[after:], extended(prefix, fieldpath.FieldNameElement(declared.Name)))
	}
	if m.ElementType == (schema.TypeRef{}) {
		if m.UnknownFields == schema.PreserveUnknown || m.UnknownFields == schema.ShallowUnknown {
			return append(prefix, remaining...), true
		}
		fields := make([]string, len(m.Fields))
		for i := range m.Fields {
			fields[i] = m.Fields[i].Name
		}
		slices.Sort(fields)
		name := *remaining[0].FieldName
		return r.fail(prefix, PathError{Message: "has no field " + name, Name: name, Fields: slices.Compact(fields)})
	}
	for n, name := range joinedNames(remaining) {
		if path, ok := r.read(m.ElementType, remaining[n:], extended(prefix, fieldpath.FieldNameElement(name))); ok {
			return path, true
		}
		if r.tries > maxPathTries {
			break
		}
	}
	return nil, false
}

// joinedNames returns the possible names at the start of a path, each with the number of elements
// in it. The shortest name is the first element, the next one is the first two elements joined by a
// dot, and so on. A name that was written in quotes is not joined with its neighbors.
func joinedNames(path fieldpath.Path) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		name := *path[0].FieldName
		alone := needsQuotes(name)
		for n := 1; yield(n, name); n++ {
			if alone || n == len(path) || path[n].FieldName == nil || needsQuotes(*path[n].FieldName) {
				return
			}
			name += "." + *path[n].FieldName
		}
	}
}

// needsQuotes reports whether a name must be in quotes to be part of a path.
func needsQuotes(name string) bool { return name == "" || strings.ContainsAny(name, ".[\" \t\n") }

// item matches the first remaining element against the items of a list. list is the compiled form
// of the list type l.
func (r *pathReader) item(l *schema.List, list *graph.List, remaining, prefix fieldpath.Path) (fieldpath.Path, bool) {
	e := remaining[0]
	if len(l.Keys) == 0 {
		if e.Value == nil {
			return r.fail(prefix, PathError{Message: fmt.Sprintf("is a set: want %s, found %s", itemForm(l), e)})
		}
		return r.read(l.ElementType, remaining[1:], extended(prefix, e))
	}
	if e.Key == nil {
		return r.fail(prefix, PathError{Message: fmt.Sprintf("is a list with keys: want %s, found %s", itemForm(l), e)})
	}
	for _, f := range *e.Key {
		if !slices.Contains(l.Keys, f.Name) {
			return r.fail(prefix, PathError{Message: fmt.Sprintf("has no key %s: want %s, found %s", f.Name, itemForm(l), e)})
		}
	}
	if name, ok := item.NormalizeElement(list, e); ok {
		e = name
	} // if there is no such name, keep e: a manager may own this element, although no valid item can have it
	return r.read(l.ElementType, remaining[1:], extended(prefix, e))
}

// itemForm shows how to write the path element of an item of the list, for error messages.
func itemForm(l *schema.List) string {
	if len(l.Keys) == 0 {
		return "[=value]"
	}
	return "[" + strings.Join(l.Keys, "=...,") + "=...]"
}

// extended returns path with one more element. It always allocates a new slice, so callers may
// append to path and to the result.
func extended(path fieldpath.Path, e fieldpath.PathElement) fieldpath.Path {
	return append(path[:len(path):len(path)], e)
}
