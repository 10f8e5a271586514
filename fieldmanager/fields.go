// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/scratch"
	"github.com/dovetail-ssa/dovetail/value"
)

// maxFieldsDepth bounds how deep fieldsV1 may nest, as the API server's
// decoder does: the set is walked by recursion.
const maxFieldsDepth = 10000

// fieldsReader builds the sets that decoded fieldsV1 stand for, without going
// through their JSON text. One reader reads all entries of an object: what the
// sets are made of comes from slabs.
type fieldsReader struct {
	// late makes it leave the sets of entries unread until they are asked for, but
	// for that of applier, if there is one, which an apply asks for.
	late    bool
	applier *Owner
	// node, if there is one, is the type of objects of that version, to whose schema
	// late sets may have to be reconciled.
	node    *graph.Node
	version string
	// sent, if there is one, is the list that the one read is compared with, other
	// its entry, and same whether all that was read is the same.
	sent  []any
	other map[string]any
	same  bool

	// canonical is whether what was read is what writeFields gives.
	canonical bool

	*fieldsStacks

	elements scratch.Slab[fieldpath.PathElement]
	nodes    scratch.Slab[fieldpath.SetNode]
	sets     scratch.Slab[fieldpath.Set]
	names    scratch.Slab[string]
	keys     scratch.Slab[value.FieldList]
	fields   scratch.Slab[value.Field]
	values   value.Batch
}

// fieldsStacks are what the maps that are being read hold: what is of a map lies on
// top of what is of the maps around it.
type fieldsStacks struct {
	members []fieldMember
	found   []field
}

var unusedStacks = sync.Pool{New: func() any { return new(fieldsStacks) }}

// fieldMember is one member of a fieldsV1 map.
type fieldMember struct {
	key   string
	value any
}

// field is what a member stands for.
type field struct {
	element  fieldpath.PathElement
	member   bool
	children *fieldpath.Set
}

// readFields reads one fieldsV1. canonical is true when writeFields would give
// the same map again.
//
// What the API server's decoder tolerates is tolerated: null stands for {},
// whatever "." holds, element kinds it does not know.
func (r *fieldsReader) readFields(fields map[string]any) (set *fieldpath.Set, canonical bool, err error) {
	r.canonical = true
	r.fieldsStacks = unusedStacks.Get().(*fieldsStacks)
	set, self, err := r.read(fields, 0)
	if err != nil {
		return nil, false, err
	}
	unusedStacks.Put(r.fieldsStacks) // empty
	if set == nil {
		set = fieldpath.NewSet()
	}
	return set, r.canonical && !self, nil
}

// read returns the fields below this one, nil when there are none, and
// whether this one is marked as a member itself.
func (r *fieldsReader) read(fields map[string]any, depth int) (below *fieldpath.Set, self bool, err error) {
	if depth > maxFieldsDepth {
		return nil, false, fmt.Errorf("nested deeper than %d levels", maxFieldsDepth)
	}
	base, bottom := len(r.members), len(r.found)
	for key, value := range fields {
		if key != "." {
			r.members = append(r.members, fieldMember{key, value})
			continue
		}
		self = true
		if empty, ok := value.(map[string]any); !ok || empty == nil || len(empty) > 0 {
			r.canonical = false
		}
	}
	end := len(r.members)
	// In the order of the text, later elements replace earlier ones.
	slices.SortFunc(r.members[base:end], func(a, b fieldMember) int { return strings.Compare(a.key, b.key) })
	sorted := true
	for i := base; i < end; i++ {
		m := r.members[i]
		f := field{}
		var plain bool
		f.element, plain, err = r.readElement(m.key)
		if errors.Is(err, fieldpath.ErrUnknownPathElementType) {
			r.canonical = false
			continue
		}
		if err != nil {
			return nil, false, fmt.Errorf("%q: %w", m.key, err)
		}
		if !plain && r.canonical {
			r.canonical = isCanonicalElement(f.element, m.key)
		}
		if f.children, f.member, err = r.readChild(m.value, depth+1); err != nil {
			return nil, false, within(m.key, err)
		}
		if n := len(r.found); n > bottom && sorted {
			sorted = r.found[n-1].element.Less(f.element)
		}
		r.found = append(r.found, f)
	}
	clear(r.members[base:end])
	r.members = r.members[:base]
	found := r.found[bottom:]
	if !sorted {
		found = r.sort(found)
	}
	below = r.buildSet(found)
	clear(r.found[bottom:])
	r.found = r.found[:bottom]
	return below, self, nil
}

// readChild returns the fields below a field, nil when there are none, and
// whether the field is a member.
func (r *fieldsReader) readChild(value any, depth int) (*fieldpath.Set, bool, error) {
	child, ok := value.(map[string]any)
	if !ok && value != nil {
		return nil, false, fmt.Errorf("want an object, got %s", kindOf(value))
	}
	if len(child) == 0 {
		r.canonical = r.canonical && child != nil
		return nil, true, nil
	}
	below, self, err := r.read(child, depth)
	if below == nil {
		r.canonical = false // {".": {}} is written as {}
		self = true
	}
	return below, self, err
}

// sort puts fields into the order of their elements and joins those that
// name the same element in different texts, such as k:{"a":1} and
// k:{"a":1.0}: it is a member if one of them is, and has the children of the
// last that has any.
func (r *fieldsReader) sort(found []field) []field {
	slices.SortStableFunc(found, func(a, b field) int { return a.element.Compare(b.element) })
	joined := found[:0]
	for _, f := range found {
		n := len(joined)
		if n == 0 || !joined[n-1].element.Equals(f.element) {
			joined = append(joined, f)
			continue
		}
		r.canonical = false
		joined[n-1].member = joined[n-1].member || f.member
		if f.children != nil {
			joined[n-1].children = f.children
		}
	}
	return joined
}

func (r *fieldsReader) buildSet(found []field) *fieldpath.Set {
	if len(found) == 0 {
		return nil
	}
	nm, nc := 0, 0
	for i := range found {
		if found[i].member {
			nm++
		}
		if found[i].children != nil {
			nc++
		}
	}
	members, children := r.elements.Take(nm)[:0], r.nodes.Take(nc)[:0]
	for i := range found {
		if found[i].member {
			members = append(members, found[i].element)
		}
		if found[i].children != nil {
			children = append(children, fieldpath.SetNode{PathElement: found[i].element, Set: found[i].children})
		}
	}
	set := r.sets.One()
	*set = *fieldpath.FromSorted(members, children)
	return set
}

// readElement reads one key of fieldsV1. plain is true when the element is
// surely written as key.
func (r *fieldsReader) readElement(key string) (element fieldpath.PathElement, plain bool, err error) {
	if name, ok := strings.CutPrefix(key, "f:"); ok {
		own := r.names.One()
		*own = name
		return fieldpath.PathElement{FieldName: own}, true, nil
	}
	if text, ok := strings.CutPrefix(key, "k:"); ok {
		if key := r.readPlainKey(text); key != nil {
			return fieldpath.PathElement{Key: key}, true, nil
		}
	}
	element, err = fieldpath.DeserializePathElement(key)
	return element, false, err
}

// isCanonicalElement tells whether element is written as key.
func isCanonicalElement(element fieldpath.PathElement, key string) bool {
	text, err := fieldpath.SerializePathElement(element)
	return err == nil && text == key
}

// maxErrorPath bounds the path in an error about fieldsV1.
const maxErrorPath = 512

// within puts the path element an error happened under in front of it. In
// fields nested without measure, the outer elements are left out.
func within(key string, err error) error {
	var in *fieldsError
	if !errors.As(err, &in) {
		in = &fieldsError{err: err}
	}
	if len(in.path) < maxErrorPath {
		in.path = fmt.Sprintf("[%q]", key) + in.path
	}
	return in
}

type fieldsError struct {
	path string
	err  error
}

func (e *fieldsError) Error() string { return e.path + ": " + e.err.Error() }
func (e *fieldsError) Unwrap() error { return e.err }
