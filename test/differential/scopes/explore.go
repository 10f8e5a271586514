// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package scopes

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/spec/cases"
	"github.com/dovetail-ssa/dovetail/spec/model"
	"github.com/dovetail-ssa/dovetail/test/differential/engine"
)

const version = "v1"

// State is an object and the owners of its fields.
type State struct {
	Object any
	Owners model.Managers
}

func (s State) String() string {
	var b strings.Builder
	b.WriteString(compact(s.Object))
	for _, name := range slices.Sorted(maps.Keys(s.Owners)) {
		fmt.Fprintf(&b, " %s(%v) %s", name, s.Owners[name].Applied, model.Encode(s.Owners[name].Set))
	}
	return b.String()
}

func compact(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// Step is a request by a manager.
type Step struct {
	Op      string // "apply", "force" (a forced apply), or "update"
	Manager string
	Object  string
}

func (s Step) String() string { return fmt.Sprintf("%s by %s of %s", s.Op, s.Manager, s.Object) }

// Steps returns all possible requests by the given number of managers.
func (k Kind) Steps(managers int) []Step {
	var all []Step
	for i := range managers {
		for _, o := range k.Objects {
			for _, op := range []string{"apply", "force", "update"} {
				if op != "update" && duplicates(o) {
					continue
				}
				all = append(all, Step{op, fmt.Sprint("m", i+1), o})
			}
		}
	}
	return all
}

// duplicates reports whether a list in an object has duplicates. An apply of such an object is
// invalid. Only objects of the kind "duplicates" have duplicates.
func duplicates(object string) bool {
	return strings.Contains(object, `"x","x"`) || strings.Contains(object, `"y","x","y"`)
}

// Outcome is the result of a step: a new state or conflicts.
type Outcome struct {
	State
	Conflicts []string
	paths     []string // paths of the conflicts as FieldsV1
}

func (o Outcome) String() string {
	if o.Conflicts != nil {
		return "conflicts: " + strings.Join(o.Conflicts, ", ")
	}
	return o.State.String()
}

// Model runs a step with the reference model in spec/model.
func (k Kind) Model(s State, step Step) Outcome {
	m := &model.Model{Types: map[string]*model.Type{version: k.Type}}
	if step.Op == "update" {
		object, owners, err := m.Update(s.Object, value(step.Object), version, s.Owners, step.Manager)
		if err != nil {
			panic(fmt.Sprintf("%s: %s: %v", k.Name, step, err)) // all objects have the same version, so no conversion can fail
		}
		return Outcome{State: State{object, owners}}
	}
	object, owners, conflicts, err := m.Apply(s.Object, value(step.Object), version, s.Owners, step.Manager, step.Op == "force")
	if err != nil {
		panic(fmt.Sprintf("%s: %s: %v", k.Name, step, err)) // cannot happen: the histories in which an apply fails do not occur here (rule R2)
	}
	if conflicts == nil {
		return Outcome{State: State{object, owners}}
	}
	o := Outcome{}
	for _, c := range conflicts {
		o.Conflicts = append(o.Conflicts, c.Manager+" "+Printed(c.Path))
	}
	slices.Sort(o.Conflicts)
	return o
}

// Runner runs steps for objects of one kind with an engine.
type Runner struct {
	engine  engine.Engine
	types   engine.Schema
	updater engine.Updater
	group   cases.Group // the group of cases, which defines the API versions
	version string      // version of the requests
}

// Runner returns a Runner. It reads the schema of the kind with the engine.
func (k Kind) Runner(e engine.Engine) (*Runner, error) {
	return newRunner(e, schema(k.Type), cases.Group{})
}

func newRunner(e engine.Engine, schema string, g cases.Group) (*Runner, error) {
	types, err := e.Schema(schema, true)
	r := &Runner{engine: e, types: types, group: g, version: version}
	r.updater = e.Updater(engine.Config{Convert: r.convert, IsMissing: func(err error) bool { return errors.Is(err, errMissing) }, ReturnInputOnNoop: true})
	return r, err
}

var errMissing = errors.New("no such version")

// convert converts an object to another version: it renames top-level fields.
func (r *Runner) convert(t engine.Typed, to string) (engine.Typed, error) {
	from := version
	for name, v := range r.group.Versions {
		if v.Type == t.Type() {
			from = name
		}
	}
	if from == to {
		return t, nil
	}
	name := "object"
	if to != version {
		v, ok := r.group.Versions[to]
		if !ok {
			return nil, errMissing
		}
		name = v.Type
	}
	object, _ := t.Object()
	converted, err := r.group.Convert(object, from, to)
	if err != nil {
		return nil, err
	}
	return r.types.Typed(name, "", engine.Input{Data: converted}, engine.AllowDuplicates)
}

func (r *Runner) typed(v any, mode engine.Mode) (engine.Typed, error) {
	name := "object"
	if r.version != version {
		name = r.group.Versions[r.version].Type
	}
	return r.types.Typed(name, "", engine.Input{Data: v}, mode)
}

// Extract returns the fields of an object that a manager owns.
func (r *Runner) Extract(s State, manager string) (any, error) {
	live, err := r.typed(s.Object, engine.AllowDuplicates)
	if err != nil {
		return nil, err
	}
	set, err := r.engine.Set(model.Encode(s.Owners[manager].Set))
	if err != nil {
		return nil, err
	}
	out, _ := live.Extract(set.Apply("leaves", set), false).Object()
	return out, nil
}

// Do runs a step from the given state and returns the outcome.
func (r *Runner) Do(s State, step Step) (Outcome, error) {
	live, err := r.typed(s.Object, engine.AllowDuplicates)
	if err != nil {
		return Outcome{}, err
	}
	managers := r.engine.Managers()
	for name, entry := range s.Owners {
		set, err := r.engine.Set(model.Encode(entry.Set))
		if err != nil {
			return Outcome{}, err
		}
		managers = managers.With(engine.Manager{Name: name, Version: entry.Version, Applied: entry.Applied, Set: set})
	}
	var object engine.Typed
	if step.Op == "update" {
		if object, err = r.typed(value(step.Object), engine.AllowDuplicates); err == nil {
			object, managers, err = r.updater.Update(live, object, r.version, managers, step.Manager)
		}
	} else if object, err = r.typed(value(step.Object), engine.Validated); err == nil {
		object, managers, err = r.updater.Apply(live, object, r.version, managers, step.Manager, step.Op == "force")
	}
	if conflicts, ok := r.engine.Conflicts(err); ok {
		o := Outcome{}
		slices.SortFunc(conflicts, func(a, b engine.Conflict) int {
			return cmp.Or(cmp.Compare(a.Manager, b.Manager), cmp.Compare(a.Path, b.Path))
		})
		for _, c := range conflicts {
			o.Conflicts = append(o.Conflicts, c.Manager+" "+c.Path)
			o.paths = append(o.paths, c.Elements)
		}
		return o, nil
	}
	if err != nil {
		return Outcome{}, err
	}
	out := Outcome{State: State{Owners: model.Managers{}}}
	out.Object, _ = object.Object()
	for _, m := range managers.Entries() {
		text, err := m.Set.JSON()
		if err != nil {
			return Outcome{}, err
		}
		set, err := model.Decode(text)
		if err != nil {
			return Outcome{}, err
		}
		out.Owners[m.Name] = model.Entry{Version: m.Version, Applied: m.Applied, Set: set}
	}
	return out, nil
}

// Printed returns a path as structured-merge-diff prints it.
func Printed(p model.Path) string {
	var b strings.Builder
	for _, e := range p.Elements() {
		what, rest := e[:2], string(e[2:])
		switch what {
		case "f:":
			b.WriteString("." + rest)
		case "v:":
			b.WriteString("[=" + rest + "]")
		case "k:":
			keys := decoded(rest).(map[string]any)
			var parts []string
			for _, name := range slices.Sorted(maps.Keys(keys)) {
				parts = append(parts, name+"="+compact(keys[name]))
			}
			b.WriteString("[" + strings.Join(parts, ",") + "]")
		}
	}
	return b.String()
}
