// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package upstream is the adapter for structured-merge-diff.
package upstream

import (
	"errors"
	"fmt"

	"github.com/dovetail-ssa/dovetail/test/differential/engine"
	yaml "go.yaml.in/yaml/v2"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/merge"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"
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
