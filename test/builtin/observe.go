// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// Observations record how Kubernetes' defaulting functions change the fields of Go structs.
type Observations struct {
	seen map[At]*Seen
	// below maps a path to the longer paths that lead to the same field, from the structs that
	// contain the path's type. For example, "type" in a DeploymentStrategy is "strategy.type" in
	// a DeploymentSpec. A path has at most maxPath names.
	below map[At]map[At]bool
	// The fields to observe; nil means all fields.
	of map[At]bool
}

// At identifies a field by a type and the path from this type to the field.
type At struct{ Type, Path string }

// Seen has the observations of one field.
type Seen struct {
	// Unset counts how often the field was unset and stayed unset. Empty counts how often it
	// was an empty list or map and did not change.
	Unset, Empty int
	// Filled counts how often each value replaced an unset field. FilledEmpty counts how often
	// each value replaced an empty list or map. The keys of both maps are the values as JSON.
	Filled, FilledEmpty map[string]int
	// Changed counts how often defaulting replaced a value that was set.
	Changed int
	// Scalar is true if the field is neither a pointer nor a list or map, so that a zero value
	// in Go may mean that it is unset.
	Scalar bool
	// Map is true if the field is a map. It matters because JSON omits empty maps.
	Map bool
	// top counts how often the path to the field could not be longer, because it already started at
	// the object, at a list item or at a map value.
	top int
}

// maxPath is the maximum number of names in a path.
const maxPath = 3

// NewObservations returns empty observations. If only is nil, Observe records all fields.
// Otherwise, it records only the given fields, together with the longer paths that lead to them.
func NewObservations(only map[At]bool) *Observations {
	return &Observations{map[At]*Seen{}, map[At]map[At]bool{}, only}
}

// Observe records how defaulting changed an object.
func (o *Observations) Observe(before, after any) {
	o.object(reflect.ValueOf(before).Elem(), reflect.ValueOf(after).Elem(), nil)
}

// step is one step of a path: the name of a struct type, and the name of one of its fields. The
// field is a struct or a pointer to a struct.
type step struct{ in, name string }

func (o *Observations) object(before, after reflect.Value, above []step) {
	name := Definition(before.Type())
	for _, f := range Fields(before.Type()) {
		o.field(name, f, before.FieldByIndex(f.Index), after.FieldByIndex(f.Index), above)
	}
}

func (o *Observations) field(in string, f Field, before, after reflect.Value, above []step) {
	at := At{in, f.Name}
	t := f.Type
	pointer := t.Kind() == reflect.Pointer
	switch {
	case pointer && (before.IsNil() || after.IsNil() || IsLeaf(t.Elem()) || t.Elem().Kind() != reflect.Struct),
		t.Kind() == reflect.Struct && IsLeaf(t),
		t.Kind() == reflect.Slice && (t.Elem().Kind() == reflect.Uint8 || before.Len() != after.Len() || before.Len() == 0),
		t.Kind() == reflect.Map && (structOf(t.Elem()) == nil || before.Len() != after.Len() || before.Len() == 0),
		t.Kind() != reflect.Struct && t.Kind() != reflect.Slice && t.Kind() != reflect.Map && !pointer:
		o.leaf(at, before, after, above)
		return
	}
	switch t.Kind() {
	case reflect.Pointer:
		o.object(before.Elem(), after.Elem(), append(slices.Clip(above), step{in, f.Name}))
	case reflect.Struct:
		o.object(before, after, append(slices.Clip(above), step{in, f.Name}))
	case reflect.Slice:
		if structOf(t.Elem()) == nil {
			o.leaf(at, before, after, above)
			return
		}
		for i := range before.Len() {
			o.item(before.Index(i), after.Index(i))
		}
	case reflect.Map:
		for _, k := range before.MapKeys() {
			if a := after.MapIndex(k); a.IsValid() {
				o.item(before.MapIndex(k), a)
			}
		}
	}
}

func (o *Observations) item(before, after reflect.Value) {
	if before.Kind() == reflect.Pointer {
		if before.IsNil() || after.IsNil() {
			return
		}
		before, after = before.Elem(), after.Elem()
	}
	o.object(before, after, nil)
}

// structOf returns the struct type that t is or points to. It returns nil if there is no such
// struct, or if the struct has its own JSON methods.
func structOf(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || IsLeaf(t) {
		return nil
	}
	return t
}

// leaf records whether defaulting changed one field. The argument "above" contains the steps
// that lead from the object to the struct with this field.
func (o *Observations) leaf(at At, before, after reflect.Value, above []step) {
	if o.of != nil && !o.of[at] {
		return
	}
	for n := 0; ; n++ {
		s := o.seen[at]
		if s == nil {
			s = &Seen{Filled: map[string]int{}, FilledEmpty: map[string]int{}}
			o.seen[at] = s
		}
		s.note(before, after)
		if o.of == nil || n == maxPath-1 {
			return
		}
		if len(above) == 0 {
			s.top++
			return
		}
		last := above[len(above)-1]
		above = above[:len(above)-1]
		wider := At{last.in, last.name + "." + at.Path}
		if o.below[at] == nil {
			o.below[at] = map[At]bool{}
		}
		o.below[at][wider] = true
		at = wider
	}
}

func (s *Seen) note(before, after reflect.Value) {
	s.Map = before.Kind() == reflect.Map
	switch before.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		empty := before.Kind() != reflect.Pointer && !before.IsNil() && before.Len() == 0
		switch same := equal(before, after); {
		case before.IsNil() && same:
			s.Unset++
		case before.IsNil():
			s.Filled[spelled(after)]++
		case empty && same:
			s.Empty++
		case empty:
			s.FilledEmpty[spelled(after)]++
		case !same:
			s.Changed++
		}
	default:
		s.Scalar = true
		switch same := equal(before, after); {
		case before.IsZero() && same:
			s.Unset++
		case before.IsZero():
			s.Filled[spelled(after)]++
		case !same:
			s.Changed++
		}
	}
}

func equal(a, b reflect.Value) bool {
	return reflect.DeepEqual(a.Interface(), b.Interface()) || spelled(a) == spelled(b)
}

func spelled(v reflect.Value) string {
	data, err := json.Marshal(v.Interface())
	if err != nil {
		panic(err)
	}
	return string(data)
}

// Gaining returns the fields that defaulting has set or changed at least once.
func (o *Observations) Gaining() map[At]bool {
	all := map[At]bool{}
	for at, s := range o.seen {
		if s.Changed > 0 || len(s.FilledEmpty) > 0 || len(s.Filled) > 0 && !(s.Map && onlyEmpty(s.Filled)) {
			all[at] = true
		}
	}
	return all
}

func onlyEmpty(values map[string]int) bool {
	return len(values) == 1 && values["{}"] > 0
}

// Constant is a field that always gets the same value when it is unset.
type Constant struct {
	At
	// Value is the default as JSON. If Zero is true, the field also counts as unset if it has a
	// zero value or an empty list.
	Value string
	Zero  bool
}

// least is the minimum number of observations of a constant default.
const least = 12

// Constants returns two lists: the fields with constant defaults, and the fields whose defaults
// depend on other fields.
func (o *Observations) Constants() (constants []Constant, dependent []At) {
	for at := range o.of {
		found, ok := o.constants(at)
		if ok {
			constants = append(constants, found...)
		}
		if s := o.seen[at]; !ok || s != nil && s.Changed > 0 {
			dependent = append(dependent, at)
		}
	}
	slices.SortFunc(constants, func(a, b Constant) int { return strings.Compare(a.key(), b.key()) })
	slices.SortFunc(dependent, func(a, b At) int { return strings.Compare(a.key(), b.key()) })
	return constants, dependent
}

func (a At) key() string { return a.Type + " " + a.Path }

// constants returns the constant defaults of a field. If the default depends only on the struct
// that contains the field, the result has one constant for each of these structs, with a longer
// path. The second result is false if the default depends on anything else.
func (o *Observations) constants(at At) ([]Constant, bool) {
	s := o.seen[at]
	switch {
	case s == nil:
		return nil, false
	case len(s.Filled) == 0 && len(s.FilledEmpty) == 0:
		return nil, true
	}
	if c, ok := s.constant(at); ok {
		return []Constant{c}, true
	}
	if s.top > 0 || len(o.below[at]) == 0 {
		return nil, false
	}
	var all []Constant
	for _, wider := range slices.SortedFunc(maps.Keys(o.below[at]), func(a, b At) int { return strings.Compare(a.key(), b.key()) }) {
		found, ok := o.constants(wider)
		if !ok {
			return nil, false
		}
		all = append(all, found...)
	}
	return all, true
}

func (s *Seen) constant(at At) (Constant, bool) {
	if s.Unset > 0 || len(s.Filled) != 1 || len(s.FilledEmpty) > 1 || s.Empty > 0 && len(s.FilledEmpty) > 0 {
		return Constant{}, false
	}
	c := Constant{At: at, Zero: s.Scalar || len(s.FilledEmpty) > 0}
	for v, n := range s.Filled {
		if n < least || aTime.MatchString(v) {
			return Constant{}, false
		}
		c.Value = v
		if len(s.FilledEmpty) > 0 && s.FilledEmpty[v] == 0 {
			return Constant{}, false
		}
	}
	return c, true
}

// aTime matches a time in JSON.
var aTime = regexp.MustCompile(`^"\d{4}-\d\d-\d\dT`)

// Of describes the observations of a field.
func (o *Observations) Of(at At) string {
	s := o.seen[at]
	if s == nil {
		return "nothing"
	}
	return fmt.Sprintf("unset %d, filled %v, empty %d, filled %v, changed %d", s.Unset, s.Filled, s.Empty, s.FilledEmpty, s.Changed)
}
