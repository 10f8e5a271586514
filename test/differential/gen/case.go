// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/test/differential/engine"
	"github.com/dovetail-ssa/dovetail/test/differential/scenario"
	"github.com/dovetail-ssa/dovetail/test/differential/structs"
	"github.com/dovetail-ssa/dovetail/test/differential/tree"
)

// Maker creates cases from seeds. Only one goroutine may use it at a time.
type Maker struct {
	// If Version4 is set, cases contain only data that structured-merge-diff v4 supports, and
	// that v4 and v6 read in the same way.
	Version4 bool

	id    uint64
	group *group
}

// Case returns the random case for a seed.
func (m *Maker) Case(seed uint64) *scenario.Case {
	id := seed / groupSize
	if m.group == nil || m.id != id {
		m.id, m.group = id, newGroup(Seeded(id^0x5eed))
	}
	c := newCase(Seeded(seed), m.group)
	c.Seed = seed
	if m.Version4 {
		forVersion4(c)
		for i := range c.Schemas {
			tree.Walk(c.Schemas[i].Tree, func(container any) {
				m, _ := container.(map[string]any)
				if _, ok := m["nullable"]; ok {
					delete(m, "nullable")
				}
			})
			c.Schemas[i] = scenario.Schema{Tree: c.Schemas[i].Tree, Literal: c.Schemas[i].Literal}
		}
	}
	return c
}

// forVersion4 removes data that v4 reads differently from v6 (see DIFFERENCES.md). It also
// removes Kubernetes types, and unusual representations of objects in memory.
func forVersion4(c *scenario.Case) {
	ofKind := c.Kind != ""
	c.Kind, c.Structs = "", c.Structs && !ofKind
	plain := func(o *scenario.Object) *scenario.Object {
		if o == nil || o.Flavor != tree.Struct {
			return o
		}
		out := *o
		out.Forms = 0
		if ofKind {
			out.Flavor = tree.JSON
		}
		return &out
	}
	c.Initial = plain(c.Initial)
	for i := range c.Steps {
		st := &c.Steps[i]
		st.Object, st.Other = plain(st.Object), plain(st.Other)
		if st.Op == "touch" {
			st.Schema = 0
			if ofKind {
				st.Op = "forget"
			}
		}
	}
}

// FromBytes returns a case. The bytes of data determine all random choices.
func FromBytes(data []byte) *scenario.Case {
	s := Bytes(data)
	return newCase(s, newGroup(s))
}

// cases has the state of the generator while it creates one case.
type cases struct {
	*Source
	*group
	c      *scenario.Case
	schema int
	// last has the last config of each manager. It uses the common field names, which a
	// version may rename.
	last    map[string]any
	version map[string]string
}

func newCase(s *Source, grp *group) *scenario.Case {
	g := &cases{Source: s, group: grp, last: map[string]any{}, version: map[string]string{}}
	g.c = &scenario.Case{Schemas: grp.schemas, Versions: slices.Clone(grp.versions), RoundTrip: s.Chance(1, 2)}
	g.c.Kind = grp.kind
	g.c.Structs = grp.structured && s.Chance(1, 2)
	if s.Chance(1, 12) {
		g.c.Versions[2].Broken = true
	}
	if s.Chance(1, 4) {
		g.c.Initial = g.object("v1", g.fresh("v1", false))
	}
	for i, n := 0, 3+s.N(6); i < n; i++ {
		for s.Chance(2, 5) {
			g.c.Steps = append(g.c.Steps, g.single())
		}
		g.c.Steps = append(g.c.Steps, g.stateful())
	}
	g.updater()
	return g.c
}

func (g *cases) updater() {
	u := &g.c.Updater
	u.Literal = g.Chance(1, 4)
	u.Noop = !u.Literal && g.Chance(1, 5)
	u.Strict = g.Chance(1, 8)
	switch g.weighted(6, 2, 2) {
	case 1:
		u.Ignored = g.ignored()
	case 2:
		u.Filters = map[string]engine.Filter{}
		for _, v := range g.c.Versions {
			if g.Chance(2, 3) {
				u.Filters[v.Name] = g.filter(v.Name, g.set(v.Name, g.fresh(v.Name, false)))
			}
		}
	}
	if g.Chance(1, 60) {
		u.Ignored, u.Filters = map[string]string{}, map[string]engine.Filter{}
	}
}

func (g *cases) ignored() map[string]string {
	out := map[string]string{}
	for _, v := range g.c.Versions {
		// structured-merge-diff panics if an entry is missing, so entries are rarely
		// omitted.
		if !g.Chance(1, 40) {
			out[v.Name] = g.set(v.Name, g.fresh(v.Name, false))
		}
	}
	return out
}

func (g *cases) filter(version, exclude string) engine.Filter {
	if g.Chance(1, 2) {
		return engine.Filter{Exclude: exclude}
	}
	f := engine.Filter{}
	for i, n := 0, g.N(4); i < n; i++ {
		f.Include = append(f.Include, g.pattern(version))
	}
	return f
}

// pattern returns the path of a random field, with wildcards for some elements.
func (g *cases) pattern(version string) []string {
	fields, err := tree.Parse(g.set(version, g.fresh(version, false)))
	out := []string{}
	for err == nil {
		m, _ := fields.(map[string]any)
		keys := tree.Keys(m)
		if len(keys) == 0 || len(out) > 0 && g.Chance(1, 3) {
			break
		}
		k := keys[g.N(len(keys))]
		fields = m[k]
		if k == "." {
			break
		}
		if g.Chance(1, 3) {
			k = "*"
		}
		out = append(out, k)
	}
	if len(out) == 0 {
		return []string{"*"}
	}
	return out
}

func (g *cases) find(version string) *scenario.Version {
	for i := range g.c.Versions {
		if g.c.Versions[i].Name == version {
			return &g.c.Versions[i]
		}
	}
	panic("no version " + version)
}

func (g *cases) ref(version string) Ref {
	v := g.find(version)
	return Ref{Named: v.Type, Rel: strings.TrimPrefix(v.Override, "!")}
}

func (g *cases) model() *Model { return g.models[g.schema] }

// fresh creates a new object. It does not depend on earlier objects.
func (g *cases) fresh(version string, noisy bool) any {
	return NewObject(g.Source, g.model(), g.ref(version), noisy)
}

func (g *cases) set(version string, v any) string {
	return NewSet(g.Source, g.model(), g.ref(version), v)
}

// edited returns the last config of the manager or of a random manager, usually with changes.
// It can also return a new object.
func (g *cases) edited(manager, version string, noisy bool) any {
	var old any
	ok := false
	switch g.weighted(3, 5, 2) {
	case 1:
		old, ok = g.last[manager]
	case 2:
		old, ok = g.last[Pick(g.Source, managerNames...)]
	}
	if !ok {
		return g.fresh(version, noisy)
	}
	old = scenario.Convert(old, &scenario.Version{}, g.find(version))
	if g.Chance(2, 7) {
		return old
	}
	return Tweak(g.Source, g.model(), g.ref(version), old)
}

func (g *cases) object(version string, v any) *scenario.Object {
	o := &scenario.Object{
		Tree:   v,
		Flavor: g.flavor(version),
	}
	if o.Flavor == tree.Struct {
		// Use few different numbers, so that equal objects usually have equal representations
		// in memory.
		o.Forms = structs.Forms(8*Pick(g.Source, 1, 1, 1, 2, 3, g.N(1000)) + Pick(g.Source, 0, 0, g.N(8)))
	}
	o.Mode = Pick(g.Source, engine.Validated, engine.Validated, engine.Validated, engine.Validated, engine.Validated, engine.AllowDuplicates, engine.Unvalidated)
	return o
}

func (g *cases) flavor(version string) tree.Flavor {
	if g.structured && version != "v2" && g.Chance(2, 3) {
		return tree.Struct
	}
	switch g.weighted(24, 5, 4, 1, 4) {
	case 1:
		return tree.YAML
	case 2:
		return tree.AnyMap
	case 3:
		return tree.OddKeys
	case 4:
		return tree.Mixed
	}
	return tree.JSON
}
