// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"sync"

	"github.com/dovetail-ssa/dovetail/test/differential/scenario"
	"github.com/dovetail-ssa/dovetail/test/differential/structs"
	"github.com/dovetail-ssa/dovetail/test/differential/tree"
)

// kindModel has the model and the schema of a kind.
type kindModel struct {
	*Model
	schema scenario.Schema
}

var kindModels sync.Map // models by the name of the kind

// modelOf returns the model of a kind. The model has the kind's type and all types that this
// type uses.
func modelOf(k structs.Kind) kindModel {
	if m, ok := kindModels.Load(k.Name); ok {
		return m.(kindModel)
	}
	all := map[string]map[string]any{}
	doc, _ := k.Schema().(map[string]any)
	types, _ := doc["types"].([]any)
	for _, t := range types {
		t, _ := t.(map[string]any)
		name, _ := t["name"].(string)
		all[name] = t
	}
	r := reader{all: all, m: &Model{}, seen: map[string]bool{}}
	r.named(k.Type)
	markRich(r.m)
	km := kindModel{Model: r.m, schema: scenario.Schema{Tree: r.m.Tree()}}
	km.schema.Text()
	kindModels.Store(k.Name, km)
	return km
}

// reader creates a model from the text of a schema.
type reader struct {
	all  map[string]map[string]any
	m    *Model
	seen map[string]bool
}

func (r *reader) named(name string) {
	n, ok := r.all[name]
	if !ok || r.seen[name] {
		return
	}
	r.seen[name] = true
	t := &Type{Name: name}
	r.m.Types = append(r.m.Types, t)
	t.Atom = r.atom(n)
}

func (r *reader) atom(n map[string]any) (a Atom) {
	a.Scalar, _ = n["scalar"].(string)
	if l, ok := n["list"].(map[string]any); ok {
		a.List = &List{Element: r.ref(l["elementType"])}
		a.List.Rel, _ = l["elementRelationship"].(string)
		keys, _ := l["keys"].([]any)
		for _, k := range keys {
			k, _ := k.(string)
			a.List.Keys = append(a.List.Keys, k)
		}
	}
	if m, ok := n["map"].(map[string]any); ok {
		a.Map = &Map{}
		a.Map.Rel, _ = m["elementRelationship"].(string)
		if e, ok := m["elementType"]; ok {
			ref := r.ref(e)
			a.Map.Element = &ref
		}
		fields, _ := m["fields"].([]any)
		for _, f := range fields {
			f, _ := f.(map[string]any)
			field := Field{Type: r.ref(f["type"])}
			field.Name, _ = f["name"].(string)
			field.Default, field.HasDefault = f["default"]
			if field.HasDefault {
				field.Default = tree.Copy(field.Default)
			}
			a.Map.Fields = append(a.Map.Fields, field)
		}
	}
	return a
}

func (r *reader) ref(v any) (ref Ref) {
	n, _ := v.(map[string]any)
	ref.Named, _ = n["namedType"].(string)
	ref.Rel, _ = n["elementRelationship"].(string)
	if ref.Named != "" {
		r.named(ref.Named)
		return ref
	}
	a := r.atom(n)
	ref.Inline = &a
	return ref
}

// markRich sets Rich for each field whose type is, or contains, an atomic list of lists or
// maps. Comparisons of such lists may depend on private fields of Go structs.
func markRich(m *Model) {
	rich := map[string]bool{}
	leads := func(r Ref) bool {
		a, _ := m.resolve(Ref{Named: r.Named, Inline: r.Inline})
		switch {
		case r.Named != "" && rich[r.Named]:
			return true
		case a.List != nil && a.List.Rel != associative:
			e, _ := m.resolve(a.List.Element)
			return e.Scalar == ""
		case a.List != nil:
			return rich[a.List.Element.Named]
		case a.Map != nil && a.Map.Element != nil:
			return rich[a.Map.Element.Named]
		}
		return false
	}
	for again := true; again; {
		again = false
		for _, t := range m.Types {
			if t.Atom.Map == nil {
				continue
			}
			for i := range t.Atom.Map.Fields {
				f := &t.Atom.Map.Fields[i]
				if !f.Rich && leads(f.Type) {
					f.Rich, rich[t.Name], again = true, true, true
				}
			}
		}
	}
}
