// Code generated from engine/upstream by go generate; DO NOT EDIT.

// Package ours drives this repository's engine.
package ours

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/dovetail-ssa/dovetail/conformance/differential/engine"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/merge"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
	yaml "go.yaml.in/yaml/v2"
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
		out = append(out, engine.Conflict{Manager: c.Manager, Path: c.Path.String()})
	}
	return out, true
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
			// A filter that cannot be built is left out by every adapter alike.
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

// yamlFact tells v as YAML.
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
	return m.Equals(fieldpath.PathElementMatcher{PathElement: pe.Copy()}), nil
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
