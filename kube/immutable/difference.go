// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package immutable

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/compiled"
	"github.com/dovetail-ssa/dovetail/internal/item"
	"github.com/dovetail-ssa/dovetail/internal/quantity"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/value"
)

// difference compares two values in the same way as Kubernetes, which compares the decoded Go
// values. Absent, null and zero are equal, except in pointer fields. The quantities 1 and 1000m are
// equal. The order of list items matters. A missing field is ignored if the server may fill it in.
type difference struct {
	*check
	// except lists paths at which changes are ignored, in the syntax of the table of rules.
	except []string
	found  []changedValue
}

// changedValue is a location at which two values differ. A missing value is nil.
type changedValue struct {
	at        location
	old, next any
}

// location is a position inside the two objects that are compared.
type location struct {
	// types maps each type name and field name to facts about the field.
	types map[string]map[string]facts
	ref   schema.TypeRef
	// path is the path of the location, and field is the same path as text. TransitionError contains
	// both. pattern is the path in the syntax of the table of rules, with [] for list items.
	path           fieldpath.Path
	field, pattern string
	facts          facts
	// list is the type of the list that contains the location, if the location is a list item.
	list schema.TypeRef
	// ancestors lists the fields on the path to the location, with their values in both objects.
	ancestors []ancestor
}

type ancestor struct {
	old, next any
	facts     facts
}

// filledByServer reports whether a difference at this location may disappear, because the server fills
// in a missing value. The missing value is the field itself or a field that contains it, in one of the
// objects.
func (at location) filledByServer(_, _ map[string]any) bool {
	return slices.ContainsFunc(at.ancestors, func(p ancestor) bool {
		return p.facts.filledByServer && (p.old == nil || p.next == nil)
	})
}

func (c *check) root() location { return location{types: c.release.table().types, ref: c.t.TypeRef} }

// child returns the location of a field or map value inside this location.
func (at location) child(s *schema.Schema, name string) location {
	next := location{types: at.types, path: append(slices.Clip(at.path), fieldpath.FieldNameElement(name)), ancestors: at.ancestors}
	atom, _ := s.Resolve(at.ref)
	if atom.Map == nil {
		next.field, next.pattern = at.field+"."+name, at.pattern+"."+name
		return next
	}
	if f, ok := atom.Map.FindField(name); ok {
		next.ref, next.field, next.pattern = f.Type, at.field+"."+name, at.pattern+"."+name
		if at.ref.NamedType != nil {
			next.facts = at.types[*at.ref.NamedType][name]
		}
		return next
	}
	next.ref, next.field, next.pattern = atom.Map.ElementType, at.field+"["+name+"]", at.pattern+"{}"
	next.facts = facts{zeroIsValue: true, base64: at.facts.base64, undeclared: len(atom.Map.Fields) > 0}
	return next
}

// item returns the location of an item in the list at this location.
func (at location) item(s *schema.Schema, e fieldpath.PathElement) location {
	next := location{types: at.types, path: append(slices.Clip(at.path), e), field: at.field, pattern: at.pattern + "[]", list: at.ref, ancestors: at.ancestors}
	if e.Index != nil {
		next.field += "[" + strconv.Itoa(*e.Index) + "]"
	}
	if atom, _ := s.Resolve(at.ref); atom.List != nil {
		next.ref = atom.List.ElementType
	}
	return next
}

// itemOf returns the item of a list that a path element identifies, or nil if the list has no such
// item. The argument v is the list, and e is the path element.
func itemOf(s *schema.Schema, list schema.TypeRef, v any, e fieldpath.PathElement) any {
	items, _ := v.([]any)
	if e.Index != nil {
		if *e.Index < len(items) {
			return items[*e.Index]
		}
		return nil
	}
	for _, it := range items {
		if named, ok := nameOf(s, list, it); ok && named.Equals(e) {
			return it
		}
	}
	return nil
}

// nameOf returns the path element that identifies an item by its keys.
func nameOf(s *schema.Schema, list schema.TypeRef, it any) (fieldpath.PathElement, bool) {
	n := compiled.Node(s, list)
	if n.List == nil || !n.List.IsAssociative() || len(n.List.Keys) == 0 {
		return fieldpath.PathElement{}, false
	}
	return item.Element(n.List, it)
}

func (d *difference) differs(at location, old, next any) {
	d.found = append(d.found, changedValue{at, old, next})
}

func (d *difference) value(at location, old, next any) {
	if at.facts.filledByServer && !at.facts.zeroIsValue {
		// The server treats a zero value of this field as absent and fills it in.
		if d.zero(at, old) {
			old = nil
		}
		if d.zero(at, next) {
			next = nil
		}
	}
	switch {
	case at.facts.undeclared, at.facts.ignored, slices.Contains(d.except, at.pattern):
		return
	case old == nil && next == nil:
		return
	case old == nil || next == nil:
		kept := at.facts.zeroIsValue && !slices.ContainsFunc(d.except, func(p string) bool { return strings.HasPrefix(p, at.pattern+".") })
		if !at.facts.filledByServer && !(at.facts.additionDropped && old == nil) && (kept || !d.zero(at, orElse(old, next))) {
			d.differs(at, old, next)
		}
		return
	}
	switch a := old.(type) {
	case map[string]any:
		if b, ok := next.(map[string]any); ok {
			d.maps(at, a, b)
			return
		}
	case []any:
		if b, ok := next.([]any); ok {
			d.lists(at, a, b)
			return
		}
	default:
		if sameScalar(at, old, next) {
			return
		}
	}
	d.differs(at, old, next)
}

func orElse(a, b any) any {
	if a != nil {
		return a
	}
	return b
}

func (d *difference) maps(at location, a, b map[string]any) {
	names := slices.Collect(maps.Keys(a))
	for name := range b {
		if _, both := a[name]; !both {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		next := at.child(d.t.Schema, name)
		// Go decodes a null in a map to a zero value, so the key is present.
		_, had := a[name]
		_, has := b[name]
		if strings.HasSuffix(next.pattern, "{}") && had && has && (a[name] == nil || b[name] == nil) {
			continue
		}
		d.value(next, a[name], b[name])
	}
}

func (d *difference) lists(at location, a, b []any) {
	if len(a) != len(b) {
		d.differs(at, a, b)
		return
	}
	for i := range a {
		e := fieldpath.IndexElement(i)
		before, known := nameOf(d.t.Schema, at.ref, a[i])
		if after, ok := nameOf(d.t.Schema, at.ref, b[i]); ok && known {
			if !before.Equals(after) && !slices.Contains(d.except, at.pattern+"[]") {
				d.differs(at, a, b)
				return
			}
			e = after
		}
		next := at.item(d.t.Schema, e)
		next.field = at.field + "[" + strconv.Itoa(i) + "]"
		d.value(next, a[i], b[i])
	}
}

// zero reports whether Go decodes a value to its type's zero value.
func (d *difference) zero(at location, v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case bool:
		return !v
	case map[string]any:
		for name, below := range v {
			next := at.child(d.t.Schema, name)
			if slices.Contains(d.except, next.pattern) || next.facts.filledByServer {
				continue
			}
			if strings.HasSuffix(next.pattern, "{}") || next.facts.zeroIsValue && below != nil || !d.zero(next, below) {
				return false
			}
		}
		return true
	case []any:
		return len(v) == 0
	}
	return value.Equals(value.NewValueInterface(v), value.NewValueInterface(int64(0))) || value.Equals(value.NewValueInterface(v), value.NewValueInterface(0.0))
}

// sameScalar reports whether two scalars are equal as values of the Go type at this
// location.
func sameScalar(at location, a, b any) bool {
	if value.Equals(value.NewValueInterface(a), value.NewValueInterface(b)) {
		return true
	}
	x, _ := a.(string)
	y, _ := b.(string)
	if at.facts.base64 {
		lines := strings.NewReplacer("\n", "", "\r", "")
		return lines.Replace(x) == lines.Replace(y)
	}
	if at.ref.NamedType == nil {
		return false
	}
	switch name := *at.ref.NamedType; {
	case name == schema.QuantityType:
		return quantity.Equal(a, b)
	case strings.HasSuffix(name, ".meta.v1.Time"), strings.HasSuffix(name, ".meta.v1.MicroTime"):
		s, err1 := time.Parse(time.RFC3339Nano, x)
		t, err2 := time.Parse(time.RFC3339Nano, y)
		precision := time.Second
		if strings.HasSuffix(name, ".MicroTime") {
			precision = time.Microsecond
		}
		s, t = s.Truncate(precision), t.Truncate(precision)
		return err1 == nil && err2 == nil && s.Equal(t)
	case strings.HasSuffix(name, ".meta.v1.Duration"):
		s, err1 := time.ParseDuration(x)
		t, err2 := time.ParseDuration(y)
		return err1 == nil && err2 == nil && s == t
	}
	return false
}
