// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package scopes

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/dovetail-ssa/dovetail/spec/cases"
	"github.com/dovetail-ssa/dovetail/spec/model"
)

// Cases returns test cases for small objects: one case for each kind of step, and one for each
// kind of extraction of a manager's fields. To find them, it visits short histories of requests,
// shortest first. Two steps are of the same kind if describeStep describes them with the same
// text, and two extractions if extracts does.
func (k Kind) Cases() (cases.Group, error) {
	group := cases.Group{Name: strings.ReplaceAll(k.Name, " ", "-")}
	var err error
	if group.Schema, err = yaml.YAMLToJSON([]byte(schema(k.Type))); err != nil {
		return group, err
	}
	if group.OpenAPI, err = json.Marshal(openAPI(k.Type)); err != nil {
		return group, err
	}
	seen, kinds := map[string]bool{start.String(): true}, map[string]bool{}
	var states []State
	for level := []State{start}; len(level) > 0; {
		states = append(states, level...)
		var next []State
		for _, s := range level {
			for _, step := range k.Steps(2) {
				after := k.Model(s, step)
				if step.Op == "force" && k.Model(s, Step{"apply", step.Manager, step.Object}).Conflicts == nil {
					continue // without conflicts, force makes no difference
				}
				if what := k.describeStep(s, step, after); !kinds[what] {
					kinds[what] = true
					c := k.toCase(s, step, after)
					c.Name, c.About = fmt.Sprintf("%s-%03d", group.Name, len(group.Cases)+1), what
					group.Cases = append(group.Cases, c)
				}
				if after.Conflicts == nil && !seen[after.State.String()] && len(seen) < 400 {
					seen[after.State.String()] = true
					next = append(next, after.State)
				}
			}
		}
		level = next
	}
	for _, s := range states {
		for _, name := range slices.Sorted(maps.Keys(s.Owners)) {
			if what := k.extracts(s, name); !kinds[what] {
				kinds[what] = true
				c := cases.Case{Level: 2, Op: "extract", Manager: name, Live: s.Object, Owners: owners(s)}
				c.Want.Object = model.Extract(s.Object, s.Owners[name].Set.Leaves(), k.Type)
				c.Name, c.About = fmt.Sprintf("%s-%03d", group.Name, len(group.Cases)+1), what
				group.Cases = append(group.Cases, c)
			}
		}
	}
	return group, nil
}

// extracts describes the extraction of a manager's fields: the types of the extracted fields,
// and the types of the fields that it leaves out.
func (k Kind) extracts(s State, manager string) string {
	of, set := map[string]bool{}, s.Owners[manager].Set
	for p := range set.Leaves() {
		of[k.typeOf(p)] = true
	}
	out := model.Extract(s.Object, set.Leaves(), k.Type)
	what := "extracts " + list(of) + " owned by an apply"
	if !s.Owners[manager].Applied {
		what = "extracts " + list(of) + " owned by an update"
	}
	left := map[string]bool{}
	for p := range model.Compare(s.Object, out, k.Type).Removed {
		left[k.typeOf(p)] = true
	}
	if len(left) > 0 {
		what += ", leaving out " + list(left)
	}
	if is := describeContents(k.Type, out); is != "" {
		what += ", with " + is
	}
	return what
}

// describeStep describes what a step does, without names and values. Two steps are of the same kind
// if their descriptions are equal.
func (k Kind) describeStep(s State, step Step, after Outcome) string {
	config := value(step.Object)
	had := "a new manager"
	if e, ok := s.Owners[step.Manager]; ok && e.Applied {
		had = "a manager that applied before"
	} else if ok {
		had = "a manager that updated before"
	}
	what := fmt.Sprintf("%s by %s", map[string]string{"apply": "an apply", "force": "a forced apply", "update": "an update"}[step.Op], had)
	if of := describeContents(k.Type, config); of != "" {
		what += " with " + of
	}
	if after.Conflicts != nil {
		types := map[string]bool{}
		for _, name := range otherManagers(s, step.Manager) {
			for p := range s.Owners[name].Set {
				if slices.Contains(after.Conflicts, name+" "+Printed(p)) {
					types[k.typeOf(p)] = true
				}
			}
		}
		return what + " conflicts over " + list(types)
	}
	c := model.Compare(s.Object, after.Object, k.Type)
	for _, part := range []struct {
		verb string
		set  model.Set
	}{{"adds", c.Added}, {"modifies", c.Modified}, {"removes", c.Removed}} {
		types, owned := map[string]bool{}, ""
		for p := range part.set {
			types[k.typeOf(p)] = true
			for _, name := range otherManagers(s, step.Manager) {
				if s.Owners[name].Set[p] {
					owned = " of another manager"
				}
			}
		}
		if len(types) > 0 {
			what += "; " + part.verb + " " + list(types) + owned
		}
	}
	if gone := nulls(after.Object) - nulls(s.Object) - nulls(config); gone > 0 {
		what += "; leaves null"
	}
	kept := false
	if step.Op != "update" && had == "a manager that applied before" {
		for p := range s.Owners[step.Manager].Set {
			if !after.Owners[step.Manager].Set[p] && valueAt(k.Type, after.Object, p) != "" {
				kept = true
			}
		}
	}
	if kept {
		what += "; fields given up remain"
	}
	if o := order(s.Object, config, after.Object); o != "" {
		what += "; " + o
	}
	return what
}

// typeOf describes the type at a path, with the terms that the rules in spec/README.md use.
func (k Kind) typeOf(p model.Path) string {
	t, in := k.Type, ""
	for _, e := range p.Elements() {
		switch {
		case t.Kind == model.List && len(t.Keys) > 0:
			in = "an item"
		case t.Kind == model.List:
			in = "a value of a set"
		case t.Fields[strings.TrimPrefix(string(e), "f:")] != nil:
			in = "a field"
		default:
			in = "an entry"
		}
		t = t.Child(e)
	}
	switch {
	case t == nil || in == "a value of a set" || t.Kind == model.Scalar:
		return in
	case t.Kind == model.Deduced:
		return in + " without a type"
	case t.Atomic:
		return in + " that is atomic"
	}
	return in + " that is a " + string(t.Kind)
}

// describeContents lists the special values in a config: nulls, empty lists and maps, and
// duplicates.
func describeContents(t *model.Type, v any) string {
	found := map[string]bool{}
	unknown := t.Fields["u"] != nil // the field "u" has the deduced type, so the description says which kinds of values occur
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case nil:
			found["null"] = true
		case []any:
			if len(v) == 0 {
				found["[]"] = true
			} else if unknown {
				found["a list"] = true
			}
			for i, item := range v {
				for _, other := range v[:i] {
					if compact(item) == compact(other) {
						found["duplicates"] = true
					}
				}
				walk(item)
			}
		case map[string]any:
			if len(v) == 0 {
				found["{}"] = true
			} else if unknown && v["kind"] == nil {
				found["a map"] = true
			}
			for _, f := range v {
				walk(f)
			}
		}
	}
	walk(v)
	return list(found)
}

func nulls(v any) int { return strings.Count(compact(v), "null") }

// order describes how a merge changes a list: whether the list grows, and whether the order of
// its items changes.
func order(old, config, result any) string {
	for name, v := range result.(map[string]any) {
		merged, ok := v.([]any)
		a, okA := old.(map[string]any)[name].([]any)
		b, okB := config.(map[string]any)[name].([]any)
		if !ok || !okA || !okB || len(merged) < 2 {
			continue
		}
		switch {
		case len(merged) > len(a) && len(merged) > len(b):
			return "two lists are combined"
		case len(merged) > len(a):
			return "the list grows"
		case compact(merged) != compact(a):
			return "the list is reordered"
		}
		return "the list stays in order"
	}
	return ""
}

func list(names map[string]bool) string {
	return strings.Join(slices.Sorted(maps.Keys(names)), " and ")
}

func (k Kind) toCase(s State, step Step, after Outcome) cases.Case {
	c := cases.Case{Level: 2, Op: step.Op, Manager: step.Manager, Live: s.Object, Owners: owners(s), Object: value(step.Object)}
	if step.Op == "force" {
		c.Op, c.Force = "apply", true
	}
	for _, conflict := range after.Conflicts {
		c.Want.Conflicts = append(c.Want.Conflicts, k.conflict(s, conflict))
	}
	if after.Conflicts == nil {
		c.Want.Object, c.Want.Owners = after.Object, owners(after.State)
	}
	return c
}

// conflict returns the owner and the path of a conflict. The argument is the printed conflict:
// the name of the owner, a space, and the path.
func (k Kind) conflict(s State, conflict string) cases.Conflict {
	for _, name := range slices.Sorted(maps.Keys(s.Owners)) {
		for p := range s.Owners[name].Set {
			if name+" "+Printed(p) == conflict {
				return cases.Conflict{Manager: name, Path: p.Elements()}
			}
		}
	}
	panic(conflict + " has no owner")
}

func owners(s State) []cases.Owner {
	all := []cases.Owner{}
	for _, name := range slices.Sorted(maps.Keys(s.Owners)) {
		e := s.Owners[name]
		all = append(all, cases.Owner{Manager: name, Applied: e.Applied, Version: e.Version, FieldsV1: model.Encode(e.Set)})
		if e.Version == version {
			all[len(all)-1].Version = "" // the default version is not written
		}
	}
	return all
}

// openAPI returns the OpenAPI schema that declares the type in a CRD.
func openAPI(t *model.Type) map[string]any {
	switch t.Kind {
	case model.Scalar:
		if t == number {
			return map[string]any{"type": "integer", "nullable": true}
		}
		return map[string]any{"type": "string", "nullable": true}
	case model.List:
		items := openAPI(t.Items)
		for name, def := range t.Defaults {
			items["properties"].(map[string]any)[name].(map[string]any)["default"] = def
		}
		for _, name := range t.Keys { // the keys of an item must not be null
			delete(items["properties"].(map[string]any)[name].(map[string]any), "nullable")
		}
		out := map[string]any{"type": "array", "nullable": true, "items": items, "x-kubernetes-list-type": "set"}
		if t.Atomic {
			out["x-kubernetes-list-type"] = "atomic"
		} else if len(t.Keys) > 0 {
			out["x-kubernetes-list-type"], out["x-kubernetes-list-map-keys"] = "map", t.Keys
		}
		return out
	}
	if t.Kind == model.Deduced {
		return map[string]any{"nullable": true, "x-kubernetes-preserve-unknown-fields": true}
	}
	out := map[string]any{"type": "object", "nullable": true}
	if t.Atomic {
		out["x-kubernetes-map-type"] = "atomic"
	}
	if t.Others != nil {
		out["additionalProperties"] = openAPI(t.Others)
	}
	properties := map[string]any{}
	for name, f := range t.Fields {
		properties[name] = openAPI(f)
	}
	if len(properties) > 0 {
		out["properties"] = properties
	}
	return out
}
