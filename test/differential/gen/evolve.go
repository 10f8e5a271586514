// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package gen

// Evolve returns a copy of the model with typical schema changes: it changes some
// relationships, defaults, keys and fields.
func Evolve(s *Source, m *Model) *Model {
	out := m.clone()
	e := evolution{Source: s}
	for _, t := range out.Types {
		e.atom(&t.Atom)
	}
	if len(e.spots) == 0 {
		return out
	}
	for i, n := 0, 1+s.N(4); i < n; i++ {
		e.spots[s.N(len(e.spots))]()
	}
	return out
}

// evolution collects the possible changes of a model. Each function in the field spots makes
// one of these changes.
type evolution struct {
	*Source
	spots []func()
}

func (e *evolution) atom(a *Atom) {
	if a.Scalar != "" {
		e.spots = append(e.spots, func() {
			if e.Chance(1, 3) {
				a.Scalar = Pick(e.Source, scalars...)
			}
		})
	}
	if l := a.List; l != nil {
		e.spots = append(e.spots, func() {
			switch {
			case l.Rel == atomic:
				l.Rel = associative
			case len(l.Keys) > 1 && e.Chance(1, 3):
				l.Keys = l.Keys[:len(l.Keys)-1]
			default:
				l.Rel = atomic
			}
		})
		e.ref(&l.Element)
	}
	if m := a.Map; m != nil {
		e.spots = append(e.spots, func() {
			if m.Rel == atomic {
				m.Rel = ""
			} else {
				m.Rel = atomic
			}
		})
		for i := range m.Fields {
			f := &m.Fields[i]
			e.spots = append(e.spots, func() {
				switch {
				case f.HasDefault:
					f.HasDefault, f.Default = false, nil
				case e.Chance(1, 6):
					f.Name += "2"
				default:
					f.HasDefault, f.Default = true, Pick[any](e.Source, "TCP", int64(80), "a")
				}
			})
			e.ref(&f.Type)
		}
		if m.Element != nil {
			e.ref(m.Element)
		}
	}
}

func (e *evolution) ref(r *Ref) {
	if r.Rel != "" {
		e.spots = append(e.spots, func() { r.Rel = Pick(e.Source, "", atomic, separable) })
	}
	if r.Inline != nil {
		e.atom(r.Inline)
	}
}

func (m *Model) clone() *Model {
	out := &Model{}
	for _, t := range m.Types {
		out.Types = append(out.Types, &Type{Name: t.Name, Atom: t.Atom.clone()})
	}
	return out
}

func (a Atom) clone() Atom {
	out := Atom{Scalar: a.Scalar}
	if a.List != nil {
		l := *a.List
		l.Keys = append([]string(nil), l.Keys...)
		l.Element = l.Element.clone()
		out.List = &l
	}
	if a.Map != nil {
		m := *a.Map
		m.Fields = append([]Field(nil), m.Fields...)
		for i := range m.Fields {
			m.Fields[i].Type = m.Fields[i].Type.clone()
		}
		if m.Element != nil {
			e := m.Element.clone()
			m.Element = &e
		}
		out.Map = &m
	}
	return out
}

func (r Ref) clone() Ref {
	if r.Inline != nil {
		a := r.Inline.clone()
		r.Inline = &a
	}
	return r
}
