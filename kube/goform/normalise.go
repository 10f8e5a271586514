// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package goform

import (
	"maps"
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/box"
	"github.com/dovetail-ssa/dovetail/internal/document"
)

// DroppedField is a field that the Go type lacks, so Normalise removed it.
type DroppedField struct {
	// Path leads to the field. It identifies list items by their index.
	Path fieldpath.Path
}

// maxDepth limits the depth of values that this package changes. Deeper values stay
// as they are. Only the schemas in CustomResourceDefinitions can be that deep.
const maxDepth = 200

// Normalise returns the object in the form that it has after decoding into its Go
// type and encoding again. It removes fields that the Go type lacks, and returns
// their paths, sorted. Objects of unknown kinds stay unchanged.
func (r *Release) Normalise(object map[string]any) (map[string]any, []DroppedField) {
	return r.normalise(object, nil, false)
}

// Stored is like Normalise, for an object that was stored and read again. Values that
// protocol buffers cannot distinguish from null, such as an empty list, become null.
func (r *Release) Stored(object map[string]any) (map[string]any, []DroppedField) {
	return r.normalise(object, nil, true)
}

// NormaliseLike is like Normalise, but saves time if a similar object was stored before. The argument
// like is the stored object, which must have the same kind. NormaliseLike skips maps and lists that
// both objects share, because they already have the encoded form.
func (r *Release) NormaliseLike(object, like map[string]any) (map[string]any, []DroppedField) {
	return r.normalise(object, like, false)
}

// StoredLike is like NormaliseLike, but returns the stored form, as Stored does.
func (r *Release) StoredLike(object, like map[string]any) (map[string]any, []DroppedField) {
	return r.normalise(object, like, true)
}

func (r *Release) normalise(object, like map[string]any, stored bool) (map[string]any, []DroppedField) {
	apiVersion, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
	n := r.table().kind(apiVersion, kind)
	if n == nil {
		return object, nil
	}
	w := walk{stored: stored, wraps: r.wraps}
	if r.declares != nil {
		w.declares = func(path fieldpath.Path) bool { return r.declares(apiVersion, kind, path) }
	}
	if r.kept != nil {
		w.kept = func(field string) bool { return r.kept(apiVersion, kind, field) }
	}
	out, _ := w.fields(n, object, like, 0)
	after, _ := out.(map[string]any) // an object is always a map
	slices.SortFunc(w.dropped, func(a, b DroppedField) int { return a.Path.Compare(b.Path) })
	return after, w.dropped
}

// walk converts one object to its encoded form.
type walk struct {
	stored bool
	// wraps is true if an integer that is too large loses its upper bits.
	wraps bool
	// declares reports whether the release of the object has a field. It is nil if the Go types are
	// from the same release.
	declares func(path fieldpath.Path) bool
	// kept reports whether to keep a field that the Go type lacks. It may be nil.
	kept func(field string) bool
	// at is the path of the value that is being converted.
	at      []step
	dropped []DroppedField
}

// step is one element of a path: a field name or a map key, or an index if item is true.
type step struct {
	name  string
	index int
	item  bool
}

func (w *walk) drop(name string) { w.dropped = append(w.dropped, DroppedField{w.path(name)}) }

// path returns the path of a field of the current value.
func (w *walk) path(name string) fieldpath.Path {
	path := make(fieldpath.Path, 0, len(w.at)+1)
	for i := range w.at {
		if s := w.at[i]; s.item {
			path = append(path, fieldpath.IndexElement(s.index))
		} else {
			path = append(path, fieldpath.FieldNameElement(s.name))
		}
	}
	return append(path, fieldpath.FieldNameElement(name))
}

// value returns v in its encoded form. A nil v means that the value is absent. The argument like is
// the value at the same path in another object, which is already encoded, or nil. empty reports
// whether a field with omitempty would omit the result. The result changed reports whether the
// result differs from v.
func (w *walk) value(n *node, v, like any, depth int) (out any, empty, changed bool) {
	if depth > maxDepth {
		return v, false, false
	}
	switch n.shape {
	case structure:
		out, changed = w.fields(n, v, like, depth)
		return out, false, changed
	case pointer:
		if v == nil {
			return nil, true, false
		}
		out, _, changed = w.value(n.below, v, like, depth)
		return out, false, changed
	case list:
		return w.list(n, v, like, depth)
	case mapping:
		return w.mapping(n, v, like, depth)
	case orBool, orList, orTexts:
		out, changed = w.alternative(n, v, depth)
		return out, false, changed
	}
	if w.wraps {
		if wrapped, ok := n.wrapped(v); ok {
			return wrapped, wrapped == 0, true
		}
	}
	return n.scalar(v)
}

// fields returns a struct in its encoded form.
func (w *walk) fields(n *node, v, like any, depth int) (out any, changed bool) {
	in, ok := v.(map[string]any)
	before, _ := like.(map[string]any)
	if !ok && v != nil || in != nil && box.SameMap(in, before) {
		return v, false
	}
	var edited map[string]any
	edit := func() map[string]any {
		if edited == nil {
			edited = document.Shallow(in)
		}
		return edited
	}
	for name, was := range in {
		i, known := n.byName[name]
		if !known && (w.declares != nil || w.kept != nil && w.kept(name)) {
			continue
		}
		if !known {
			w.drop(name)
			delete(edit(), name)
			continue
		}
		f := &n.fields[i]
		w.at = append(w.at, step{name: name})
		after, empty, other := w.value(f.typ, was, before[name], depth+1)
		w.at = w.at[:len(w.at)-1]
		if f.isOmitted(after, empty) {
			delete(edit(), name)
		} else if other {
			edit()[name] = after
		}
	}
	for _, i := range n.written() {
		f := &n.fields[i]
		if _, there := in[f.name]; !there && (w.declares == nil || w.declares(w.path(f.name))) {
			edit()[f.name], _, _ = w.value(f.typ, nil, nil, depth+1)
		}
	}
	switch {
	case edited != nil:
		return edited, true
	case in == nil:
		return map[string]any{}, true
	}
	return in, false
}

func (w *walk) list(n *node, v, like any, depth int) (out any, empty, changed bool) {
	in, ok := v.([]any)
	before, _ := like.([]any)
	switch {
	case !ok:
		return v, v == nil, false
	case len(in) == 0 && (w.stored || in == nil):
		return nil, true, true
	case len(in) > 0 && box.SameList(in, before):
		return v, false, false
	}
	var edited []any
	for i := range in {
		w.at = append(w.at, step{index: i, item: true})
		var item any
		if i < len(before) {
			item = before[i]
		}
		after, _, other := w.value(n.below, in[i], item, depth+1)
		w.at = w.at[:len(w.at)-1]
		if other {
			if edited == nil {
				edited = slices.Clone(in)
			}
			edited[i] = after
		}
	}
	if edited != nil {
		return edited, false, true
	}
	return in, len(in) == 0, false
}

func (w *walk) mapping(n *node, v, like any, depth int) (out any, empty, changed bool) {
	in, ok := v.(map[string]any)
	before, _ := like.(map[string]any)
	switch {
	case !ok:
		return v, v == nil, false
	case len(in) == 0 && (w.stored || in == nil):
		return nil, true, true
	case len(in) > 0 && box.SameMap(in, before):
		return v, false, false
	}
	var edited map[string]any
	for key, was := range in {
		w.at = append(w.at, step{name: key})
		after, other := w.mapValue(n.below, was, before[key], depth+1)
		w.at = w.at[:len(w.at)-1]
		if other {
			if edited == nil {
				edited = maps.Clone(in)
			}
			edited[key] = after
		}
	}
	if edited != nil {
		return edited, false, true
	}
	return in, len(in) == 0, false
}

// mapValue returns the encoded form of a value in a map. A map keeps the keys of empty values. In the
// stored form, null therefore becomes "" in a map of []byte values, and an empty list in a map of
// lists.
func (w *walk) mapValue(n *node, v, like any, depth int) (out any, changed bool) {
	out, _, changed = w.value(n, v, like, depth)
	if w.stored && out == nil {
		switch n.shape {
		case binary:
			return "", true
		case list:
			if v == nil {
				return []any{}, true
			}
			return v, false
		}
	}
	return out, changed
}

// FillNulls replaces nulls in maps and lists with the values that a server stores for
// these nulls: "" in a map of strings, "0" in a map of quantities. All other nulls stay,
// such as a null in a field of a struct, or a null in a list of structs. Objects of
// unknown kinds stay unchanged. The result shares unchanged parts with object.
func (r *Release) FillNulls(object map[string]any) map[string]any {
	apiVersion, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
	n := r.table().kind(apiVersion, kind)
	if n == nil {
		return object
	}
	w := walk{stored: true}
	after, _ := w.nulls(n, object, 0)
	filled, _ := after.(map[string]any) // an object is always a map
	return filled
}

// nulls replaces the nulls in maps and lists inside v.
func (w *walk) nulls(n *node, v any, depth int) (out any, changed bool) {
	if depth > maxDepth {
		return v, false
	}
	switch n.shape {
	case pointer, orBool, orList, orTexts:
		return w.nulls(n.below, v, depth+1)
	}
	switch in := v.(type) {
	case map[string]any:
		var edited map[string]any
		for name, was := range in {
			var after any
			var other bool
			if n.shape == mapping {
				if after, other = w.nulls(n.below, was, depth+1); was == nil {
					after, other = w.mapValue(n.below, nil, nil, depth+1)
				}
			} else if i, known := n.byName[name]; known {
				after, other = w.nulls(n.fields[i].typ, was, depth+1)
			}
			if other {
				if edited == nil {
					edited = maps.Clone(in)
				}
				edited[name] = after
			}
		}
		if edited != nil {
			return edited, true
		}
	case []any:
		var edited []any
		for i, was := range in {
			if n.shape != list {
				break
			}
			after, other := w.nulls(n.below, was, depth+1)
			if was == nil && n.below.shape != structure {
				after, _, other = w.value(n.below, nil, nil, depth+1)
			}
			if other {
				if edited == nil {
					edited = slices.Clone(in)
				}
				edited[i] = after
			}
		}
		if edited != nil {
			return edited, true
		}
	}
	return v, false
}

// alternative returns the encoded form of a field that holds either a schema or another value, such as
// a boolean. Like Go, it turns some invalid values into null.
func (w *walk) alternative(n *node, v any, depth int) (out any, changed bool) {
	switch v := v.(type) {
	case map[string]any:
		return w.fields(n.below, v, nil, depth)
	case bool:
		if n.shape == orBool {
			return v, false
		}
	case []any:
		of := n.below
		if n.shape == orTexts {
			of = scalars["string"]
		}
		if n.shape != orBool && len(v) > 0 {
			out, _, changed = w.list(&node{shape: list, below: of}, v, nil, depth)
			return out, changed
		}
	case nil:
		if n.shape == orBool {
			return false, true
		}
		return nil, false
	}
	if n.shape == orBool {
		return v, false // Go cannot decode the value
	}
	return nil, true
}
