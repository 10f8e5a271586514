// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"strconv"
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/item"
	"github.com/dovetail-ssa/dovetail/value"
)

// Facts are what validation learns of data besides that it is valid.
type Facts uint8

const (
	// Valid data can be walked in part: nothing is wrong with the rest, and
	// every item of a list that is not atomic has an identity.
	Valid Facts = 1 << iota
	// Unique data has no items that share an identity.
	Unique
	// Full data has no empty list where one is not a leaf.
	Full
	// StringKeyed data has no map[any]any in it.
	StringKeyed
	// NoNulls data has no null in it. Of Go values, and of what is made of such data, that
	// is not known.
	NoNulls

	AllFacts = Valid | Unique | Full | StringKeyed
)

// Validate says what is wrong with v as a value of type n, nil if nothing is,
// and what else it learned. Items of associative lists may share an identity if
// allowDuplicates is set. Valid data allocates nothing.
func Validate(n *graph.Node, v any, allowDuplicates bool) (Facts, diag.Findings) {
	return ValidateAt(n, v, allowDuplicates, 0)
}

// ValidateAt is Validate for a value that is nested so deep.
func ValidateAt(n *graph.Node, v any, allowDuplicates bool, depth int) (Facts, diag.Findings) {
	w := newWalker()
	defer w.done()
	va := validator{w: w, allowDuplicates: allowDuplicates, depth: depth, facts: AllFacts | NoNulls}
	if wrong := va.value(n, v); wrong != nil {
		return 0, wrong
	}
	return va.facts, nil
}

// ValidateNone says what is wrong with there being no value of type n at all,
// not even null.
func ValidateNone(n *graph.Node) diag.Findings {
	if n.Missing {
		return data.NoType(n)
	}
	switch data.FirstKind(n.Kinds()) {
	case graph.MapKind:
		return diag.Newf(diag.WrongType, "expected map, got nil")
	case graph.ListKind:
		return diag.Newf(diag.WrongType, "expected list, got nil")
	case graph.ScalarKind:
		return nil
	}
	return data.NoKind(n)
}

type validator struct {
	w               *walker
	allowDuplicates bool
	depth           int
	facts           Facts
}

func (va *validator) value(n *graph.Node, v any) diag.Findings {
	switch x := v.(type) {
	case string:
		if n.Scalar == graph.String {
			return nil
		}
	case int64, float64:
		if n.Scalar == graph.Numeric {
			return nil
		}
	case bool:
		if n.Scalar == graph.Boolean {
			return nil
		}
	case map[string]any:
		if n.Map != nil {
			return va.mapping(n.Map, x)
		}
	case []any:
		if n.List != nil {
			return va.list(n.List, x)
		}
	}
	return va.other(n, v)
}

// other is for the values that value has no short cut for.
func (va *validator) other(n *graph.Node, v any) diag.Findings {
	if n.Missing {
		return data.NoType(n)
	}
	c := data.ClassOf(v)
	if c == data.Null {
		va.facts &^= NoNulls
	}
	switch data.FirstKind(data.KindsFor(n, c)) {
	case graph.MapKind:
		switch c {
		case data.Null:
			return nil
		case data.Mapping:
			va.facts &^= StringKeyed
			return va.mapping(n.Map, data.AsMap(v))
		}
		return data.WrongType(v, "map", "expected map, got %v", data.Shown(v))
	case graph.ScalarKind:
		return data.CheckScalar(n, v, "")
	case graph.ListKind:
		if c == data.Null {
			return nil
		}
		return data.WrongType(v, "list", "expected list, got %v", data.Shown(v))
	}
	return data.NoKind(n)
}

func (va *validator) mapping(m *graph.Map, x map[string]any) diag.Findings {
	if va.depth++; va.depth > data.MaxDepth {
		return data.TooDeep()
	}
	var wrong []diag.ChildFindings
	for name, v := range x {
		t := m.Elem
		if f := m.Field(name); f != nil {
			t = f.Type
		} else if !m.Open {
			fs := diag.Newf(diag.Undeclared, "field not declared in schema")
			fs[0].Found = v
			wrong = under(wrong, name, fs)
			continue
		}
		if !data.IsScalarOf(t.Scalar, v) {
			wrong = under(wrong, name, va.value(t, v))
		}
	}
	va.depth--
	return diag.Join(wrong)
}

func (va *validator) list(l *graph.List, x []any) diag.Findings {
	if va.depth++; va.depth > data.MaxDepth {
		return data.TooDeep()
	}
	var wrong diag.Findings
	switch {
	case l.IsAtomic():
	case len(x) == 0:
		va.facts &^= Full
	case !l.IsAssociative():
		va.facts &^= Valid
	}
	if l.IsAssociative() {
		wrong = va.items(l, x)
	} else {
		for i, v := range x {
			if fs := va.value(l.Item, v); fs != nil {
				wrong = append(wrong, fs.Prefix(fieldpath.IndexElement(i).String())...)
			}
		}
	}
	va.depth--
	return wrong
}

// items validates the items of an associative list. The first item without an
// identity ends it: nothing below such an item can be named.
func (va *validator) items(l *graph.List, x []any) diag.Findings {
	mark := va.w.Keys.Len()
	ids, all := va.w.Identities(l, x)
	twice := va.w.Duplicates(ids)
	if twice {
		// Even where duplicates are allowed, merging is faster without any.
		va.facts &^= Unique
	}
	va.w.Keys.Pop(mark)
	var wrong diag.Findings
	if twice && !va.allowDuplicates {
		wrong = va.itemsWithDuplicates(l, x[:all])
	} else {
		for _, v := range x[:all] {
			if fs := va.value(l.Item, v); fs != nil {
				wrong = append(wrong, fs.Prefix(va.w.Element(l, v).String())...)
			}
		}
	}
	if all < len(x) {
		fs := diag.Newf(diag.NoIdentity, "element %v: %v", all, item.Fault(l, x[all]).Error())
		fs[0].Found, fs[0].First = x[all], all
		wrong = append(wrong, fs...)
	}
	return wrong
}

func (va *validator) itemsWithDuplicates(l *graph.List, x []any) diag.Findings {
	mark := va.w.Ints.Len()
	defer va.w.Ints.Pop(mark)
	nb := va.w.Pair(l, x, nil, item.Known{})
	var wrong diag.Findings
	for i, v := range x {
		if before := nb.FirstLeft[nb.LeftNumber[i]]; int(before) < i {
			fs := diag.Newf(diag.Duplicate, "duplicate entries for key %v", va.w.Element(l, v).String())
			fs[0].Found = v
			fs[0].First, fs[0].Second = int(before), i
			fs[0].Filled = append(filled(l, int(before), x[before]), filled(l, i, v)...)
			if l.Declarative {
				fs[0].Message += explainDuplicate(&fs[0], x[before])
			}
			wrong = append(wrong, fs...)
		}
		if fs := va.value(l.Item, v); fs != nil {
			wrong = append(wrong, fs.Prefix(va.w.Element(l, v).String())...)
		}
	}
	return wrong
}

// filled returns the keys of the item it, at index i, that came from a default.
func filled(l *graph.List, i int, it any) []diag.FilledKey {
	var keys []diag.FilledKey
	m := data.AsMap(it)
	for k := range l.Keys {
		key := &l.Keys[k]
		def, has := item.KeyDefault(key)
		if v, written := m[key.Name]; has && (!written || item.IsMissing(key, v)) {
			keys = append(keys, diag.FilledKey{Index: i, Name: key.Name, Value: def})
		}
	}
	return keys
}

// explainDuplicate adds to a duplicate which items they are and what they say, and
// which of their keys nobody wrote.
func explainDuplicate(f *diag.Finding, first any) string {
	s := " (items " + strconv.Itoa(f.First) + " and " + strconv.Itoa(f.Second) + ": " +
		Brief(data.Shown(first)) + " and " + Brief(data.Shown(f.Found))
	for _, k := range f.Filled {
		s += "; item " + strconv.Itoa(k.Index) + " got " + k.Name + "=" + value.ToString(data.Shown(k.Value)) + " from the schema default"
	}
	return s + ")"
}

// Brief returns v as YAML on one line that is not too long.
func Brief(v value.Value) string {
	const most = 80
	text := value.ToString(v)
	if data, err := value.ToJSON(v); err == nil {
		text = string(data)
	}
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
