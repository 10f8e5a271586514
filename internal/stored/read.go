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

// maxFieldsDepth is the maximum nesting of fieldsV1. There is a limit because the code that
// reads fieldsV1 is recursive. The API server's decoder has the same limit.
const maxFieldsDepth = 10000

// Reader builds sets from fieldsV1 that is already decoded from JSON. A single Reader reads all
// entries of an object, so that their sets share allocations.
type Reader struct {
	// canonical becomes false if Write would return different fields from those that were read.
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

// fieldsStacks has the entries of all maps that are being read: a nested map, and all maps
// around it.
type fieldsStacks struct {
	members []fieldMember
	found   []field
}

var unusedStacks = sync.Pool{New: func() any { return new(fieldsStacks) }}

// fieldMember is an entry of a fieldsV1 map, which is not decoded yet.
type fieldMember struct {
	key   string
	value any
}

// field is a decoded entry of a fieldsV1 map.
type field struct {
	element  fieldpath.PathElement
	member   bool
	children *fieldpath.Set
}

// Read returns the set that fields describes. canonical reports whether Write would return the
// same map.
//
// Read tolerates the same unusual input as the API server's decoder: null instead of {}, any
// value for ".", and path elements of unknown kinds.
func (r *Reader) Read(fields map[string]any) (set *fieldpath.Set, canonical bool, err error) {
	r.canonical = true
	r.fieldsStacks = unusedStacks.Get().(*fieldsStacks)
	set, self, err := r.read(fields, 0)
	if err != nil {
		return nil, false, err
	}
	unusedStacks.Put(r.fieldsStacks) // the stacks are empty
	if set == nil {
		set = fieldpath.NewSet()
	}
	return set, r.canonical && !self, nil
}

// read returns the set of the paths below a field, or nil if there are none. self is true if
// the field has the key ".". The path of the field itself is then in the set.
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
	// Sort the keys as text. The order matters, because several keys can have equal elements, and
	// the last of these keys decides.
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
			return nil, false, elementError(m.key)
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

// ReadElement decodes a key of fieldsV1. It returns fieldpath.ErrUnknownPathElementType if the kind of
// the element is unknown. Other errors describe the key in words.
func ReadElement(key string) (fieldpath.PathElement, error) {
	element, _, err := new(Reader).readElement(key)
	if err != nil && !errors.Is(err, fieldpath.ErrUnknownPathElementType) {
		err = elementError(key)
	}
	return element, err
}

// elementError returns an error about a key of fieldsV1 that cannot be decoded.
func elementError(key string) error {
	want := "f:NAME, k:KEYS, v:VALUE or i:INDEX"
	switch kind, _, _ := strings.Cut(key, ":"); kind {
	case "k":
		want = `the keys of a list item as a JSON object after k:, such as k:{"name":"web"}`
	case "v":
		want = `a JSON value after v:, such as v:"web"`
	case "i":
		want = "an integer after i:, such as i:0"
	}
	return fmt.Errorf("%q is not a path element: want %s", key, want)
}

// readChild returns the set of the paths below a field, or nil if there are none. The boolean
// reports whether the path of the field itself is in the set.
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
		r.canonical = false // {".": {}} would be written as {}
		self = true
	}
	return below, self, err
}

// sort sorts fields by their elements, and joins the fields with equal elements. Different texts can be
// equal elements, for example k:{"a":1} and k:{"a":1.0}. A joined field is a
// member if any of the fields is a member, and has the children of the last field that has
// children.
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

// buildSet returns a set with the fields in found, which must be sorted. If there are no fields,
// it returns nil.
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

// readElement decodes one key of fieldsV1. plain is true if the element is known to be encoded
// as the same key.
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

// isCanonicalElement reports whether element is encoded as key.
func isCanonicalElement(element fieldpath.PathElement, key string) bool {
	text, err := fieldpath.SerializePathElement(element)
	return err == nil && text == key
}

// maxErrorPath is the maximum length of the path in an error about fieldsV1.
const maxErrorPath = 512

// within adds a key to the front of the path in an error. A path that is already long does not
// change.
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

// Error is an error in fieldsV1, with the keys that lead to the invalid field.
type Error struct {
	path string
	err  error
}

func (e *Error) Error() string { return e.path + ": " + e.err.Error() }
func (e *Error) Unwrap() error { return e.err }

// readPlainKey decodes the JSON of a list key as servers usually write it: names are sorted,
// there are no spaces, and values are strings without escapes, small integers, or booleans. For
// any other JSON, readPlainKey returns nil, and package fieldpath decodes the key.
//
// Numbers become float64, as in package fieldpath.
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

// maxSearched is the maximum size of a set that findPlainKey searches.
const maxSearched = 32

// findPlainKey returns the paths below the item with the given FieldsV1 key in set, or nil if there
// are none. The result named reports whether it found the item. It searches only for plain keys,
// and only in small sets.
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

// plainField is a field of a plain list key, with the JSON of its value.
type plainField struct{ name, scalar string }

// areFields reports whether e consists of exactly these key fields.
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

// isPlainScalar reports whether text is the JSON of v. skipPlainScalar must have accepted
// text.
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

// eachPlainField calls f for each field of a list key, with the JSON of its value. If the key is
// not plain, it returns false, possibly after some calls of f.
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

// skipPlainScalar returns the text after the scalar at the beginning of text. ok is false if
// there is no plain scalar.
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

// plainScalar decodes text. skipPlainScalar must have accepted text.
func plainScalar(text string) any {
	switch text[0] {
	case '"':
		return text[1 : len(text)-1]
	case 't', 'f':
		return text[0] == 't'
	}
	return float64(plainNumber(text))
}

// plainNumber decodes a number that has only a few digits.
func plainNumber(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}

// plainString decodes a quoted string without escapes at the beginning of text. It also returns the
// remaining text.
func plainString(text string) (s, after string, ok bool) {
	if text == "" || text[0] != '"' {
		return "", "", false
	}
	s, after, ok = strings.Cut(text[1:], `"`)
	return s, after, ok && jsoniter.IsSafe(s)
}
