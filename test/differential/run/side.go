// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/dovetail-ssa/dovetail/test/differential/engine"
	"github.com/dovetail-ssa/dovetail/test/differential/scenario"
	"github.com/dovetail-ssa/dovetail/test/differential/structs"
	"github.com/dovetail-ssa/dovetail/test/differential/tree"
)

// side is the state of one engine while a case runs.
type side struct {
	eng     engine.Engine
	cache   *schemas
	c       *scenario.Case
	schema  engine.Schema
	updater engine.Updater
	missing map[string]bool

	// checked is true if each operation is checked for changes of its inputs, which an engine
	// must not modify.
	checked bool
	inputs  []input
	pool    structs.Pool

	live     engine.Typed
	version  string
	managers engine.Managers
}

// input is an input of an operation. If inputs are checked, snapshot is a copy of the content.
type input struct {
	typed    engine.Typed
	data     any
	snapshot any
}

var (
	errMissingVersion = errors.New("no such version")
	errBroken         = errors.New("conversion is broken")
	errNoSchema       = errors.New("no schema")
)

// begin prepares the engine for a case. It returns the outcome of reading the first schema and
// the initial object.
func (s *side) begin() (o *outcome) {
	o = &outcome{}
	defer s.recover(o)
	s.missing = map[string]bool{}
	for _, v := range s.c.Versions {
		s.missing[v.Name] = v.Missing
	}
	s.managers = s.eng.Managers()
	if o.err = s.use(0); o.err != nil {
		return o
	}
	o.facts = s.schema.TypeNames()
	s.updater = s.eng.Updater(s.config())
	initial := s.c.Initial
	if initial == nil {
		initial = &scenario.Object{Tree: map[string]any{}, Mode: engine.AllowDuplicates, Flavor: tree.JSON}
	}
	s.version = s.c.Versions[0].Name
	s.live, o.err = s.typed(s.version, initial)
	if o.err != nil {
		// Create the live object without validation, because it may be invalid.
		loose := *initial
		loose.Mode = engine.Unvalidated
		s.live, _ = s.typed(s.version, &loose)
	}
	return o
}

// use switches to the ith schema of the case.
func (s *side) use(i int) error {
	if i >= len(s.c.Schemas) {
		return errNoSchema
	}
	sc, err := s.cache.get(s.eng, &s.c.Schemas[i])
	if err != nil {
		return err
	}
	s.schema = sc
	return nil
}

func (s *side) config() engine.Config {
	u := &s.c.Updater
	c := engine.Config{
		Convert: s.convert, Filters: u.Filters,
		IsMissing:         func(err error) bool { return errors.Is(err, errMissingVersion) },
		ReturnInputOnNoop: u.Noop, Literal: u.Literal,
	}
	if u.Ignored != nil {
		c.Ignored = map[string]engine.Set{}
		for v, text := range u.Ignored {
			// Ignore an invalid set. The other engine ignores it, too.
			if set, err := s.eng.Set([]byte(text)); err == nil {
				c.Ignored[v] = set
			}
		}
	}
	return c
}

func (s *side) find(version string) *scenario.Version {
	for i := range s.c.Versions {
		if s.c.Versions[i].Name == version {
			return &s.c.Versions[i]
		}
	}
	return nil
}

// convert implements the Converter of the updater. If the object already has the type of the
// version, convert returns the object itself.
func (s *side) convert(t engine.Typed, version string) (engine.Typed, error) {
	to := s.find(version)
	switch {
	case to == nil || s.missing[version]:
		return nil, errMissingVersion
	case to.Broken:
		return nil, errBroken
	case t.Type() == to.Type && t.Override() == strings.TrimPrefix(to.Override, "!"):
		return t, nil
	}
	from := s.ofType(t.Type())
	data, present := t.Object()
	if !present {
		data = nil
	}
	mode := engine.Unvalidated
	if s.c.Updater.Strict {
		mode = engine.AllowDuplicates
	}
	in := engine.Input{Data: scenario.Convert(data, from, to)}
	if s.c.Structs && len(to.Rename) == 0 && len(to.Drop) == 0 {
		if base, err := tree.Base(in.Data); err == nil {
			in = s.build(&scenario.Object{Tree: base, Flavor: tree.Struct})
		}
	}
	return s.schema.Typed(to.Type, to.Override, in, mode)
}

func (s *side) ofType(name string) *scenario.Version {
	for i := range s.c.Versions {
		if s.c.Versions[i].Type == name {
			return &s.c.Versions[i]
		}
	}
	return &scenario.Version{}
}

// typed creates a typed value from an object of the case.
func (s *side) typed(version string, obj *scenario.Object) (engine.Typed, error) {
	v := s.find(version)
	if v == nil {
		return nil, errMissingVersion
	}
	in := s.build(obj)
	t, err := s.schema.Typed(v.Type, v.Override, in, obj.Mode)
	if err != nil {
		return nil, err
	}
	s.watch(t)
	return t, nil
}

func (s *side) build(obj *scenario.Object) engine.Input {
	switch obj.Flavor {
	case tree.YAML:
		return engine.Input{IsText: true, Text: tree.Text(obj.Tree)}
	case tree.Struct:
		if ptr, ok := structs.Build(s.c.Kind, obj.Tree, obj.Forms, &s.pool); ok {
			return engine.Input{Data: ptr, Structured: true}
		}
	}
	return engine.Input{Data: tree.Build(obj.Tree, obj.Flavor)}
}

// watch remembers an input of an operation. If inputs are checked, it also copies the content of
// the input.
func (s *side) watch(t engine.Typed) {
	if t == nil {
		return
	}
	in := input{typed: t}
	in.data, _ = t.Object()
	if s.checked {
		in.snapshot = tree.Copy(in.data)
	}
	s.inputs = append(s.inputs, in)
}

// verify adds a violation for each input that has changed since watch.
func (s *side) verify(o *outcome) {
	if !s.checked {
		return
	}
	for _, in := range s.inputs {
		now, _ := in.typed.Object()
		if !tree.Equal(now, in.snapshot) {
			o.violations = append(o.violations, violation{"input modified",
				fmt.Sprintf("before: %s\nafter:  %s", tree.Text(in.snapshot), tree.Text(now))})
		}
	}
}

// result adds an object to the outcome. If aliases is true, it also records which maps and
// lists of the object are also in the inputs.
func (s *side) result(o *outcome, name string, t engine.Typed, aliases bool) {
	out := object{name: name}
	if t == nil {
		out.missing = true
	} else {
		out.data, out.present = t.Object()
		if aliases {
			c := tree.Containers{}
			for _, in := range s.inputs {
				c.Collect(in.data)
			}
			out.shared = c.Shared(out.data)
		}
	}
	o.objects = append(o.objects, out)
}

// recover stores a panic of the engine as the outcome.
func (s *side) recover(o *outcome) {
	if r := recover(); r != nil {
		o.panicked = fmt.Sprintf("%v\n%s", r, panicSite(string(debug.Stack())))
	}
}

// panicSite returns the innermost calls of a stack. It omits the calls that handle the panic.
func panicSite(stack string) string {
	if i := strings.LastIndex(stack, "panic("); i >= 0 {
		stack = stack[i:]
	}
	lines := strings.Split(stack, "\n")
	return strings.Join(lines[:min(len(lines), 14)], "\n")
}
