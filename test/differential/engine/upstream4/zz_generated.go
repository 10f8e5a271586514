// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Code generated from differential/engine/upstream by go generate; DO NOT EDIT.

// Package upstream4 drives structured-merge-diff v4.
package upstream4

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/dovetail-ssa/dovetail/test/differential/engine"
	"github.com/dovetail-ssa/dovetail/test/differential/fieldsv1"
	"github.com/dovetail-ssa/dovetail/test/differential/structs"
	yaml "go.yaml.in/yaml/v2"
	"sigs.k8s.io/structured-merge-diff/v4/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v4/merge"
	"sigs.k8s.io/structured-merge-diff/v4/schema"
	"sigs.k8s.io/structured-merge-diff/v4/typed"
	"sigs.k8s.io/structured-merge-diff/v4/value"
)

// New returns the engine.
func New() engine.Engine { return impl{} }

type impl struct{}

func (impl) Schema(text string, strict bool) (engine.Schema, error) {
	switch {
	case text == "":
		return types{s: typed.DeducedParseableType.Schema}, nil
	case strict:
		p, err := typed.NewParser(typed.YAMLObject(text))
		if err != nil {
			return nil, err
		}
		return types{s: &p.Schema, p: p}, nil
	}
	p := &typed.Parser{}
	if err := yaml.Unmarshal([]byte(text), &p.Schema); err != nil {
		return nil, err
	}
	return types{s: &p.Schema, p: p}, nil
}

func (impl) Set(fieldsV1 []byte) (engine.Set, error) {
	s := &fieldpath.Set{}
	if err := s.FromJSON(bytesReader(fieldsV1)); err != nil {
		return nil, err
	}
	return set{s}, nil
}

func (impl) Managers() engine.Managers { return managers{fieldpath.ManagedFields{}} }

func (impl) Conflicts(err error) ([]engine.Conflict, bool) {
	list, ok := err.(merge.Conflicts)
	if !ok {
		return nil, false
	}
	var out []engine.Conflict
	for _, c := range list {
		conflict := engine.Conflict{Manager: c.Manager, Path: c.Path.String()}
		for _, pe := range c.Path {
			e, err := fieldpath.SerializePathElement(pe)
			if err != nil {
				panic(err)
			}
			conflict.Elements += e + "\n"
		}
		out = append(out, conflict)
	}
	return out, true
}

func (impl) Values(a, b any) []string {
	va, vb := value.NewValueInterface(a), value.NewValueInterface(b)
	js, jsErr := value.ToJSON(va)
	return []string{
		fmt.Sprint("compare ", value.Compare(va, vb)),
		fmt.Sprint("compare reversed ", value.Compare(vb, va)),
		fmt.Sprint("equals ", value.Equals(va, vb)),
		fmt.Sprint("less ", value.Less(va, vb)),
		fmt.Sprint("json error ", jsErr != nil),
		engine.JSONFact + string(js),
		yamlFact(va),
		engine.StringFact + value.ToString(va),
		"leaves " + fieldpath.SetFromValue(va).String(),
	}
}

// yamlFact returns v as YAML.
func yamlFact(v value.Value) (fact string) {
	defer func() {
		if recover() != nil {
			fact = engine.YAMLPanics
		}
	}()
	b, err := value.ToYAML(v)
	if err != nil {
		return engine.YAMLFails
	}
	return "yaml " + string(b)
}

func (impl) Decode(json []byte) (any, error) {
	v, err := value.FromJSON(json)
	if err != nil {
		return nil, err
	}
	return v.Unstructured(), nil
}

func (impl) Element(serialized string) (string, string, error) {
	pe, err := fieldpath.DeserializePathElement(serialized)
	if err != nil {
		return "", "", err
	}
	back, err := fieldpath.SerializePathElement(pe)
	return back, pe.String(), err
}

func (impl) MatcherEqualsItself(serialized string) (bool, error) {
	pe, err := fieldpath.DeserializePathElement(serialized)
	if err != nil {
		return false, err
	}
	m := fieldpath.PathElementMatcher{PathElement: pe}
	return m.Equals(fieldpath.PathElementMatcher{PathElement: copyElement(pe)}), nil
}

var errPattern = errors.New("empty pattern")

func filter(f engine.Filter) (fieldpath.Filter, error) {
	if f.Exclude != "" {
		s := &fieldpath.Set{}
		if err := s.FromJSON(bytesReader([]byte(f.Exclude))); err != nil {
			return nil, err
		}
		return fieldpath.NewExcludeSetFilter(s), nil
	}
	var matchers []*fieldpath.SetMatcher
	for _, pattern := range f.Include {
		if len(pattern) == 0 {
			return nil, errPattern
		}
		var parts []any
		for _, p := range pattern {
			if p == "*" {
				parts = append(parts, fieldpath.MatchAnyPathElement())
				continue
			}
			pe, err := fieldpath.DeserializePathElement(p)
			if err != nil {
				return nil, err
			}
			parts = append(parts, pe)
		}
		m, err := fieldpath.PrefixMatcher(parts...)
		if err != nil {
			return nil, err
		}
		matchers = append(matchers, m)
	}
	return fieldpath.NewIncludeMatcherFilter(matchers...), nil
}

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

// FieldsV1 returns a codec that reads and writes FieldsV1.
func FieldsV1() fieldsv1.Codec { return codec{} }

type codec struct{}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func (codec) Read(document []byte, pieces []int) (r fieldsv1.Read) {
	s := &fieldpath.Set{}
	r.Error = text(s.FromJSON(fieldsv1.Pieces(document, pieces)))
	r.Paths, r.Size = fieldsv1.AnyOrder(s.String()), s.Size()
	written, err := s.ToJSON()
	r.Written, r.WriteError = string(written), text(err)
	if err != nil {
		return r
	}
	again := &fieldpath.Set{}
	r.AgainError = text(again.FromJSON(bytes.NewReader(written)))
	written, err = again.ToJSON()
	if r.Again = string(written); err != nil {
		r.AgainError += text(err)
	}
	r.EqualToAgain = s.Equals(again) && again.Equals(s)
	r.Elements = true
	s.Iterate(func(p fieldpath.Path) { r.Elements = r.Elements && again.Has(p) })
	return r
}

func (codec) Element(serialized string) (written, wrong string) {
	pe, err := fieldpath.DeserializePathElement(serialized)
	if err != nil {
		return "", text(err)
	}
	written, err = fieldpath.SerializePathElement(pe)
	return written + " " + fieldsv1.AnyOrder(pe.String()), text(err)
}

func (impl) Probe(id string, n int) (said string) {
	defer func() {
		if r := recover(); r != nil {
			said = engine.Panics
		}
	}()
	switch id {
	case "depth":
		var data any = "leaf"
		for range 10000 + n%3 {
			data = map[string]any{"a": data}
		}
		pt := typed.DeducedParseableType
		tv := typed.AsTypedUnvalidated(value.NewValueInterface(data), pt.Schema, pt.TypeRef)
		var err error
		switch n / 3 % 4 {
		case 0:
			_, err = pt.FromUnstructured(data)
		case 1:
			_, err = tv.ToFieldSet()
		case 2:
			_, err = tv.Merge(tv)
		case 3:
			_, err = tv.Compare(tv)
		}
		return fmt.Sprint(10000+n%3, " levels, error ", err != nil)
	case "shared-nan":
		var data any = math.NaN()
		for i := range 1 + n%3 {
			if n>>i&1 == 0 {
				data = map[string]any{"a": data, "b": int64(i)}
			} else {
				data = []any{int64(i), data}
			}
		}
		return fmt.Sprint("nan equals ", value.Equals(value.NewValueInterface(data), value.NewValueInterface(data)))
	case "changed-data":
		return changedData(n)
	case "deep-embedding":
		in := structs.NewDeep(n)
		v, err := value.NewValueReflect(in)
		if err != nil {
			return "error"
		}
		read, err := json.Marshal(v.Unstructured())
		if err != nil {
			return "error"
		}
		return string(read)
	case "odd-structs":
		v, err := value.NewValueReflect(structs.NewHolder(n))
		if err != nil {
			return "error"
		}
		read, err := json.Marshal(v.Unstructured())
		if err != nil {
			return "error"
		}
		return string(read)
	case "nil-elements":
		return nilElement(n)
	case "matcher-members":
		return matcherMembers(n)
	case "stream-errors":
		var out bytes.Buffer
		s := fieldpath.NewSet(fieldpath.Path{fieldpath.PathElement{}})
		for i := range n % 20 {
			s.Insert(fieldpath.MakePathOrDie("a", fmt.Sprint(i)))
		}
		err := s.ToJSONStream(&out)
		return fmt.Sprintf("error %v, wrote %v", err != nil, out.Len() > 0)
	case "shared-leaves":
		return sharedLeaves(n)
	case "shared-subtrees":
		return sharedSubtrees(n)
	}
	return "no such probe"
}

// changedData creates a typed set and afterwards adds a duplicate to its data.
func changedData(n int) string {
	p, err := typed.NewParser(`types:
- name: a
  map: {fields: [{name: s, type: {list: {elementType: {scalar: string}, elementRelationship: associative}}}]}
`)
	if err != nil {
		return "no parser"
	}
	items := []any{}
	for i := range 2 + n%4 {
		items = append(items, fmt.Sprint("n", i))
	}
	changed, err := p.Type("a").FromUnstructured(map[string]any{"s": items})
	if err != nil {
		return "invalid"
	}
	other, err := p.Type("a").FromUnstructured(map[string]any{"s": []any{"r"}})
	if err != nil {
		return "invalid"
	}
	i := n / 4 % len(items)
	items[i] = items[(i+1)%len(items)]
	_, err = other.Merge(changed)
	return fmt.Sprintf("merge error %v, validation error %v", err != nil, changed.Validate() != nil)
}

// sharedLeaves reports whether the result of an apply shares atomic lists and empty maps with
// the live object or with the config.
func sharedLeaves(n int) string {
	object := func(c int, has bool) (*typed.TypedValue, []any, map[string]any) {
		list, empty := []any{}, map[string]any{}
		for i := range 1 + n%4 {
			list = append(list, fmt.Sprint("n", i))
		}
		all := map[string]any{"a": list, "b": map[string]any{"c": int64(c)}}
		if has {
			all["e"] = empty
		}
		v, err := typed.DeducedParseableType.FromUnstructured(all)
		if err != nil {
			panic(err)
		}
		return v, list, empty
	}
	live, lefts, left := object(n, n/4%3 != 0)
	config, rights, right := object(n+1, n/4%3 != 1)
	updater := impl{}.Updater(engine.Config{
		Convert:   func(t engine.Typed, _ string) (engine.Typed, error) { return t, nil },
		IsMissing: func(error) bool { return false },
	})
	applied, _, err := updater.Apply(typedValue{live}, typedValue{config}, "v1", impl{}.Managers(), "m", false)
	if err != nil {
		return "error"
	}
	data, _ := applied.Object()
	data.(map[string]any)["a"].([]any)[0] = "written"
	data.(map[string]any)["e"].(map[string]any)["new"] = "written"
	return fmt.Sprintf("live is written to: %v, %v, config: %v, %v", lefts[0] == "written", len(left) > 0, rights[0] == "written", len(right) > 0)
}

func nilElement(n int) string {
	var none value.Value
	name := "a"
	switch n % 3 {
	case 0:
		_, err := fieldpath.SerializePathElement(fieldpath.PathElement{Value: &none})
		return fmt.Sprint("element error ", err != nil)
	case 1:
		_, err := fieldpath.MakePath("a", (*value.FieldList)(nil))
		return fmt.Sprint("path error ", err != nil)
	}
	m := fieldpath.NewSetMatcher(false, &fieldpath.SetMemberMatcher{
		Path: fieldpath.PathElementMatcher{PathElement: fieldpath.PathElement{FieldName: &name}},
	})
	return fmt.Sprint("left ", fieldpath.NewSet(fieldpath.MakePathOrDie("a", "b")).FilterIncludeMatches(m).Size())
}

// matcherMembers creates a matcher from a slice of members. It reports whether the members are
// still in the same order afterwards, and lists them in their new order.
func matcherMembers(n int) string {
	names := strings.Split("abcdef", "")
	for i := range names {
		j := (n >> i) % (i + 1)
		names[i], names[j] = names[j], names[i]
	}
	names = names[:2+n%4]
	var members []*fieldpath.SetMemberMatcher
	for i := range names {
		members = append(members, &fieldpath.SetMemberMatcher{
			Path:  fieldpath.PathElementMatcher{PathElement: fieldpath.PathElement{FieldName: &names[i]}},
			Child: fieldpath.MatchAnySet(),
		})
	}
	fieldpath.NewSetMatcher(false, members...)
	after := []string{}
	for _, m := range members {
		after = append(after, *m.Path.FieldName)
	}
	return fmt.Sprint(slices.Equal(names, after), after)
}

// sharedSubtrees modifies the result of a set operation, and reports whether the operands of
// the operation are still the same.
func sharedSubtrees(n int) string {
	a, b := fieldpath.NewSet(), fieldpath.NewSet()
	for i := range 4 {
		if n>>i&1 == 0 {
			a.Insert(fieldpath.MakePathOrDie("a", fmt.Sprint(i)))
		}
		if n>>i&3 != 0 {
			b.Insert(fieldpath.MakePathOrDie("a", fmt.Sprint(i)))
		}
	}
	was := a.String() + "\n" + b.String()
	var out *fieldpath.Set
	op := []string{"union", "intersection", "leaves", "difference"}[n/16%4]
	switch op {
	case "union":
		out = a.Union(b)
	case "intersection":
		out = a.Intersection(b)
	case "leaves":
		out = a.Leaves()
	case "difference":
		out = a.Difference(b)
	}
	result := out.String()
	out.Insert(fieldpath.MakePathOrDie("a", "new"))
	return fmt.Sprintf("%s of\n%s\nis\n%s\nand then the same: %v", op, was, result, a.String()+"\n"+b.String() == was)
}

type set struct{ s *fieldpath.Set }

func bytesReader(b []byte) io.Reader { return bytes.NewReader(b) }

func (s set) JSON() ([]byte, error)    { return s.s.ToJSON() }
func (s set) String() string           { return s.s.String() }
func (s set) Size() int                { return s.s.Size() }
func (s set) Empty() bool              { return s.s.Empty() }
func (s set) Equals(o engine.Set) bool { return s.s.Equals(o.(set).s) }

func (s set) Apply(op string, other engine.Set) engine.Set {
	switch op {
	case "leaves":
		return set{s.s.Leaves()}
	case "copy":
		return set{copySet(s.s)}
	}
	o := other.(set).s
	switch op {
	case "union":
		return set{s.s.Union(o)}
	case "intersection":
		return set{s.s.Intersection(o)}
	case "difference":
		return set{s.s.Difference(o)}
	case "recursive":
		return set{s.s.RecursiveDifference(o)}
	}
	panic(fmt.Sprintf("no set operation %q", op))
}

func (s set) Prefix(serialized string) (engine.Set, error) {
	pe, err := fieldpath.DeserializePathElement(serialized)
	if err != nil {
		return nil, err
	}
	return set{s.s.WithPrefix(pe)}, nil
}

func (s set) Has(paths engine.Set) []bool {
	var out []bool
	paths.(set).s.Iterate(func(p fieldpath.Path) { out = append(out, s.s.Has(p)) })
	return out
}

func (s set) Filter(f engine.Filter) (engine.Set, error) {
	native, err := filter(f)
	if err != nil {
		return nil, err
	}
	return set{native.Filter(s.s)}, nil
}

func (s set) First(n int) []string {
	var out []string
	for p := range all(s.s) {
		out = append(out, p.String())
		if len(out) == n {
			break
		}
	}
	return out
}

type types struct {
	s *schema.Schema
	p *typed.Parser
}

func (t types) TypeNames() []string {
	if t.p == nil {
		return nil
	}
	return t.p.TypeNames()
}

func (t types) Typed(name, override string, in engine.Input, mode engine.Mode) (engine.Typed, error) {
	pt := typed.ParseableType{Schema: t.s, TypeRef: schema.TypeRef{NamedType: &name}}
	pt.TypeRef.ElementRelationship = relationship(override)
	switch mode {
	case engine.Absent:
		return typedValue{typed.AsTypedUnvalidated(nil, pt.Schema, pt.TypeRef)}, nil
	case engine.Unvalidated:
		v, err := untyped(in)
		if err != nil {
			return nil, err
		}
		return typedValue{typed.AsTypedUnvalidated(v, pt.Schema, pt.TypeRef)}, nil
	}
	var opts []typed.ValidationOptions
	if mode == engine.AllowDuplicates {
		opts = append(opts, typed.AllowDuplicates)
	}
	var tv *typed.TypedValue
	var err error
	switch {
	case in.IsText:
		tv, err = pt.FromYAML(typed.YAMLObject(in.Text), opts...)
	case in.Structured:
		tv, err = pt.FromStructured(in.Data, opts...)
	default:
		tv, err = pt.FromUnstructured(in.Data, opts...)
	}
	if err != nil {
		return nil, err
	}
	return typedValue{tv}, nil
}

var relationships = map[string]*schema.ElementRelationship{
	"atomic": newRelationship("atomic"), "separable": newRelationship("separable"),
}

func newRelationship(rel schema.ElementRelationship) *schema.ElementRelationship { return &rel }

func relationship(override string) *schema.ElementRelationship {
	if fresh, ok := strings.CutPrefix(override, "!"); ok {
		return newRelationship(schema.ElementRelationship(fresh))
	}
	return relationships[override]
}

func untyped(in engine.Input) (value.Value, error) {
	switch {
	case in.IsText:
		var data any
		if err := yaml.Unmarshal([]byte(in.Text), &data); err != nil {
			return nil, err
		}
		return value.NewValueInterface(data), nil
	case in.Structured:
		return value.NewValueReflect(in.Data)
	}
	return value.NewValueInterface(in.Data), nil
}

type typedValue struct{ v *typed.TypedValue }

func wrap(v *typed.TypedValue) engine.Typed {
	if v == nil {
		return nil
	}
	return typedValue{v}
}

func (t typedValue) Type() string {
	if n := t.v.TypeRef().NamedType; n != nil {
		return *n
	}
	return ""
}

func (t typedValue) Override() string {
	if rel := t.v.TypeRef().ElementRelationship; rel != nil {
		return string(*rel)
	}
	return ""
}

func (t typedValue) Object() (any, bool) {
	v := t.v.AsValue()
	if v == nil {
		return nil, false
	}
	return v.Unstructured(), true
}

func (t typedValue) Validate(allowDuplicates bool) error {
	if allowDuplicates {
		return t.v.Validate(typed.AllowDuplicates)
	}
	return t.v.Validate()
}

func (t typedValue) FieldSet() (engine.Set, error) {
	s, err := t.v.ToFieldSet()
	if err != nil {
		return nil, err
	}
	return set{s}, nil
}

func (t typedValue) Compare(o engine.Typed) (engine.Comparison, error) {
	c, err := t.v.Compare(o.(typedValue).v)
	if err != nil {
		return engine.Comparison{}, err
	}
	return engine.Comparison{
		Removed: set{c.Removed}, Modified: set{c.Modified}, Added: set{c.Added},
		Same: c.IsSame(), Printed: c.String(),
	}, nil
}

func (t typedValue) Merge(o engine.Typed) (engine.Typed, error) {
	v, err := t.v.Merge(o.(typedValue).v)
	if err != nil {
		return nil, err
	}
	return wrap(v), nil
}

func (t typedValue) Remove(s engine.Set) engine.Typed { return wrap(t.v.RemoveItems(s.(set).s)) }

func (t typedValue) Extract(s engine.Set, appendKeys bool) engine.Typed {
	if appendKeys {
		return wrap(t.v.ExtractItems(s.(set).s, typed.WithAppendKeyFields()))
	}
	return wrap(t.v.ExtractItems(s.(set).s))
}

func (t typedValue) Reconcile(s engine.Set) (engine.Set, error) {
	out, err := typed.ReconcileFieldSetWithSchema(s.(set).s, t.v)
	if err != nil || out == nil {
		return nil, err
	}
	return set{out}, nil
}

func (t typedValue) EnsureNamed(s engine.Set) engine.Set {
	return set{s.(set).s.EnsureNamedFieldsAreMembers(t.v.Schema(), t.v.TypeRef())}
}

func (t typedValue) Empty() engine.Typed { return wrap(t.v.Empty()) }

type managers struct{ m fieldpath.ManagedFields }

func (m managers) Entries() []engine.Manager {
	out := make([]engine.Manager, 0, len(m.m))
	for name, vs := range m.m {
		out = append(out, engine.Manager{
			Name: name, Version: string(vs.APIVersion()), Applied: vs.Applied(), Set: set{vs.Set()},
		})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

func (m managers) With(e engine.Manager) engine.Managers {
	out := m.m.Copy()
	out[e.Name] = fieldpath.NewVersionedSet(e.Set.(set).s, fieldpath.APIVersion(e.Version), e.Applied)
	return managers{out}
}

func (m managers) Without(name string) engine.Managers {
	out := m.m.Copy()
	delete(out, name)
	return managers{out}
}

func (m managers) Equals(o engine.Managers) bool { return m.m.Equals(o.(managers).m) }

func (m managers) Difference(o engine.Managers) engine.Managers {
	return managers{m.m.Difference(o.(managers).m)}
}

func (m managers) Lines() []string { return strings.Split(m.m.String(), "\n") }

type converter struct{ c engine.Config }

func (c converter) Convert(object *typed.TypedValue, version fieldpath.APIVersion) (*typed.TypedValue, error) {
	out, err := c.c.Convert(wrap(object), string(version))
	if err != nil {
		return nil, err
	}
	return out.(typedValue).v, nil
}

func (c converter) IsMissingVersionError(err error) bool { return c.c.IsMissing(err) }

type updater struct{ u *merge.Updater }

func (impl) Updater(c engine.Config) engine.Updater {
	var ignored map[fieldpath.APIVersion]*fieldpath.Set
	if c.Ignored != nil {
		ignored = map[fieldpath.APIVersion]*fieldpath.Set{}
		for v, s := range c.Ignored {
			ignored[fieldpath.APIVersion(v)] = s.(set).s
		}
	}
	var filters map[fieldpath.APIVersion]fieldpath.Filter
	if c.Filters != nil {
		filters = map[fieldpath.APIVersion]fieldpath.Filter{}
		for v, f := range c.Filters {
			// Ignore an invalid filter. All adapters do this.
			if native, err := filter(f); err == nil {
				filters[fieldpath.APIVersion(v)] = native
			}
		}
	}
	if c.Literal {
		return updater{&merge.Updater{Converter: converter{c}, IgnoredFields: ignored, IgnoreFilter: filters}}
	}
	b := merge.UpdaterBuilder{
		Converter: converter{c}, IgnoredFields: ignored, IgnoreFilter: filters,
		ReturnInputOnNoop: c.ReturnInputOnNoop,
	}
	return updater{b.BuildUpdater()}
}

func (u updater) Apply(live, config engine.Typed, version string, m engine.Managers, manager string, force bool) (engine.Typed, engine.Managers, error) {
	tv, mf, err := u.u.Apply(live.(typedValue).v, config.(typedValue).v, fieldpath.APIVersion(version), m.(managers).m, manager, force)
	return wrap(tv), managers{mf}, err
}

func (u updater) Update(live, object engine.Typed, version string, m engine.Managers, manager string) (engine.Typed, engine.Managers, error) {
	tv, mf, err := u.u.Update(live.(typedValue).v, object.(typedValue).v, fieldpath.APIVersion(version), m.(managers).m, manager)
	return wrap(tv), managers{mf}, err
}
