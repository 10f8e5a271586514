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

// Facts are properties of a value that validation found.
type Facts uint8

const (
	// Valid: the value has no findings, and merges accept all of its lists. A merge rejects a
	// nonempty list that is neither atomic nor associative, although such a list has no findings.
	// An operation need not check the parts of a valid value that it does not change.
	Valid Facts = 1 << iota
	// Unique: no two items of an associative list have the same identity.
	Unique
	// NoEmptyLists: the value has no empty list. Empty atomic lists are allowed, because they are leaves.
	NoEmptyLists
	// StringKeyed: the value contains no map[any]any.
	StringKeyed
	// NoNulls: the value contains no null, and is not nested too deep. In such a value, Default can
	// skip all types without defaults: it need not look for nulls there, or check the depth.
	// Validate finds this fact. Package gostruct, which validates Go structs without a conversion,
	// does not find it. The results of operations lose it.
	NoNulls

	// FactsOfStructs are the facts that package gostruct finds about a Go struct.
	FactsOfStructs = Valid | Unique | NoEmptyLists | StringKeyed

	allFacts = FactsOfStructs | NoNulls
)

// Validate validates v as a value of type n, and returns the findings. If there are none, it also
// returns the facts that are true for v. The fact Valid may be missing even then (see Valid). If
// allowDuplicates is true, several items of an associative list may have the same identity. Validate
// allocates nothing if there are no findings and v contains no map[any]any.
func Validate(n *graph.Node, v any, allowDuplicates bool) (Facts, diag.Findings) {
	return ValidateAt(n, v, allowDuplicates, 0)
}

// ValidateAt is like Validate, for a value at the given depth: the number of maps and lists around it.
func ValidateAt(n *graph.Node, v any, allowDuplicates bool, depth int) (Facts, diag.Findings) {
	w := newWorkspace()
	defer w.done()
	va := validator{w: w, allowDuplicates: allowDuplicates, depth: depth, facts: allFacts}
	if findings := va.value(n, v); findings != nil {
		return 0, findings
	}
	return va.facts, nil
}

// ValidateAbsent returns the findings for an absent value of type n. There are none if n allows
// scalars and does not allow maps. A null is not absent.
func ValidateAbsent(n *graph.Node) diag.Findings {
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

// validator does the work of Validate and ValidateAt.
type validator struct {
	w               *workspace
	allowDuplicates bool
	depth           int   // the number of containers around the current value
	facts           Facts // the facts that are true for all parts of the value so far
}

// value validates v as a value of type n.
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
			return va.fields(n.Map, x)
		}
	case []any:
		if n.List != nil {
			return va.items(n.List, x)
		}
	}
	return va.slowValue(n, v)
}

// slowValue does the same as the method value, for all values that have no fast path there.
func (va *validator) slowValue(n *graph.Node, v any) diag.Findings {
	if n.Missing {
		return data.NoType(n)
	}
	class := data.ClassOf(v)
	if class == data.Null {
		va.facts &^= NoNulls
	}
	// The method value has already handled a map[string]any or a []any if n allows it. So v is null, a
	// scalar, a map[any]any, or a value of a kind that n does not allow.
	switch data.FirstKind(data.KindsFor(n, class)) {
	case graph.MapKind:
		switch class {
		case data.Null:
			return nil
		case data.Mapping:
			va.facts &^= StringKeyed
			return va.fields(n.Map, data.AsMap(v))
		}
		return data.WrongType(v, "map", "expected map, got %v", data.Shown(v))
	case graph.ScalarKind:
		return data.CheckScalar(n, v, "")
	case graph.ListKind:
		if class == data.Null {
			return nil
		}
		return data.WrongType(v, "list", "expected list, got %v", data.Shown(v))
	}
	return data.NoKind(n)
}

// fields validates the fields of a map.
func (va *validator) fields(m *graph.Map, x map[string]any) diag.Findings {
	if va.depth >= data.MaxDepth {
		return data.DepthFindings()
	}
	va.depth++
	var findings []diag.ChildFindings
	for name, v := range x {
		t := m.Elem
		if f := m.Field(name); f != nil {
			t = f.Type
		} else if !m.Open {
			fs := diag.Newf(diag.Undeclared, "field not declared in schema")
			fs[0].Found = v
			findings = addFieldFindings(findings, name, fs)
			continue
		}
		if !data.IsScalarOf(t.Scalar, v) {
			findings = addFieldFindings(findings, name, va.value(t, v))
		}
	}
	va.depth--
	return diag.Join(findings)
}

// items validates the items of a list.
func (va *validator) items(l *graph.List, x []any) diag.Findings {
	if va.depth >= data.MaxDepth {
		return data.DepthFindings()
	}
	va.depth++
	var findings diag.Findings
	switch {
	case l.IsAtomic():
	case len(x) == 0:
		va.facts &^= NoEmptyLists
	case !l.IsAssociative():
		va.facts &^= Valid
	}
	if l.IsAssociative() {
		findings = va.associativeItems(l, x)
	} else {
		for i, v := range x {
			if fs := va.value(l.Item, v); fs != nil {
				findings = append(findings, fs.Prefix(fieldpath.IndexElement(i).String())...)
			}
		}
	}
	va.depth--
	return findings
}

// associativeItems validates the items of an associative list. It stops at the first item without an
// identity, and reports this item. Values in such an item have no path. As in structured-merge-diff, the
// items after it are not validated.
func (va *validator) associativeItems(l *graph.List, x []any) diag.Findings {
	mark := va.w.ValueScratch.Len()
	ids, n := va.w.PushIdentities(l, x)
	// Look for duplicates even if they are allowed: a merge is faster if it knows that there are
	// none.
	duplicates := va.w.HasDuplicates(ids)
	if duplicates {
		va.facts &^= Unique
	}
	va.w.ValueScratch.Pop(mark)
	var findings diag.Findings
	if duplicates && !va.allowDuplicates {
		findings = va.itemsWithDuplicates(l, x[:n])
	} else {
		for _, v := range x[:n] {
			if fs := va.value(l.Item, v); fs != nil {
				findings = append(findings, fs.Prefix(va.w.Element(l, v).String())...)
			}
		}
	}
	if n < len(x) {
		findings = append(findings, missingIdentity(l, n, x[n])...)
	}
	return findings
}

// missingIdentity returns the finding for the item v of the list l, which has no identity. The
// argument i is the index of the item.
func missingIdentity(l *graph.List, i int, v any) diag.Findings {
	fs := diag.Newf(diag.NoIdentity, "element %v: %v", i, item.IdentityError(l, v).Error())
	fs[0].Found, fs[0].First = v, i
	fs[0].Keys, fs[0].Lacks = l.KeyNames, item.KeysWithoutValueOrDefault(l, v)
	return fs
}

// itemsWithDuplicates validates the items of a list that has duplicates, and reports the
// duplicates. All items must have an identity.
func (va *validator) itemsWithDuplicates(l *graph.List, x []any) diag.Findings {
	mark := va.w.IntScratch.Len()
	defer va.w.IntScratch.Pop(mark)
	p := va.w.Pair(l, x, nil, item.PairFacts{})
	var findings diag.Findings
	for i, v := range x {
		if first := int(p.FirstLeft[p.LeftNumber[i]]); first < i {
			fs := diag.Newf(diag.Duplicate, "duplicate entries for key %v", va.w.Element(l, v).String())
			fs[0].Found = v
			fs[0].First, fs[0].Second = first, i
			fs[0].Filled = append(keysFromDefaults(l, first, x[first]), keysFromDefaults(l, i, v)...)
			// Without declarative defaults, the message is the same as in structured-merge-diff.
			if l.Declarative {
				fs[0].Message += explainDuplicate(&fs[0], x[first])
			}
			findings = append(findings, fs...)
		}
		if fs := va.value(l.Item, v); fs != nil {
			findings = append(findings, fs.Prefix(va.w.Element(l, v).String())...)
		}
	}
	return findings
}

// keysFromDefaults returns the keys that a list item got from defaults. i is its index in the list.
func keysFromDefaults(l *graph.List, i int, it any) []diag.FilledKey {
	var keys []diag.FilledKey
	x := data.AsMap(it)
	for k := range l.Keys {
		key := &l.Keys[k]
		def, has := item.KeyDefault(key)
		if v, written := x[key.Name]; has && (!written || item.CountsAsMissing(key, v)) {
			keys = append(keys, diag.FilledKey{Index: i, Name: key.Name, Value: def})
		}
	}
	return keys
}

// explainDuplicate returns a text that shows the two items of a Duplicate finding. It also shows
// which keys each item got from defaults. first is the first of the two items.
func explainDuplicate(f *diag.Finding, first any) string {
	s := " (items " + strconv.Itoa(f.First) + " and " + strconv.Itoa(f.Second) + ": " +
		Brief(data.Shown(first)) + " and " + Brief(data.Shown(f.Found))
	for _, k := range f.Filled {
		s += "; item " + strconv.Itoa(k.Index) + " got " + k.Name + "=" + value.ToString(data.Shown(k.Value)) + " from the schema default"
	}
	return s + ")"
}

// Brief returns v as JSON on one line, cut off after 80 bytes. If v cannot be written as JSON, for
// example because it is NaN, Brief uses value.ToString instead.
func Brief(v value.Value) string {
	const maxBytes = 80
	text := value.ToString(v)
	if document, err := value.ToJSON(v); err == nil {
		text = string(document)
	}
	if len(text) <= maxBytes {
		return text
	}
	return strings.ToValidUTF8(text[:maxBytes], "") + "…"
}
