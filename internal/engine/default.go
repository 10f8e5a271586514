// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"maps"
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// MaxDefaults limits the number of values that the defaults of one object may add. Defaults
// inside defaults can double the number with each level of a schema.
const MaxDefaults = 1 << 20

// Default returns v, a value of type n, with its defaults filled in, as in KEP-1929. An absent
// field gets its default, and Default then fills in the fields of this default value. If the type
// does not allow null, a null also gets the default. If there is no default, a null in a field is
// removed. A null list item without a default stays. A null in an undeclared field that the schema
// does not allow also stays.
//
// Each use of a default is a copy. If own is true, Default may modify the maps and lists of v. If
// it then fails, v may already be partly filled in. If own is false, Default copies those maps and
// lists that change, and the result shares all others with v. A map[any]any that changes loses its
// keys that are not strings. If nothing changes, and v contains no map[any]any, Default allocates
// nothing. The facts in known must be true for v; only NoNulls is used. Default fails if a default
// contains itself, if defaults add too many values, or if v is nested too deep. Default checks the
// depth only of those parts that defaults or nulls can change.
func Default(n *graph.Node, v any, own bool, known Facts) (out any, changed bool, findings diag.Findings) {
	d := defaulter{noNulls: known&NoNulls != 0}
	if v == nil && !n.KeepsNull() {
		if n.Default == nil {
			return nil, false, nil
		}
		d.add(data.CountValues(n.Default))
		v, changed, own = data.PlainCopy(n.Default), true, true
	}
	out, filled := d.value(n, v, own)
	if d.Findings != nil {
		return nil, false, d.firstFinding(n, v)
	}
	return out, changed || filled, nil
}

// firstFinding makes the error of a failed walk deterministic. The walk visited maps in random
// order, so its finding may be any one of several. firstFinding walks v again in a fixed order, and
// returns the first finding. In each map, it visits first the fields that the map has, in the order of
// their names, and then the absent fields that have a default, in the order of the schema. If the
// whole object gets too many defaults, the finding usually has no path.
func (d *defaulter) firstFinding(n *graph.Node, v any) diag.Findings {
	second := defaulter{sorted: true}
	if second.value(n, v, false); second.Findings != nil && d.added <= MaxDefaults {
		return second.Findings
	}
	d.Findings[0].Path = ""
	return d.Findings
}

// DefaultingState is the state of a walk that fills in defaults, in plain data or in Go values.
// It limits the depth of the walk and the number of values that the walk adds.
type DefaultingState struct {
	// Findings has the errors so far. Any finding ends the walk.
	Findings diag.Findings
	// inProgress has the address of each default that is being filled in. Each default in
	// the list contains the next one.
	inProgress []*any
	added      int
	depth      int
}

// Fail adds a finding with the code diag.BadSchema, which ends the walk. If there already is a finding,
// it does nothing.
func (s *DefaultingState) Fail(format string, args ...any) {
	if s.Findings == nil {
		s.Findings = diag.Newf(diag.BadSchema, format, args...)
	}
}

// EnterLevel enters the next level. It returns false if the value is nested too deep, or if there
// are findings. Otherwise the caller must call LeaveLevel.
func (s *DefaultingState) EnterLevel() bool {
	if s.depth == data.MaxDepth && s.Findings == nil {
		s.Findings = data.DepthFindings()
	}
	if s.Findings != nil {
		return false
	}
	s.depth++
	return true
}

// LeaveLevel leaves the level that EnterLevel entered.
func (s *DefaultingState) LeaveLevel() { s.depth-- }

// BeginDefault must be called before the walk fills in a default that is not a scalar. EndDefault
// must be called afterwards. def is the address of the default in the schema, which identifies the
// default. size is the number of values in the default. If BeginDefault returns false, the default
// must not be filled in, for example because it contains itself. The caller must then not call
// EndDefault.
func (s *DefaultingState) BeginDefault(def *any, size int) bool {
	if slices.Contains(s.inProgress, def) {
		s.Fail("the default contains itself")
		return false
	}
	s.inProgress = append(s.inProgress, def)
	s.add(size) // if this fails, def stays in the list, but the walk has ended
	return s.Findings == nil
}

// EndDefault must be called when the walk has filled in the default of the last call of BeginDefault.
func (s *DefaultingState) EndDefault() { s.inProgress = s.inProgress[:len(s.inProgress)-1] }

// add counts the values that defaults add. It fails if there are too many.
func (s *DefaultingState) add(size int) {
	if s.added += size; s.added > MaxDefaults {
		s.Fail("defaults add more than %d values", MaxDefaults)
	}
}

// FillPlain fills in the defaults inside v, which is plain data inside a Go value. It may
// modify v. Its work counts toward the limits of s.
func (s *DefaultingState) FillPlain(n *graph.Node, v any) (out any, changed bool) {
	d := defaulter{DefaultingState: *s}
	out, changed = d.value(n, v, true)
	*s = d.DefaultingState
	return out, changed
}

// defaulter does the work of Default.
type defaulter struct {
	DefaultingState
	// sorted makes the walk visit the fields of a map in a fixed order (see firstFinding).
	sorted bool
	// noNulls is true if the value is known to have no nulls. Validation finds this fact, and rejects
	// values that are nested too deep. So the walk can then skip all types without defaults.
	noNulls bool
}

// filledDefault returns a copy of a default in the schema, with the defaults of its own fields filled
// in. If there are findings, the result has no meaning. n is the type of the default, and def is its
// address in the schema.
func (d *defaulter) filledDefault(n *graph.Node, def *any) (out any) {
	if data.IsScalar(*def) {
		d.add(1)
		return data.PlainCopy(*def)
	}
	if d.BeginDefault(def, data.CountValues(*def)) {
		before := d.noNulls
		d.noNulls = false // the default may have nulls
		out, _ = d.value(n, data.PlainCopy(*def), true)
		d.noNulls = before
		d.EndDefault()
	}
	return out
}

// value fills in the defaults of all values inside v, and returns the result. If own is true, it
// may modify v. The boolean reports whether it modified v or returned a changed copy.
func (d *defaulter) value(n *graph.Node, v any, own bool) (any, bool) {
	if d.noNulls && !n.HasDefaults || neverChanges(n) {
		return v, false
	}
	switch x := v.(type) {
	case map[string]any, map[any]any:
		if n.Map != nil {
			return d.fields(n.Map, data.AsMap(v), own).Of(v)
		}
	case []any:
		if n.List != nil {
			return d.items(n.List, x, own).Of(v)
		}
	}
	return v, false
}

// neverChanges reports whether defaulting leaves everything inside a value of type n unchanged.
// This is true if n is a scalar type. It is also true if n allows any value, has no default at any
// depth, and allows null at every depth.
func neverChanges(n *graph.Node) bool {
	return n.Map == nil && n.List == nil || n.Scalar == graph.Untyped && !n.HasDefaults && !n.MayReplaceNulls
}

// fields fills in the defaults of the fields of a map, and of values inside the fields.
func (d *defaulter) fields(m *graph.Map, x map[string]any, own bool) data.EditedMap {
	out := data.EditedMap{Map: x, Own: own}
	if len(x) == 0 && len(m.Defaulted) == 0 || !d.EnterLevel() {
		return out
	}
	switch {
	case d.noNulls && !m.Elem.HasDefaults && len(m.Fields) <= 4*len(x):
		// fillDeclared looks at all declared fields. So it is faster only if x has many of them.
		d.fillDeclared(m, x, &out)
	case d.sorted:
		d.fillUntilFinding(m, x)
		d.fillAbsent(m, &out)
	default:
		d.fillPresent(m, x, &out)
		d.fillAbsent(m, &out)
	}
	d.LeaveLevel()
	return out
}

// fillPresent fills in the fields that x has, and values inside them. It removes a field that is
// null if its type does not allow null and it has no default. A null in an undeclared field that
// the schema does not allow stays.
func (d *defaulter) fillPresent(m *graph.Map, x map[string]any, out *data.EditedMap) {
	for name, c := range x {
		if c != nil && data.IsScalar(c) {
			continue
		}
		filled, changed, removed := d.fillField(m, name, c, out.Own)
		switch {
		case d.Findings != nil:
			d.Findings.Prefix("." + name)
			return
		case removed:
			out.Delete(name)
		case changed:
			out.Put(name, filled)
		}
	}
}

// fillUntilFinding fills in the fields that x has, in the order of their names, until a field has a
// finding. It does not store results. firstFinding uses it instead of fillPresent.
func (d *defaulter) fillUntilFinding(m *graph.Map, x map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(x)) {
		if d.fillField(m, name, x[name], false); d.Findings != nil {
			d.Findings.Prefix("." + name)
			return
		}
	}
}

// fillAbsent adds the declared fields that have a default and that out does not have. It does
// nothing if there are findings.
func (d *defaulter) fillAbsent(m *graph.Map, out *data.EditedMap) {
	if d.Findings != nil {
		return
	}
	for _, i := range m.Defaulted {
		f := &m.Fields[i]
		if _, ok := out.Map[f.Name]; ok {
			continue
		}
		filled := d.filledDefault(f.Type, data.NearestDefault(f.Type, &f.Default))
		if d.Findings != nil {
			d.Findings.Prefix("." + f.Name)
			return
		}
		out.Put(f.Name, filled)
	}
}

// fillDeclared fills in the defaults of a map for the method fields. It is a fast path for maps without
// nulls in which only declared fields can get defaults.
func (d *defaulter) fillDeclared(m *graph.Map, x map[string]any, out *data.EditedMap) {
	for i := range m.Fields {
		f := &m.Fields[i]
		if !f.Type.HasDefaults && f.Default == nil {
			continue
		}
		c, present := x[f.Name]
		changed := false
		if present {
			c, changed = d.value(f.Type, c, out.Own)
		} else if def := data.NearestDefault(f.Type, &f.Default); def != nil {
			c, changed = d.filledDefault(f.Type, def), true
		}
		if d.Findings != nil {
			d.Findings.Prefix("." + f.Name)
			return
		}
		if changed {
			out.Put(f.Name, c)
		}
	}
}

// fillField fills in the defaults of one field, whose value is c. If changed is true, filled is the
// new value of the field. If removed is true, the field must be removed.
func (d *defaulter) fillField(m *graph.Map, name string, c any, own bool) (filled any, changed, removed bool) {
	if c != nil {
		filled, changed = d.value(m.At(name), c, own)
		return filled, changed, false
	}
	t, def, declared := data.FieldAt(m, name)
	def = data.NearestDefault(t, def)
	switch {
	case t.KeepsNull() || !m.Open && !declared:
		return nil, false, false
	case def == nil:
		return nil, false, true
	}
	return d.filledDefault(t, def), true, false
}

// items fills in the defaults of items that are null, and of values inside items. Nulls
// without a default stay.
func (d *defaulter) items(l *graph.List, x []any, own bool) data.EditedList {
	out := data.EditedList{List: x, Own: own}
	t := l.Item
	if d.noNulls && !t.HasDefaults {
		return out
	}
	def := data.NearestDefault(t, &l.ItemDefault) // replaces null items
	if t.KeepsNull() {
		def = nil
	}
	if def == nil && neverChanges(t) {
		return out
	}
	if !d.EnterLevel() {
		return out
	}
	for i, c := range x {
		filled, changed := d.value(t, c, own)
		if c == nil && def != nil {
			filled, changed = d.filledDefault(t, def), true
		}
		if d.Findings != nil {
			d.Findings.Prefix(fieldpath.IndexElement(i).String())
			return out
		}
		if changed {
			out.Put(i, filled)
		}
	}
	d.LeaveLevel()
	return out
}
