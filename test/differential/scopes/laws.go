// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package scopes

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/spec/model"
)

// Law is a property of server-side apply that users may expect. Broken describes how a step
// from a state violates the law, or returns "" if the step obeys the law.
type Law struct {
	Name   string
	Broken func(k Kind, s State, step Step, then []Step) string
}

// Laws lists all laws. Each law constrains a single step, except the last law, which
// constrains two consecutive steps.
var Laws = []Law{
	{"an applier owns exactly the fields that it applies", func(k Kind, s State, step Step, _ []Step) string {
		after := k.Model(s, step)
		if step.Op == "update" || after.Conflicts != nil {
			return ""
		}
		return differ("owns", after.Owners[step.Manager].Set, model.FieldSet(value(step.Object), k.Type))
	}},
	{"an apply changes fields of other managers only if they conflict", func(k Kind, s State, step Step, _ []Step) string {
		after := k.Model(s, step)
		if step.Op != "apply" || after.Conflicts != nil {
			return ""
		}
		for _, name := range otherManagers(s, step.Manager) {
			for _, p := range slices.Sorted(maps.Keys(s.Owners[name].Set)) {
				before, now := valueAt(k.Type, s.Object, p), valueAt(k.Type, after.Object, p)
				if leaf(s.Owners[name].Set, p) && before != now {
					return fmt.Sprintf("%s of %s: before %s, after %s", Printed(p), name, orNoValue(before), orNoValue(now))
				}
			}
		}
		return ""
	}},
	{"every conflict is a field that another manager owns and the apply changes", func(k Kind, s State, step Step, _ []Step) string {
		conflicts := k.Model(s, step).Conflicts
		if step.Op != "apply" || conflicts == nil {
			return ""
		}
		forced := k.Model(s, Step{"force", step.Manager, step.Object})
		for _, name := range otherManagers(s, step.Manager) {
			for p := range s.Owners[name].Set {
				changed := valueAt(k.Type, s.Object, p) != valueAt(k.Type, forced.Object, p)
				if reported := slices.Contains(conflicts, name+" "+Printed(p)); reported && !changed {
					return fmt.Sprintf("%s of %s does not change: %s", Printed(p), name, orNoValue(valueAt(k.Type, s.Object, p)))
				}
			}
		}
		return ""
	}},
	{"force takes only the conflicting fields from their owners", func(k Kind, s State, step Step, _ []Step) string {
		conflicts := k.Model(s, step).Conflicts
		if step.Op != "apply" || conflicts == nil {
			return ""
		}
		forced := k.Model(s, Step{"force", step.Manager, step.Object})
		for _, name := range otherManagers(s, step.Manager) {
			left := model.Set{}
			for p := range s.Owners[name].Set {
				if !slices.Contains(conflicts, name+" "+Printed(p)) {
					left[p] = true
				}
			}
			if d := differ(name+" owns", forced.Owners[name].Set, left); d != "" {
				return d
			}
		}
		return ""
	}},
	{"applying again changes nothing", func(k Kind, s State, step Step, _ []Step) string {
		after := k.Model(s, step)
		if step.Op == "update" || after.Conflicts != nil {
			return ""
		}
		if again := k.Model(after.State, Step{"apply", step.Manager, step.Object}); again.String() != after.String() {
			return fmt.Sprintf("the result is %s. The result of the same apply again is %s", after, again)
		}
		return ""
	}},
	{"an updater owns the fields that it changes", func(k Kind, s State, step Step, _ []Step) string {
		if step.Op != "update" {
			return ""
		}
		after := k.Model(s, step)
		for p := range model.FieldSet(after.Object, k.Type) {
			if valueAt(k.Type, s.Object, p) != valueAt(k.Type, after.Object, p) && !after.Owners[step.Manager].Set[p] {
				return fmt.Sprintf("%s: before %s, after %s", Printed(p), orNoValue(valueAt(k.Type, s.Object, p)), orNoValue(valueAt(k.Type, after.Object, p)))
			}
		}
		return ""
	}},
	{"two applies without conflicts have the same result in either order, except for the order of lists", func(k Kind, s State, step Step, then []Step) string {
		if step.Op != "apply" {
			return ""
		}
		for _, other := range then {
			if other.Op != "apply" || other.Manager <= step.Manager {
				continue
			}
			one, two := k.Model(s, step), k.Model(s, other)
			if one.Conflicts != nil || two.Conflicts != nil {
				continue
			}
			one, two = k.Model(one.State, other), k.Model(two.State, step)
			if one.Conflicts != nil || two.Conflicts != nil {
				continue
			}
			if unordered(k.Type, one.State) != unordered(k.Type, two.State) {
				return fmt.Sprintf("then %s: the result is %s. In the other order, it is %s", other, one, two)
			}
		}
		return ""
	}},
}

func otherManagers(s State, manager string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(s.Owners)), func(name string) bool { return name == manager })
}

func differ(what string, got, want model.Set) string {
	if maps.Equal(got, want) {
		return ""
	}
	return fmt.Sprintf("%s %s, expected %s", what, model.Encode(got), model.Encode(want))
}

// leaf reports whether a set contains no path below the given path.
func leaf(s model.Set, p model.Path) bool {
	for q := range s {
		if q != p && strings.HasPrefix(string(q), string(p)) {
			return false
		}
	}
	return true
}

// valueAt returns the value at a path as JSON. It returns several values if a list has
// duplicates, and "" if there is no value. Instead of the content of a granular map or an
// associative list, it returns "a list or map".
func valueAt(t *model.Type, v any, p model.Path) string {
	found := []any{v}
	for _, e := range p.Elements() {
		var next []any
		for _, v := range found {
			next = append(next, t.Children(v, e)...)
		}
		found, t = next, t.Child(e)
	}
	var all []string
	for _, v := range found {
		if v != nil && t.Kind != model.Scalar && !t.Atomic {
			all = append(all, "a list or map")
		} else {
			all = append(all, compact(v))
		}
	}
	return strings.Join(all, " ")
}

// orNoValue returns a result of valueAt, or "no value" if the result is empty.
func orNoValue(v string) string {
	if v == "" {
		return "no value"
	}
	return v
}

// unordered returns the text of a state. All lists except atomic ones are sorted.
func unordered(t *model.Type, s State) string {
	return State{sorted(t, s.Object), s.Owners}.String()
}

func sorted(t *model.Type, v any) any {
	switch v := v.(type) {
	case []any:
		if t.Kind != model.List || t.Atomic {
			return v
		}
		out := slices.Clone(v)
		for i := range out {
			out[i] = sorted(t.Items, out[i])
		}
		slices.SortFunc(out, func(a, b any) int { return strings.Compare(compact(a), compact(b)) })
		return out
	case map[string]any:
		out := map[string]any{}
		for name, f := range v {
			out[name] = f
			if typ := t.Child(model.Element("f:" + name)); typ != nil && !t.Atomic {
				out[name] = sorted(typ, f)
			}
		}
		return out
	}
	return v
}
