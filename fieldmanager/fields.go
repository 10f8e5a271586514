package fieldmanager

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldpath"
)

// maxFieldsDepth bounds how deep fieldsV1 may nest, as the API server's
// decoder does: the set is walked by recursion.
const maxFieldsDepth = 10000

// readFields builds the set that a decoded fieldsV1 stands for, without going
// through its JSON text. canonical is true when writeFields would give the
// same map again.
//
// What the API server's decoder tolerates is tolerated: null stands for {},
// whatever "." holds, element kinds it does not know.
func readFields(fields map[string]any) (set *fieldpath.Set, canonical bool, err error) {
	r := fieldsReader{canonical: true}
	set, _, err = r.read(fields, 0)
	if err != nil {
		return nil, false, err
	}
	if _, ok := fields["."]; ok {
		r.canonical = false
	}
	if set == nil {
		set = fieldpath.NewSet()
	}
	return set, r.canonical, nil
}

type fieldsReader struct {
	canonical bool
	// keys is a stack: read sorts the keys of its map on top of those of the
	// maps around it.
	keys []string
}

// field is one member of a fieldsV1 map.
type field struct {
	element  fieldpath.PathElement
	member   bool
	children *fieldpath.Set
}

// read returns the fields below this one, nil when there are none, and
// whether this one is a member itself.
func (r *fieldsReader) read(fields map[string]any, depth int) (*fieldpath.Set, bool, error) {
	if depth > maxFieldsDepth {
		return nil, false, fmt.Errorf("nested deeper than %d levels", maxFieldsDepth)
	}
	_, self := fields["."]
	base := len(r.keys)
	for key := range fields {
		if key != "." {
			r.keys = append(r.keys, key)
		}
	}
	// In the order of the text, later elements replace earlier ones.
	keys := r.keys[base:]
	slices.Sort(keys)
	found := make([]field, 0, len(keys))
	sorted := true
	for _, key := range keys {
		element, err := readElement(key)
		if errors.Is(err, fieldpath.ErrUnknownPathElementType) {
			r.canonical = false
			continue
		}
		if err != nil {
			return nil, false, fmt.Errorf("%q: %w", key, err)
		}
		f := field{element: element}
		switch child := fields[key].(type) {
		case nil:
			f.member = true
			r.canonical = false
		case map[string]any:
			f.children, f.member, err = r.readChild(child, depth+1)
			if err != nil {
				return nil, false, within(key, err)
			}
		default:
			return nil, false, within(key, fmt.Errorf("want an object, got %s", kindOf(child)))
		}
		if n := len(found); n > 0 && sorted && !found[n-1].element.Less(element) {
			sorted = false
		}
		found = append(found, f)
	}
	for _, key := range keys {
		if r.canonical && !isCanonicalElement(key) {
			r.canonical = false
		}
	}
	clear(keys)
	r.keys = r.keys[:base]
	if !sorted {
		found = r.sort(found)
	}
	if len(found) == 0 {
		return nil, true, nil
	}
	return buildSet(found), self, nil
}

func (r *fieldsReader) readChild(child map[string]any, depth int) (*fieldpath.Set, bool, error) {
	children, member, err := r.read(child, depth)
	if err != nil || !r.canonical {
		return children, member, err
	}
	if self, ok := child["."]; ok {
		empty, isMap := self.(map[string]any)
		r.canonical = isMap && len(empty) == 0 && children != nil
	}
	return children, member, nil
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

func buildSet(found []field) *fieldpath.Set {
	nm, nc := 0, 0
	for i := range found {
		if found[i].member {
			nm++
		}
		if found[i].children != nil {
			nc++
		}
	}
	var members []fieldpath.PathElement
	if nm > 0 {
		members = make([]fieldpath.PathElement, 0, nm)
	}
	var children []fieldpath.SetNode
	if nc > 0 {
		children = make([]fieldpath.SetNode, 0, nc)
	}
	for i := range found {
		if found[i].member {
			members = append(members, found[i].element)
		}
		if found[i].children != nil {
			children = append(children, fieldpath.SetNode{PathElement: found[i].element, Set: found[i].children})
		}
	}
	return fieldpath.FromSorted(members, children)
}

// readElement reads one key of fieldsV1.
func readElement(key string) (fieldpath.PathElement, error) {
	if name, ok := strings.CutPrefix(key, "f:"); ok {
		return fieldpath.PathElement{FieldName: &name}, nil
	}
	return fieldpath.DeserializePathElement(key)
}

// isCanonicalElement tells whether the element of key is written as key.
func isCanonicalElement(key string) bool {
	if strings.HasPrefix(key, "f:") {
		return true
	}
	element, err := readElement(key)
	if err != nil {
		return false
	}
	text, err := fieldpath.SerializePathElement(element)
	return err == nil && text == key
}

// writeFields is the decoded fieldsV1 of a set. It shares nothing with set.
func writeFields(set *fieldpath.Set) (map[string]any, error) {
	return writeBelow(set, false)
}

func writeBelow(set *fieldpath.Set, self bool) (map[string]any, error) {
	members, children := set.Members.Sorted(), set.Children.Sorted()
	out := make(map[string]any, len(members)+len(children)+1)
	if self && len(members)+len(children) > 0 {
		out["."] = map[string]any{}
	}
	for len(members)+len(children) > 0 {
		order := 0
		switch {
		case len(members) == 0:
			order = 1
		case len(children) == 0:
			order = -1
		default:
			order = members[0].Compare(children[0].PathElement)
		}
		if order < 0 {
			key, err := elementKey(members[0])
			if err != nil {
				return nil, err
			}
			out[key] = map[string]any{}
			members = members[1:]
			continue
		}
		key, err := elementKey(children[0].PathElement)
		if err != nil {
			return nil, err
		}
		below, err := writeBelow(children[0].Set, order == 0)
		if err != nil {
			return nil, within(key, err)
		}
		out[key] = below
		children = children[1:]
		if order == 0 {
			members = members[1:]
		}
	}
	return out, nil
}

func elementKey(e fieldpath.PathElement) (string, error) {
	if e.FieldName != nil {
		return "f:" + *e.FieldName, nil
	}
	return fieldpath.SerializePathElement(e)
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
