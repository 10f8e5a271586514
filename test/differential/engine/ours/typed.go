// Code generated from engine/upstream by go generate; DO NOT EDIT.

// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package ours

import (
	"strings"

	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/test/differential/engine"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
	yaml "go.yaml.in/yaml/v2"
)

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
