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

// difference finds where two values differ once they are Go structs of Kubernetes: where
// absent, null and a zero value are one thing, but for pointers, and 1 and 1000m are; where
// the order of items counts. What may be filled in by the server is not missed.
type difference struct {
	*check
	// except are patterns that are not looked at.
	except []string
	found  []differing
}

// differing is a place where two values differ; nil is none.
type differing struct {
	at        spot
	old, next any
}

// spot is a place in objects of a kind.
type spot struct {
	// types are those of the table.
	types map[string]map[string]facts
	ref   schema.TypeRef
	// path and field name the place, as a TransitionError does; pattern as the table does.
	path           fieldpath.Path
	field, pattern string
	facts          facts
	// list is the type of the list that an item is of.
	list schema.TypeRef
	// passed are the fields on the way.
	passed []passed
}

type passed struct {
	old, next any
	facts     facts
}

// filled says whether the place, or one on the way to it, is in one of the objects only, and
// is one that the server fills in.
func (at spot) filled(_, _ map[string]any) bool {
	return slices.ContainsFunc(at.passed, func(p passed) bool {
		return p.facts.filled && (p.old == nil || p.next == nil)
	})
}

func (c *check) root() spot { return spot{types: c.release.table().types, ref: c.t.TypeRef} }

// child is the spot of a field.
func (at spot) child(s *schema.Schema, name string) spot {
	next := spot{types: at.types, path: append(slices.Clip(at.path), fieldpath.FieldNameElement(name)), passed: at.passed}
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
	next.facts = facts{kept: true, bytes: at.facts.bytes, unknown: len(atom.Map.Fields) > 0}
	return next
}

// item is the spot of an item.
func (at spot) item(s *schema.Schema, e fieldpath.PathElement) spot {
	next := spot{types: at.types, path: append(slices.Clip(at.path), e), field: at.field, pattern: at.pattern + "[]", list: at.ref, passed: at.passed}
	if e.Index != nil {
		next.field += "[" + strconv.Itoa(*e.Index) + "]"
	}
	if atom, _ := s.Resolve(at.ref); atom.List != nil {
		next.ref = atom.List.ElementType
	}
	return next
}

// itemOf is the item of a list that an element names, nil if there is none.
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

// nameOf is the element that names an item of a list with keys.
func nameOf(s *schema.Schema, list schema.TypeRef, it any) (fieldpath.PathElement, bool) {
	n := compiled.Node(s, list)
	if n.List == nil || !n.List.IsAssociative() || len(n.List.Keys) == 0 {
		return fieldpath.PathElement{}, false
	}
	return item.Identity(n.List, it)
}

func (d *difference) differs(at spot, old, next any) {
	d.found = append(d.found, differing{at, old, next})
}

func (d *difference) value(at spot, old, next any) {
	if at.facts.filled && !at.facts.kept {
		// A zero value is filled in like none.
		if d.zero(at, old) {
			old = nil
		}
		if d.zero(at, next) {
			next = nil
		}
	}
	switch {
	case at.facts.unknown, at.facts.ignored, slices.Contains(d.except, at.pattern):
		return
	case old == nil && next == nil:
		return
	case old == nil || next == nil:
		kept := at.facts.kept && !slices.ContainsFunc(d.except, func(p string) bool { return strings.HasPrefix(p, at.pattern+".") })
		if !at.facts.filled && !(at.facts.dropped && old == nil) && (kept || !d.zero(at, orElse(old, next))) {
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

func (d *difference) maps(at spot, a, b map[string]any) {
	names := slices.Collect(maps.Keys(a))
	for name := range b {
		if _, both := a[name]; !both {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		next := at.child(d.t.Schema, name)
		// A value of a map that is null is a zero value, and there.
		_, had := a[name]
		_, has := b[name]
		if strings.HasSuffix(next.pattern, "{}") && had && has && (a[name] == nil || b[name] == nil) {
			continue
		}
		d.value(next, a[name], b[name])
	}
}

func (d *difference) lists(at spot, a, b []any) {
	if len(a) != len(b) {
		d.differs(at, a, b)
		return
	}
	for i := range a {
		e := fieldpath.IndexElement(i)
		was, known := nameOf(d.t.Schema, at.ref, a[i])
		if is, ok := nameOf(d.t.Schema, at.ref, b[i]); ok && known {
			if !was.Equals(is) && !slices.Contains(d.except, at.pattern+"[]") {
				d.differs(at, a, b)
				return
			}
			e = is
		}
		next := at.item(d.t.Schema, e)
		next.field = at.field + "[" + strconv.Itoa(i) + "]"
		d.value(next, a[i], b[i])
	}
}

// zero says whether a value is what its Go type is without it.
func (d *difference) zero(at spot, v any) bool {
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
			if slices.Contains(d.except, next.pattern) || next.facts.filled {
				continue
			}
			if strings.HasSuffix(next.pattern, "{}") || next.facts.kept && below != nil || !d.zero(next, below) {
				return false
			}
		}
		return true
	case []any:
		return len(v) == 0
	}
	return value.Equals(value.NewValueInterface(v), value.NewValueInterface(int64(0))) || value.Equals(value.NewValueInterface(v), value.NewValueInterface(0.0))
}

// sameScalar compares as the Go type of the place does.
func sameScalar(at spot, a, b any) bool {
	if value.Equals(value.NewValueInterface(a), value.NewValueInterface(b)) {
		return true
	}
	x, _ := a.(string)
	y, _ := b.(string)
	if at.facts.bytes {
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
