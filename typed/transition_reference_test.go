// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed_test

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/value"
)

// reference is a simple and slow implementation of CheckTransition. It reads the schema
// directly, compares all values with each other, and builds every path.
type reference struct {
	schema   *schema.Schema
	anyOrder bool
	found    []breach
}

// breach is one error of CheckTransition. All fields are text, except the old and the new
// value.
type breach struct {
	path, field, rule, message string
	old, next                  any
	had, has                   bool
}

func (b breach) String() string {
	return fmt.Sprintf("%s (%s) %s: %s, from %v %v to %v %v", b.path, b.field, b.rule, b.message, b.had, b.old, b.has, b.next)
}

// spot is a path in two notations: the notation of merge paths and the notation of
// Kubernetes errors.
type spot struct {
	path  fieldpath.Path
	field string
}

func (s spot) at(pe fieldpath.PathElement, field string) spot {
	return spot{append(s.path.Copy(), pe), s.field + field}
}

func (r *reference) report(at spot, rule schema.Transition, message string, old, next any, had, has bool) {
	r.found = append(r.found, breach{at.path.String(), strings.TrimPrefix(at.field, "."), rule.String(), message, old, next, had, has})
}

func (r *reference) typeOf(tr schema.TypeRef) (schema.Atom, schema.Transition) {
	rule := tr.Transition
	if tr.NamedType != nil && rule == schema.NoTransition {
		td, _ := r.schema.FindNamedType(*tr.NamedType)
		rule = td.Transition
	}
	atom, _ := r.schema.Resolve(tr)
	return atom, rule
}

// place checks the change of one value, which may be the object, a field, an item or a map value.
// The arguments had and has report whether the value is set before and after the update.
func (r *reference) place(tr schema.TypeRef, at spot, old, next any, had, has bool) {
	atom, rule := r.typeOf(tr)
	switch rule {
	case schema.SetOnce:
		if !had || old == nil {
			return
		}
		if !has || !r.equal(tr, old, next) {
			r.report(at, rule, "field is immutable", old, next, had, has)
		}
		return
	case schema.Immutable:
		if had != has || had && has && !r.equal(tr, old, next) {
			r.report(at, rule, "field is immutable", old, next, had, has)
		}
		return
	case schema.NoTransition, schema.ImmutableKeys, schema.AdditionOnly, schema.DeletionOnly:
	default:
		r.report(at, rule, "a rule that the slow way (place, in this file) does not know", old, next, had, has)
	}
	// Collect the added and removed entries. A container that does not exist has no entries.
	if atom.Map != nil {
		r.keys(atom.Map, rule, at, old, next)
	}
	if atom.List != nil {
		r.members(atom.List, rule, at, old, next)
	}
	if !had || !has {
		return
	}
	// Check the entries that exist before and after the update.
	a, wasMap := old.(map[string]any)
	b, isMap := next.(map[string]any)
	if atom.Map != nil && wasMap && isMap {
		r.fields(atom.Map, at, a, b)
	}
	x, wasList := old.([]any)
	y, isList := next.([]any)
	if atom.List != nil && wasList && isList {
		r.items(atom.List, at, x, y)
	}
}

func mayNotRemove(rule schema.Transition) bool {
	return rule == schema.ImmutableKeys || rule == schema.AdditionOnly
}

func mayNotAdd(rule schema.Transition) bool {
	return rule == schema.ImmutableKeys || rule == schema.DeletionOnly
}

const (
	mayNotBeAdded   = "item may not be added"
	mayNotBeRemoved = "item may not be removed"
)

func (r *reference) keys(m *schema.Map, rule schema.Transition, at spot, old, next any) {
	a, _ := old.(map[string]any)
	b, _ := next.(map[string]any)
	for name, v := range a {
		_, declared := m.FindField(name)
		if _, stays := b[name]; !stays && !declared && mayNotRemove(rule) {
			r.report(at.at(fieldpath.FieldNameElement(name), "["+name+"]"), rule, mayNotBeRemoved, v, nil, true, false)
		}
	}
	for name, v := range b {
		_, declared := m.FindField(name)
		if _, was := a[name]; !was && !declared && mayNotAdd(rule) {
			r.report(at.at(fieldpath.FieldNameElement(name), "["+name+"]"), rule, mayNotBeAdded, nil, v, false, true)
		}
	}
}

func (r *reference) members(l *schema.List, rule schema.Transition, at spot, old, next any) {
	if l.ElementRelationship != schema.Associative {
		return
	}
	a, _ := old.([]any)
	b, _ := next.([]any)
	has := func(list []any, item any) bool {
		return slices.ContainsFunc(list, func(other any) bool { return r.sameItem(l, item, other) })
	}
	for i, v := range a {
		// If duplicates are added or removed, report only the first.
		if pe, ok := r.element(l, v); ok && !has(b, v) && !has(a[:i], v) && mayNotRemove(rule) {
			r.report(at.at(pe, ""), rule, mayNotBeRemoved, v, nil, true, false)
		}
	}
	for j, v := range b {
		if pe, ok := r.element(l, v); ok && !has(a, v) && !has(b[:j], v) && mayNotAdd(rule) {
			r.report(at.at(pe, "["+strconv.Itoa(j)+"]"), rule, mayNotBeAdded, nil, v, false, true)
		}
	}
}

func (r *reference) fields(m *schema.Map, at spot, a, b map[string]any) {
	names := map[string]bool{}
	for name := range a {
		names[name] = true
	}
	for name := range b {
		names[name] = true
	}
	for name := range names {
		old, had := a[name]
		next, has := b[name]
		pe := fieldpath.FieldNameElement(name)
		if f, declared := m.FindField(name); declared {
			r.place(f.Type, at.at(pe, "."+name), old, next, had, has)
		} else if had && has {
			r.place(m.ElementType, at.at(pe, "["+name+"]"), old, next, had, has)
		}
	}
}

func (r *reference) items(l *schema.List, at spot, a, b []any) {
	if l.ElementRelationship != schema.Associative {
		for i := range min(len(a), len(b)) {
			r.place(l.ElementType, at.at(fieldpath.IndexElement(i), "["+strconv.Itoa(i)+"]"), a[i], b[i], true, true)
		}
		return
	}
	if len(l.Keys) == 0 {
		return // an item of a set is identified by its value, so the value cannot change
	}
	taken := map[int]bool{}
	for j, v := range b {
		pe, ok := r.element(l, v)
		if !ok {
			continue
		}
		for i, u := range a {
			if _, ok := r.element(l, u); ok && !taken[i] && r.sameItem(l, u, v) {
				taken[i] = true
				r.place(l.ElementType, at.at(pe, "["+strconv.Itoa(j)+"]"), u, v, true, true)
				break
			}
		}
	}
}

// key returns the value of a key in an item, or its default.
func (r *reference) key(l *schema.List, item map[string]any, name string) (any, bool) {
	atom, _ := r.schema.Resolve(l.ElementType)
	v, ok := item[name]
	if atom.Map == nil {
		return v, ok
	}
	f, _ := atom.Map.FindField(name)
	if ok && !(r.schema.DeclarativeDefaults && v == nil && !f.Type.Nullable) {
		return v, true
	}
	return f.Default, f.Default != nil
}

// element returns the path element of an item. It returns false if the item has no identity.
func (r *reference) element(l *schema.List, item any) (fieldpath.PathElement, bool) {
	if len(l.Keys) == 0 {
		return fieldpath.ValueElement(value.NewValueInterface(item)), true
	}
	m, ok := item.(map[string]any)
	if !ok {
		return fieldpath.PathElement{}, false
	}
	var key value.FieldList
	for _, name := range l.Keys {
		if v, ok := r.key(l, m, name); ok {
			key = append(key, value.Field{Name: name, Value: value.NewValueInterface(v)})
		}
	}
	key.Sort()
	// An item may lack a key only if the type of the items is known.
	atom, _ := r.schema.Resolve(l.ElementType)
	complete := len(key) == len(l.Keys) || r.schema.MissingKeys != schema.StrictKeys && atom.Map != nil
	return fieldpath.PathElement{Key: &key}, len(key) > 0 && complete
}

func (r *reference) sameItem(l *schema.List, a, b any) bool {
	if len(l.Keys) == 0 {
		return r.equal(l.ElementType, a, b)
	}
	x, ok := r.element(l, a)
	y, is := r.element(l, b)
	return ok && is && x.Equals(y)
}

// equal reports whether two values are equal when they are stored. The order of the items
// of a set does not matter.
func (r *reference) equal(tr schema.TypeRef, a, b any) bool {
	atom, _ := r.typeOf(tr)
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for name, v := range x {
			var below schema.TypeRef
			if atom.Map != nil {
				below = atom.Map.ElementType
				if f, ok := atom.Map.FindField(name); ok {
					below = f.Type
				}
			}
			if u, ok := y[name]; !ok || !r.equal(below, v, u) {
				return false
			}
		}
		return true
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return false
		}
		var item schema.TypeRef
		ordered := true
		if l := atom.List; l != nil {
			item = l.ElementType
			ordered = l.ElementRelationship != schema.Associative || len(l.Keys) > 0 && !r.anyOrder
		}
		rest := slices.Clone(y)
		for _, v := range x {
			i := 0
			if !ordered {
				i = slices.IndexFunc(rest, func(u any) bool { return r.equal(item, v, u) })
			}
			if i < 0 || !r.equal(item, v, rest[i]) {
				return false
			}
			rest = slices.Delete(rest, i, i+1)
		}
		return true
	case float64, int64:
		p, q := rational(a), rational(b)
		if p == nil || q == nil {
			f, ok := a.(float64)
			g, is := b.(float64)
			return ok && is && (f == g || math.IsNaN(f) && math.IsNaN(g))
		}
		return p.Cmp(q) == 0
	}
	switch b.(type) {
	case map[string]any, []any:
		return false
	}
	return a == b
}

// rational returns the exact value of a number, or nil if v is not a number.
func rational(v any) *big.Rat {
	switch x := v.(type) {
	case int64:
		return new(big.Rat).SetInt64(x)
	case float64:
		return new(big.Rat).SetFloat64(x) // nil if x is not finite
	}
	return nil
}
