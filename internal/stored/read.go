// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package stored

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/jsoniter"
	"github.com/dovetail-ssa/dovetail/internal/scratch"
	"github.com/dovetail-ssa/dovetail/value"
)

// maxFieldsDepth bounds how deep fieldsV1 may nest, as the API server's
// decoder does: the set is walked by recursion.
const maxFieldsDepth = 10000

// Reader builds the sets that decoded fieldsV1 stand for, without going
// through their JSON text. One reader reads all entries of an object: what the
// sets are made of comes from slabs.
type Reader struct {
	// canonical is whether what was read is what Write gives.
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

// Read reads one fieldsV1. canonical is true when Write would give
// the same map again.
//
// What the API server's decoder tolerates is tolerated: null stands for {},
// whatever "." holds, element kinds it does not know.
func (r *Reader) Read(fields map[string]any) (set *fieldpath.Set, canonical bool, err error) {
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
func (r *Reader) read(fields map[string]any, depth int) (below *fieldpath.Set, self bool, err error) {
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
func (r *Reader) readChild(value any, depth int) (*fieldpath.Set, bool, error) {
	child, ok := value.(map[string]any)
	if !ok && value != nil {
		return nil, false, fmt.Errorf("want an object, got %s", document.Kind(value))
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
func (r *Reader) sort(found []field) []field {
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

func (r *Reader) buildSet(found []field) *fieldpath.Set {
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
func (r *Reader) readElement(key string) (element fieldpath.PathElement, plain bool, err error) {
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
	var in *Error
	if !errors.As(err, &in) {
		in = &Error{err: err}
	}
	if len(in.path) < maxErrorPath {
		in.path = fmt.Sprintf("[%q]", key) + in.path
	}
	return in
}

type Error struct {
	path string
	err  error
}

func (e *Error) Error() string { return e.path + ": " + e.err.Error() }
func (e *Error) Unwrap() error { return e.err }

// readPlainKey reads the JSON of list keys in the one form in which they are
// nearly always stored: names in order, strings without escapes, small whole
// numbers, booleans, no spaces. Whatever else there is, the result is nil and
// the JSON is left to fieldpath. Such a key is written as it was read.
//
// Numbers become float64, as fieldpath reads them.
func (r *Reader) readPlainKey(text string) *value.FieldList {
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

// plainNumber is the number that a few digits stand for.
func plainNumber(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}

// plainString reads a quoted string in which every byte stands for itself.
func plainString(text string) (s, after string, ok bool) {
	if text == "" || text[0] != '"' {
		return "", "", false
	}
	s, after, ok = strings.Cut(text[1:], `"`)
	return s, after, ok && jsoniter.IsSafe(s)
}
