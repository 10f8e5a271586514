// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"github.com/dovetail-ssa/dovetail/test/differential/scenario"
	"github.com/dovetail-ssa/dovetail/test/differential/structs"
)

// groupSize is the number of consecutive seeds that use the same schemas. With new schemas for
// each seed, a run would spend most of its time on reading schemas.
const groupSize = 16

// group has the data that groupSize consecutive cases share.
type group struct {
	models     []*Model
	schemas    []scenario.Schema
	versions   []scenario.Version
	structured bool
	kind       string
}

func newGroup(s *Source) *group {
	g := &group{}
	switch s.weighted(14, 5, 1) {
	case 1:
		g.structured = true
		if n := s.N(2 * max(1, len(structs.Kinds))); n < len(structs.Kinds) {
			g.ofKind(structs.Kinds[n])
			return g
		}
		g.models = []*Model{StructuredModel()}
	case 2:
		g.models = []*Model{DeducedModel()}
		g.schemas = []scenario.Schema{{}}
		for _, name := range []string{"v1", "v2", "v3"} {
			g.versions = append(g.versions, scenario.Version{Name: name, Type: untypedDeduced})
		}
		g.versions[1].Rename = map[string]string{"a": "alpha"}
		return g
	default:
		g.models = []*Model{NewModel(s)}
	}
	for s.Chance(1, 2) && len(g.models) < 3 {
		g.models = append(g.models, Evolve(s, g.models[0]))
	}
	second := scenario.Version{Name: "v2", Type: "root2", Rename: map[string]string{}}
	if root := g.models[0].Types[0].Atom.Map; root != nil {
		for _, f := range root.Fields {
			if s.Chance(1, 3) {
				second.Rename[f.Name] = f.Name + "V2"
			} else if s.Chance(1, 12) {
				second.Drop = append(second.Drop, f.Name)
			}
		}
	}
	override := Pick(s, "", "", "", atomic, separable)
	for _, m := range g.models {
		m.Types = append(m.Types, secondRoot(m, &second, override))
	}
	g.versions = []scenario.Version{{Name: "v1", Type: "root"}, second, {Name: "v3", Type: "root"}}
	if s.Chance(1, 8) {
		g.versions[2].Override = Pick(s, separable, atomic, "!"+separable)
	}
	literal := s.Chance(1, 2)
	for _, m := range g.models {
		sc := scenario.Schema{Tree: m.Tree(), Literal: literal}
		sc.Text()
		g.schemas = append(g.schemas, sc)
	}
	return g
}

// ofKind prepares the group for objects of a Go type that has its own schema.
func (g *group) ofKind(k structs.Kind) {
	m := modelOf(k)
	g.kind = k.Name
	g.models = []*Model{m.Model}
	g.schemas = []scenario.Schema{m.schema}
	for _, name := range []string{"v1", "v2", "v3"} {
		g.versions = append(g.versions, scenario.Version{Name: name, Type: k.Type})
	}
	g.versions[1].Rename = map[string]string{"status": "state"}
}

// secondRoot returns a copy of the root type for another version, which may rename fields. The
// last argument is "" or an element relationship. If it is not empty, the first field that is a
// map or a list gets this relationship.
func secondRoot(m *Model, v *scenario.Version, override string) *Type {
	out := &Type{Name: v.Type, Atom: m.Types[0].Atom.clone()}
	if out.Atom.Map == nil {
		return out
	}
	fields := out.Atom.Map.Fields
	for i := range fields {
		if name, ok := v.Rename[fields[i].Name]; ok {
			fields[i].Name = name
		}
		a, _ := m.resolve(fields[i].Type)
		if override != "" && (a.Map != nil || a.List != nil) {
			fields[i].Type.Rel = override
			override = ""
		}
	}
	return out
}
