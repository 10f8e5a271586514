// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package gen

import "strconv"

const (
	atomic      = "atomic"
	associative = "associative"
	separable   = "separable"

	untypedAtomic  = "__untyped_atomic_"
	untypedDeduced = "__untyped_deduced_"
)

var (
	fieldNames = []string{"a", "b", "c", "d", "e", "f", "name", "spec", "<é>", "f:x"}
	keyNames   = []string{"name", "port", "proto", "id"}
	scalars    = []string{"string", "numeric", "boolean", "untyped"}
)

// schemas creates random models.
type schemas struct {
	*Source
	m       *Model
	untyped bool
	odd     bool // whether the schema may have features that a reasonable schema does not have
}

// NewModel returns a random schema. Its first type, "root", is the type of the test objects.
func NewModel(s *Source) *Model {
	g := &schemas{Source: s, m: &Model{}, odd: s.Chance(1, 4)}
	root := &Type{Name: "root"}
	g.m.Types = append(g.m.Types, root)
	for i, n := 0, g.N(5); i < n; i++ {
		g.m.Types = append(g.m.Types, &Type{Name: "t" + strconv.Itoa(i)})
	}
	if g.odd && g.Chance(1, 6) {
		root.Atom = g.atom(0)
	} else {
		root.Atom.Map = g.structure(0, 3+g.N(4))
	}
	for i := 1; i < len(g.m.Types) && i <= 5; i++ {
		g.m.Types[i].Atom = g.atom(1)
	}
	if g.untyped {
		g.m.Types = append(g.m.Types, untypedTypes()...)
	}
	return g.m
}

func untypedTypes() []*Type {
	a, d := Ref{Named: untypedAtomic}, Ref{Named: untypedDeduced}
	return []*Type{
		{Name: untypedAtomic, Atom: Atom{
			Scalar: "untyped",
			List:   &List{Element: a, Rel: atomic},
			Map:    &Map{Element: &a, Rel: atomic},
		}},
		{Name: untypedDeduced, Atom: Atom{
			Scalar: "untyped",
			List:   &List{Element: a, Rel: atomic},
			Map:    &Map{Element: &d, Rel: separable},
		}},
	}
}

// DeducedModel returns the model of the deduced type. Such a type allows every kind of value.
func DeducedModel() *Model { return &Model{Types: untypedTypes()} }

func (g *schemas) atom(depth int) Atom {
	switch g.weighted(3, 5, 5, 3, 3, 3, 2, 1) {
	case 1:
		return Atom{Map: g.structure(depth, 1+g.N(4))}
	case 2:
		return Atom{List: g.keyed(depth)}
	case 3:
		return Atom{List: &List{Element: g.scalarRef(), Rel: associative}}
	case 4:
		return Atom{List: &List{Element: g.ref(depth + 1), Rel: atomic}}
	case 5:
		e := g.ref(depth + 1)
		return Atom{Map: &Map{Element: &e, Rel: g.mapRel()}}
	case 6: // the type allows several kinds of values
		a := Atom{}
		if !g.Chance(1, 3) {
			a.Scalar = Pick(g.Source, scalars...)
		}
		if !g.Chance(1, 3) {
			a.List = g.list(depth)
		}
		if !g.Chance(1, 3) || a.List == nil {
			a.Map = g.structure(depth, g.N(3))
		}
		return a
	case 7:
		return Atom{List: g.list(depth)}
	}
	return g.scalar()
}

func (g *schemas) scalar() Atom {
	if g.odd && g.Chance(1, 40) {
		return Atom{Scalar: "colour"}
	}
	return Atom{Scalar: Pick(g.Source, scalars...)}
}

func (g *schemas) scalarRef() Ref {
	a := g.scalar()
	return Ref{Inline: &a, Nullable: g.Chance(1, 20)}
}

func (g *schemas) mapRel() string { return Pick(g.Source, "", separable, "", atomic) }

func (g *schemas) list(depth int) *List {
	switch g.weighted(4, 2, 2, 1) {
	case 1:
		return &List{Element: g.scalarRef(), Rel: associative}
	case 2:
		return &List{Element: g.ref(depth + 1), Rel: atomic}
	case 3:
		l := &List{Element: g.ref(depth + 1), Rel: associative}
		if g.odd {
			l.Rel = Pick(g.Source, associative, "", "sparse")
			l.Keys = Pick(g.Source, nil, []string{"name"}, []string{"name", "name"})
		}
		return l
	}
	return g.keyed(depth)
}

func (g *schemas) keyed(depth int) *List {
	item := &Map{Rel: Pick(g.Source, "", "", "", separable, atomic)}
	l := &List{Rel: associative}
	for i, n := 0, 1+g.weighted(5, 3, 1); i < n; i++ {
		name := keyNames[i]
		f := Field{Name: name, Type: g.scalarRef()}
		if g.Chance(2, 5) {
			f.HasDefault, f.Default = true, g.keyDefault(f.Type.Inline.Scalar)
		}
		l.Keys = append(l.Keys, name)
		item.Fields = append(item.Fields, f)
	}
	if g.Chance(1, 4) { // the order of keys does not matter
		l.Keys[0], l.Keys[len(l.Keys)-1] = l.Keys[len(l.Keys)-1], l.Keys[0]
	}
	for i, n := 0, g.N(3); i < n; i++ {
		item.Fields = append(item.Fields, g.field(depth+1, fieldNames[i]))
	}
	if g.Chance(1, 8) {
		e := g.ref(depth + 2)
		item.Element = &e
	}
	if g.odd && g.Chance(1, 10) {
		l.Keys = append(l.Keys, "undeclared")
	}
	l.Element = Ref{Inline: &Atom{Map: item}, Nullable: g.Chance(1, 20)}
	if g.Chance(1, 4) {
		name := "item" + strconv.Itoa(len(g.m.Types))
		g.m.Types = append(g.m.Types, &Type{Name: name, Atom: Atom{Map: item}})
		l.Element = Ref{Named: name}
	}
	if g.Chance(1, 12) {
		l.Element.Rel = Pick(g.Source, atomic, separable)
	}
	return l
}

func (g *schemas) keyDefault(scalar string) any {
	if g.Chance(1, 12) {
		return Pick[any](g.Source, nil, "", int64(0), map[string]any{"x": "y"}, []any{"x"}, true)
	}
	switch scalar {
	case "numeric":
		return Pick[any](g.Source, int64(80), 80.0, int64(0), 1.5)
	case "boolean":
		return g.Chance(1, 2)
	case "untyped":
		return Pick[any](g.Source, "TCP", int64(80), true)
	}
	return Pick[any](g.Source, "TCP", "a", "", "UDP")
}

func (g *schemas) structure(depth, n int) *Map {
	m := &Map{Rel: Pick(g.Source, "", "", "", "", separable, atomic)}
	if depth == 0 && g.Chance(9, 10) {
		m.Rel = ""
	}
	first := g.N(3)
	for i := 0; i < n; i++ {
		m.Fields = append(m.Fields, g.field(depth+1, fieldNames[(first+i)%len(fieldNames)]))
	}
	if g.Chance(1, 5) || n == 0 {
		e := g.ref(depth + 1)
		m.Element = &e
	}
	if g.odd && n > 1 && g.Chance(1, 15) {
		m.Fields = append(m.Fields, g.field(depth+1, m.Fields[0].Name))
	}
	return m
}

func (g *schemas) field(depth int, name string) Field {
	f := Field{Name: name, Type: g.ref(depth)}
	if g.Chance(1, 8) {
		f.HasDefault, f.Default = true, g.keyDefault("string")
	}
	return f
}

func (g *schemas) ref(depth int) Ref {
	var r Ref
	k := g.weighted(4, 5, 5, 1, 1)
	if depth >= 4 && k == 2 {
		k = g.N(2)
	}
	switch k {
	case 1:
		r.Named = g.m.Types[g.N(len(g.m.Types))].Name
		if r.Named == "root" && g.Chance(2, 3) && len(g.m.Types) > 1 {
			r.Named = g.m.Types[1].Name
		}
		if g.Chance(1, 8) {
			r.Rel = Pick(g.Source, atomic, separable, associative)
		}
	case 2:
		a := g.atom(depth + 1)
		r.Inline = &a
		if g.odd && g.Chance(1, 10) {
			r.Rel = Pick(g.Source, atomic, separable, associative)
		}
	case 3:
		g.untyped = true
		r.Named = untypedDeduced
	case 4:
		g.untyped = true
		r.Named = untypedAtomic
		if g.Chance(1, 3) {
			r.Rel = separable
		}
	default:
		r = g.scalarRef()
	}
	if g.odd && g.Chance(1, 60) {
		r = Pick(g.Source, Ref{}, Ref{Named: "nowhere"}, Ref{Inline: &Atom{Scalar: "string"}, Rel: atomic})
	}
	r.Nullable = g.Chance(1, 20)
	return r
}
