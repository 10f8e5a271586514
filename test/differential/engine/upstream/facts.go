// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"fmt"
	"sort"
	"strings"

	"github.com/dovetail-ssa/dovetail/test/differential/engine"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

func (impl) Walk(a, b engine.Input) ([]string, error) {
	va, err := untyped(a)
	if err != nil {
		return nil, err
	}
	vb, err := untyped(b)
	if err != nil {
		return nil, err
	}
	w := walk{}
	w.value("", va)
	w.value("other", vb)
	w.pair("", va, vb)
	return w.facts, nil
}

// walk records the results of all read-only methods of values.
type walk struct{ facts []string }

func (w *walk) note(path string, facts ...any) {
	w.facts = append(w.facts, path+" "+strings.TrimSuffix(fmt.Sprintln(facts...), "\n"))
}

func (w *walk) value(path string, v value.Value) {
	w.note(path, v.IsNull(), v.IsMap(), v.IsList(), v.IsString(), v.IsInt(), v.IsFloat(), v.IsBool())
	switch {
	case v.IsNull():
	case v.IsMap():
		m := v.AsMap()
		w.note(path, "map", m.Length(), m.Empty(), m.Has("a"), m.Has("nothing"))
		for _, k := range keys(m) {
			child, ok := m.Get(k)
			w.note(path, k, ok, m.Has(k))
			if ok {
				w.value(path+"."+k, child)
			}
		}
		w.note(path, "stops", m.Iterate(func(string, value.Value) bool { return false }))
	case v.IsList():
		l := v.AsList()
		w.note(path, "list", l.Length())
		for r := l.Range(); r.Next(); {
			i, item := r.Item()
			w.note(path, i, value.Equals(item, l.At(i)))
			w.value(fmt.Sprint(path, "[", i, "]"), item)
		}
	case v.IsString():
		w.note(path, v.AsString())
	case v.IsInt():
		w.note(path, v.AsInt())
	case v.IsFloat():
		w.note(path, v.AsFloat())
	case v.IsBool():
		w.note(path, v.AsBool())
	}
}

func keys(m value.Map) []string {
	var out []string
	m.Iterate(func(k string, _ value.Value) bool {
		out = append(out, k)
		return true
	})
	sort.Strings(out)
	return out
}

func (w *walk) pair(path string, a, b value.Value) {
	w.note(path, "pair", value.Compare(a, b), value.Compare(b, a), value.Equals(a, b), value.Equals(b, a), value.Less(a, b))
	switch {
	case a.IsMap() && b.IsMap():
		x, y := a.AsMap(), b.AsMap()
		w.note(path, value.MapCompare(x, y), value.MapEquals(x, y), value.MapLess(x, y), x.Equals(y), y.Equals(x))
		value.MapZip(x, y, value.LexicalKeyOrder, func(k string, l, r value.Value) bool {
			w.note(path, "zip", k, l == nil, r == nil)
			if l != nil && r != nil {
				w.pair(path+"."+k, l, r)
			}
			return true
		})
		n := 0
		x.Zip(y, value.Unordered, func(string, value.Value, value.Value) bool { n++; return true })
		w.note(path, "zipped", n)
	case a.IsList() && b.IsList():
		x, y := a.AsList(), b.AsList()
		w.note(path, value.ListCompare(x, y), value.ListEquals(x, y), value.ListLess(x, y), x.Equals(y))
		for i := 0; i < x.Length() && i < y.Length(); i++ {
			w.pair(fmt.Sprint(path, "[", i, "]"), x.At(i), y.At(i))
		}
	}
}

func (impl) Write(in engine.Input, key string, to any) (data any, err error) {
	v, err := untyped(in)
	if err != nil {
		return nil, err
	}
	// Recover from a panic: a struct value panics if a program sets a field that the struct
	// does not declare.
	defer func() {
		if r := recover(); r != nil {
			data, err = v.Unstructured(), fmt.Errorf("panic: %v", r)
		}
	}()
	if v.IsMap() && !v.IsNull() {
		m := v.AsMap()
		m.Set(key, value.NewValueInterface(to))
		m.Delete("b")
		m.Delete("nothing")
	}
	return v.Unstructured(), nil
}

// Parts calls the methods of the members, the children and the paths of s and other. It returns the
// results of these calls as texts.
func (s set) Parts(other engine.Set) []string {
	a, b := s.s, other.(set).s
	var facts []string
	// Mark these facts as printed texts: path elements may contain maps, which Go prints in
	// random order.
	note := func(v ...any) { facts = append(facts, engine.StringFact+strings.TrimSuffix(fmt.Sprintln(v...), "\n")) }
	note(a.Members.Size(), a.Members.Equals(&b.Members), a.Children.Size(), a.Children.Empty(), a.Children.Equals(&b.Children))
	members := func(title string, m *fieldpath.PathElementSet) {
		note(title, m.Size())
		m.Iterate(func(pe fieldpath.PathElement) { note(pe) })
	}
	members("union", a.Members.Union(&b.Members))
	members("intersection", a.Members.Intersection(&b.Members))
	members("difference", a.Members.Difference(&b.Members))
	children := func(title string, m *fieldpath.SetNodeMap) {
		note(title, m.Size(), (&fieldpath.Set{Children: *m}).String())
	}
	children("union", a.Children.Union(&b.Children))
	children("intersection", a.Children.Intersection(&b.Children))
	children("difference", a.Children.Difference(b))
	children("recursive", a.Children.RecursiveDifference(b))
	children("leaves", a.Children.Leaves())
	built := fieldpath.NewSet()
	var last fieldpath.Path
	elements := fieldpath.MakePathElementSet(0)
	index := fieldpath.MakePathElementMap(0)
	b.Iterate(func(p fieldpath.Path) {
		note(p, p.Compare(last), p.Equals(last), last.Equals(p), a.Has(p))
		pe := p[len(p)-1]
		_, seen := index.Get(pe)
		note(seen, elements.Has(pe), pe.Less(p[0]), pe.Compare(p[0]), pe.Equals(p[0]))
		index.Insert(pe, true)
		elements.Insert(pe)
		last = p.Copy()
		built.Insert(last)
	})
	members("elements", &elements)
	note(built.Equals(b), built)
	return facts
}

// Facts compares the schema with another one, and calls methods of a copy of the schema.
func (t types) Facts(other engine.Schema) []string {
	a, b := t.s, other.(types).s
	var c schema.Schema
	a.CopyInto(&c)
	facts := []string{fmt.Sprint(engine.EqualFact, a.Equals(b), b.Equals(a), a.Equals(&c)), fmt.Sprint(len(c.Types))}
	for i := range a.Types {
		d := &a.Types[i]
		_, ok := c.FindNamedType(d.Name)
		facts = append(facts, fmt.Sprint(engine.EqualFact, i < len(b.Types) && d.Equals(&b.Types[i])))
		line := fmt.Sprint(d.Name, ok)
		for _, rel := range []string{"", "atomic", "separable"} {
			atom, ok := c.Resolve(schema.TypeRef{NamedType: &d.Name, ElementRelationship: relationship(rel)})
			line += fmt.Sprint(ok, atom.Scalar != nil, atom.List != nil, atom.Map != nil, atom.Equals(&d.Atom))
			if atom.Map != nil {
				f, ok := atom.Map.FindField("a")
				line += fmt.Sprint(atom.Map.ElementRelationship, ok, f.Default)
			}
			if atom.List != nil {
				line += fmt.Sprint(atom.List.ElementRelationship, atom.List.Keys)
			}
		}
		facts = append(facts, line)
	}
	return facts
}
