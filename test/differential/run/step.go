// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"fmt"

	"github.com/dovetail-ssa/dovetail/test/differential/engine"
	"github.com/dovetail-ssa/dovetail/test/differential/scenario"
	"github.com/dovetail-ssa/dovetail/test/differential/structs"
	"github.com/dovetail-ssa/dovetail/test/differential/tree"
)

// step runs one step. The step changes the state of the side only when the returned function
// is called. So the outcomes of both sides can be compared before the state changes.
func (s *side) step(st *scenario.Step) (o *outcome, commit func()) {
	o = &outcome{}
	s.inputs = s.inputs[:0]
	defer s.recover(o)
	switch st.Op {
	case "apply", "extract-apply", "update", "patch", "touch":
		commit = s.write(st, o)
	case "forget", "claim", "schema", "retire":
		commit = s.adjust(st, o)
	case "codec", "decode", "element", "matcher", "values", "sets", "range",
		"walk", "write", "parts", "schemas", "managers", "probe":
		s.vocabulary(st, o)
	default:
		s.runOnValues(st, o)
	}
	s.verify(o)
	return o, commit
}

// roundTrip encodes the managed fields and decodes them again.
func (s *side) roundTrip() (o *outcome, commit func()) {
	o = &outcome{}
	defer s.recover(o)
	next := s.managers
	for _, m := range s.managers.Entries() {
		b, err := m.Set.JSON()
		if err == nil {
			m.Set, err = s.eng.Set(b)
		}
		if err != nil {
			o.err, o.lenient = err, true
			return o, nil
		}
		next = next.With(m)
	}
	o.managers = next.Entries()
	return o, func() { s.managers = next }
}

// adjust runs a step that changes the schema, the managers or settings, but not the object.
func (s *side) adjust(st *scenario.Step, o *outcome) func() {
	switch st.Op {
	case "forget":
		next := s.managers.Without(st.Manager)
		return func() { s.managers = next }
	case "claim":
		set, err := s.eng.Set([]byte(st.Set))
		if err != nil {
			o.err, o.lenient = err, true
			return nil
		}
		next := s.managers.With(engine.Manager{Name: st.Manager, Version: st.Version, Applied: st.Force, Set: set})
		return func() { s.managers = next }
	case "retire":
		return func() { s.missing[st.Version] = true }
	}
	return s.switchSchema(st, o)
}

// switchSchema selects a schema, and creates the live object again with a type of this schema.
func (s *side) switchSchema(st *scenario.Step, o *outcome) func() {
	old := s.schema
	if o.err = s.use(st.Schema); o.err != nil {
		return nil
	}
	next := s.schema
	s.schema = old
	data, _ := s.live.Object()
	v := s.find(s.version)
	live, err := next.Typed(v.Type, v.Override, engine.Input{Data: data}, engine.AllowDuplicates)
	o.err = err
	if err != nil {
		if live, err = next.Typed(v.Type, v.Override, engine.Input{Data: data}, engine.Unvalidated); err != nil {
			return nil
		}
	}
	return func() { s.schema, s.live = next, live }
}

// liveAt returns the live object, converted to the given version.
func (s *side) liveAt(version string) (engine.Typed, error) {
	if version == s.version {
		return s.live, nil
	}
	return s.convert(s.live, version)
}

// write runs a step that may change the object.
func (s *side) write(st *scenario.Step, o *outcome) func() {
	live, err := s.liveAt(st.Version)
	if err == nil && st.Op == "touch" {
		// A server decodes the stored object for every request, into a new struct.
		live, err = s.remembered(live, st.Version, 0)
	}
	if err != nil {
		o.err = err
		return nil
	}
	s.watch(live)
	object, err := s.submitted(st, live)
	if err != nil {
		o.err = err
		return nil
	}
	before := s.managerTexts()
	var result engine.Typed
	var next engine.Managers
	if st.Op == "update" || st.Op == "patch" || st.Op == "touch" {
		result, next, o.err = s.updater.Update(live, object, st.Version, s.managers, st.Manager)
	} else {
		result, next, o.err = s.updater.Apply(live, object, st.Version, s.managers, st.Manager, st.Force)
	}
	s.verifyManagers(before, o)
	if o.err != nil {
		o.conflicts, o.conflict = s.eng.Conflicts(o.err)
		return nil
	}
	s.result(o, "object", result, st.Op == "apply" || st.Op == "extract-apply")
	o.managers = next.Entries()
	o.noop = result == nil
	return func() {
		s.managers = next
		s.version = st.Version
		s.live = live
		if result != nil {
			s.live = result
		}
	}
}

// submitted returns the object that the step sends.
func (s *side) submitted(st *scenario.Step, live engine.Typed) (engine.Typed, error) {
	switch st.Op {
	case "patch":
		data, _ := live.Object()
		v := s.find(st.Version)
		patched := mergePatch(data, s.build(asPlainObject(st.Object)).Data)
		t, err := s.schema.Typed(v.Type, v.Override, engine.Input{Data: patched}, st.Object.Mode)
		if err != nil {
			return nil, err
		}
		s.watch(t)
		return t, nil
	case "extract-apply":
		return s.extracted(st, live)
	case "touch":
		return s.remembered(live, st.Version, structs.Forms(st.Schema))
	}
	return s.typed(st.Version, st.Object)
}

// remembered returns the object as a Go struct. The last argument selects how the struct is
// represented in memory. If the object has data that a base tree cannot represent, the result is
// the object itself.
func (s *side) remembered(t engine.Typed, version string, forms structs.Forms) (engine.Typed, error) {
	data, _ := t.Object()
	base, err := tree.Base(data)
	if err != nil {
		return t, nil
	}
	return s.typed(version, &scenario.Object{Tree: base, Flavor: tree.Struct, Mode: engine.AllowDuplicates, Forms: forms})
}

// extracted returns the fields that the step's manager owns in the live object, with the step's
// object merged into them.
func (s *side) extracted(st *scenario.Step, live engine.Typed) (engine.Typed, error) {
	object, err := s.typed(st.Version, st.Object)
	if err != nil {
		return nil, err
	}
	for _, m := range s.managers.Entries() {
		if m.Name == st.Manager && m.Version == st.Version {
			mine := live.Extract(m.Set.Apply("leaves", nil), st.Force)
			if object, err = mine.Merge(object); err != nil {
				return nil, err
			}
			s.watch(object)
		}
	}
	return object, nil
}

func (s *side) managerTexts() []string {
	if !s.checked {
		return nil
	}
	var out []string
	for _, m := range s.managers.Entries() {
		out = append(out, fmt.Sprint(m.Name, m.Version, m.Applied, setText(m.Set)))
	}
	return out
}

// verifyManagers adds a violation if the operation modified the managed fields that it
// received.
func (s *side) verifyManagers(before []string, o *outcome) {
	now := s.managerTexts()
	for i := range before {
		if i >= len(now) || before[i] != now[i] {
			o.violations = append(o.violations, violation{"managers modified", fmt.Sprintf("before: %q\nafter:  %q", before, now)})
			return
		}
	}
}
