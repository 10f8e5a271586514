// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"fmt"
	"strings"

	"github.com/dovetail-ssa/dovetail/test/differential/engine"
	"github.com/dovetail-ssa/dovetail/test/differential/scenario"
	"github.com/dovetail-ssa/dovetail/test/differential/tree"
)

// runOnValues runs an operation that reads one or two typed values.
func (s *side) runOnValues(st *scenario.Step, o *outcome) {
	object, err := s.operand(st)
	if err != nil {
		o.err = err
		return
	}
	switch st.Op {
	case "validate":
		o.err = object.Validate(st.Force)
	case "fieldset":
		set, err := object.FieldSet()
		o.err = err
		o.sets = append(o.sets, namedSet{"field set", set})
	case "empty":
		s.result(o, "empty", object.Empty(), false)
	case "compare", "merge":
		s.pair(st, object, o)
	case "remove", "extract", "reconcile", "ensure":
		s.withSet(st, object, o)
	default:
		panic("unknown operation " + st.Op)
	}
}

// operand returns the object of the step, or the live object if the step has none.
func (s *side) operand(st *scenario.Step) (engine.Typed, error) {
	if st.Object != nil {
		return s.typed(st.Version, st.Object)
	}
	live, err := s.liveAt(st.Version)
	if err == nil {
		s.watch(live)
	}
	return live, err
}

func (s *side) pair(st *scenario.Step, object engine.Typed, o *outcome) {
	other, err := s.typed(st.Version, st.Other)
	if err != nil {
		o.err = err
		return
	}
	if st.Op == "merge" {
		out, err := object.Merge(other)
		if o.err = err; err == nil {
			s.result(o, "merged", out, true)
		}
		return
	}
	c, err := object.Compare(other)
	if o.err = err; err != nil {
		return
	}
	o.sets = append(o.sets, namedSet{"added", c.Added}, namedSet{"modified", c.Modified}, namedSet{"removed", c.Removed})
	o.facts = append(o.facts, fmt.Sprint("same ", c.Same), c.Printed)
}

func (s *side) withSet(st *scenario.Step, object engine.Typed, o *outcome) {
	set, err := s.setOf(st.Set)
	if err != nil {
		o.err, o.lenient = err, true
		return
	}
	before := setText(set)
	switch st.Op {
	case "remove":
		s.result(o, "rest", object.Remove(set), true)
	case "extract":
		s.result(o, "extract", object.Extract(set, st.Force), true)
		if st.Force {
			_, err := object.FieldSet()
			o.fieldSetFailed = err != nil
		}
	case "ensure":
		o.sets = append(o.sets, namedSet{"with named fields", object.EnsureNamed(set)})
	case "reconcile":
		out, err := object.Reconcile(set)
		o.err = err
		o.sets = append(o.sets, namedSet{"reconciled", out})
	}
	if after := setText(set); before != after {
		o.violations = append(o.violations, violation{"set modified", "before: " + before + "\nafter:  " + after})
	}
}

// setOf decodes FieldsV1. For "@name", it returns the set of the manager with that name, or an
// empty set if there is no such manager.
func (s *side) setOf(text string) (engine.Set, error) {
	name, ok := strings.CutPrefix(text, "@")
	if !ok {
		return s.eng.Set([]byte(text))
	}
	for _, m := range s.managers.Entries() {
		if m.Name == name {
			return m.Set, nil
		}
	}
	return s.eng.Set([]byte("{}"))
}

// vocabulary runs an operation on sets, path elements or managers, which need no schema.
func (s *side) vocabulary(st *scenario.Step, o *outcome) {
	switch st.Op {
	case "sets":
		s.algebra(st, o)
	case "codec":
		set, err := s.setOf(st.Set)
		o.err, o.lenient = err, true
		o.sets = append(o.sets, namedSet{"set", set})
	case "range":
		set, err := s.setOf(st.Set)
		if o.err, o.lenient = err, true; err == nil {
			o.facts = set.First(1 + st.Schema)
		}
	case "decode":
		data, err := s.eng.Decode([]byte(st.Set))
		o.err, o.lenient = err, true
		o.objects = append(o.objects, object{name: "value", present: true, data: data})
	case "element":
		back, printed, err := s.eng.Element(st.Manager)
		o.err, o.lenient = err, true
		o.facts = append(o.facts, back, printed, fmt.Sprint(err != nil && strings.Contains(err.Error(), "ReadObjectCB")))
	case "matcher":
		same, err := s.eng.MatcherEqualsItself(st.Manager)
		o.err, o.lenient = err, true
		o.facts = append(o.facts, fmt.Sprint(same))
	case "walk", "write":
		s.raw(st, o)
	case "parts":
		s.parts(st, o)
	case "schemas":
		o.facts = s.schema.Facts(s.schemaAt(st.Schema))
	case "managers":
		s.compareManagers(st, o)
	case "probe":
		o.facts = append(o.facts, s.eng.Probe(st.Manager, st.Schema))
	case "values":
		var a any
		if st.Object != nil {
			a = plainData(st.Object)
		} else {
			a, _ = s.live.Object()
		}
		o.facts = s.eng.Values(a, plainData(st.Other))
	}
}

func (s *side) algebra(st *scenario.Step, o *outcome) {
	a, errA := s.setOf(st.Set)
	b, errB := s.setOf(st.Set2)
	if errA != nil || errB != nil {
		o.facts = append(o.facts, fmt.Sprint(errA != nil, errB != nil))
		return
	}
	beforeA, beforeB := setText(a), setText(b)
	o.facts = append(o.facts, fmt.Sprint(a.Size(), a.Empty(), a.Equals(b), a.Equals(a.Apply("copy", nil)), a.Has(b), b.Has(a)))
	for _, op := range []string{"union", "intersection", "difference", "recursive", "leaves", "copy"} {
		o.sets = append(o.sets, namedSet{op, a.Apply(op, b)})
	}
	union := a.Apply("union", b)
	o.sets = append(o.sets, namedSet{"chain", union.Apply("difference", a).Apply("union", b.Apply("intersection", a)).Apply("leaves", nil)})
	o.facts = append(o.facts, fmt.Sprint(union.Equals(b.Apply("union", a)), union.Size()))
	if p, err := a.Prefix(st.Manager); err == nil {
		o.sets = append(o.sets, namedSet{"prefix", p})
	}
	if f, err := a.Filter(*st.Filter); err == nil {
		o.sets = append(o.sets, namedSet{"filtered", f})
	}
	if setText(a) != beforeA || setText(b) != beforeB {
		o.violations = append(o.violations, violation{"set modified", "by set algebra"})
	}
}

// raw runs an operation that needs no schema: it reads or changes values.
func (s *side) raw(st *scenario.Step, o *outcome) {
	o.lenient = true
	if st.Op == "walk" {
		o.facts, o.err = s.eng.Walk(s.build(st.Object), s.build(st.Other))
		return
	}
	data, err := s.eng.Write(s.build(st.Object), st.Manager, tree.Build(st.Other.Tree, tree.JSON))
	o.err = err
	o.objects = append(o.objects, object{name: "written", present: true, data: data})
}

func (s *side) parts(st *scenario.Step, o *outcome) {
	a, errA := s.setOf(st.Set)
	b, errB := s.setOf(st.Set2)
	if errA == nil && errB == nil {
		o.facts = a.Parts(b)
	}
}

// schemaAt returns the ith schema of the case. If this schema does not exist or has an error,
// schemaAt returns the current schema.
func (s *side) schemaAt(i int) engine.Schema {
	if i < len(s.c.Schemas) {
		if sc, err := s.cache.get(s.eng, &s.c.Schemas[i]); err == nil {
			return sc
		}
	}
	return s.schema
}

func (s *side) compareManagers(st *scenario.Step, o *outcome) {
	set, err := s.setOf(st.Set)
	if err != nil {
		o.err, o.lenient = err, true
		return
	}
	other := s.managers.Without("m1").With(engine.Manager{Name: st.Manager, Version: st.Version, Applied: st.Force, Set: set})
	o.facts = append(o.facts, fmt.Sprint(s.managers.Equals(other), other.Equals(s.managers), s.managers.Equals(s.managers)))
	o.lines = append(o.lines, s.managers.Lines(), other.Difference(s.managers).Lines())
	o.managers = s.managers.Difference(other).Entries()
}
