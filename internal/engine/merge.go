// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"maps"

	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// Merged is the result of Merge.
type Merged struct {
	// Value is the merged value.
	Value any
	// Empty says that nothing is left, not even a null.
	Empty bool
	// Changed says that Value is not the left value to the last bit. It is only
	// told with MergeOptions.Share.
	Changed bool
}

// MergeOptions say what is known of the values that are merged.
type MergeOptions struct {
	// LeftValid says that the left value is known to be valid, RightValid that
	// the right one is, and free of duplicates. What is known to be valid and
	// is on one side only is not walked.
	LeftValid, RightValid bool
	// LeftUnique says that the left value is known to be valid, and that no two
	// items of its lists share an identity.
	LeftUnique bool
	// Share makes the result share with its inputs all that the merge leaves
	// alone. Otherwise its containers are new wherever they are more than one
	// leaf, see Untie.
	Share bool
	// CloneLeft and CloneRight say from which side leaves are copied too,
	// without Share.
	CloneLeft, CloneRight bool
	// UntieRight copies what the result has from the right side only, with
	// Share: then it shares with the left side alone, but for leaves.
	UntieRight bool
}

// Merge lays right, an applied configuration, over left, both values of type
// n. Leaves of right win; items of lists are paired by identity and take the
// order of right where both sides have them. With declarative defaults, what
// right means to be as it is in left stays as left has it written.
func Merge(n *graph.Node, left, right any, opts MergeOptions) (Merged, diag.Findings) {
	w := newWalker()
	defer w.done()
	m := merger{w: w, MergeOptions: opts}
	out := m.both(n, left, right)
	if m.wrong != nil {
		return Merged{}, m.wrong
	}
	return out, nil
}

// MergeOne merges a value with none at all.
func MergeOne(n *graph.Node, v any, right bool, opts MergeOptions) (Merged, diag.Findings) {
	w := newWalker()
	defer w.done()
	m := merger{w: w, MergeOptions: opts}
	out := m.one(n, v, right)
	if m.wrong != nil {
		return Merged{}, m.wrong
	}
	return out, nil
}

type merger struct {
	w *walker
	MergeOptions
	// wrong is what was found; paths are put in front of what was added since
	// a mark, see under.
	wrong diag.Findings
}

// under puts prefix in front of what was found since the mark.
func (m *merger) under(mark int, prefix func() string) {
	if len(m.wrong) > mark {
		m.wrong[mark:].Prefix(prefix())
	}
}

// one takes v, which the other side lacks. Its value stays as it is; it is
// walked for what is wrong with it.
func (m *merger) one(n *graph.Node, v any, right bool) Merged {
	if right && !m.RightValid || !right && !m.LeftValid {
		m.check(n, v, right)
	}
	if right && n.Declarative {
		v = withoutNulls(n, v)
	}
	if !m.Share {
		v = Untie(n, v, right && m.CloneRight || !right && m.CloneLeft)
	} else if right && m.UntieRight {
		v = Untie(n, v, false)
	}
	return Merged{Value: v, Changed: right}
}

func (m *merger) check(n *graph.Node, v any, right bool) {
	if n.Missing {
		m.wrong = append(m.wrong, noType(n)...)
		return
	}
	switch kindFor(n, v) {
	case graph.MapKind:
		if x := asMap(v); !n.Map.Atomic && len(x) > 0 {
			var wrong []diag.Under
			for name, c := range x {
				if fs := m.apart(func() { m.check(n.Map.At(name), c, right) }); fs != nil {
					wrong = append(wrong, diag.Under{Name: name, Findings: fs.Prefix("." + name)})
				}
			}
			m.wrong = append(m.wrong, diag.Join(wrong)...)
		}
	case graph.ListKind:
		if x := asList(v); n.List.Relation != graph.Atomic && len(x) > 0 {
			if !m.indexable(n.List, x, right) {
				return
			}
			for _, c := range x {
				mark := len(m.wrong)
				m.check(n.List.Item, c, right)
				m.under(mark, func() string { return m.w.element(n.List, c).String() })
			}
		}
	case 0:
		m.wrong = append(m.wrong, noKind(n)...)
	}
}

// apart runs f and returns what it found wrong.
func (m *merger) apart(f func()) diag.Findings {
	before := m.wrong
	m.wrong = nil
	f()
	found := m.wrong
	m.wrong = before
	return found
}

// both merges two values. Where they are read as different kinds, the right
// one's kind counts.
func (m *merger) both(n *graph.Node, x, y any) Merged {
	if n.Missing {
		m.wrong = append(m.wrong, noType(n)...)
		return Merged{}
	}
	left, right := kindsFor(n, classOf(x)), kindsFor(n, classOf(y))
	if left != right {
		m.kind(n, first(left), x, y)
	}
	return m.kind(n, first(right), x, y)
}

func (m *merger) kind(n *graph.Node, k graph.Kinds, x, y any) Merged {
	switch k {
	case graph.MapKind:
		a, b := asMap(x), asMap(y)
		if n.Map.Atomic {
			return m.leaf(n, x, y)
		}
		if yields(n, x, y) {
			return Merged{Value: map[string]any{}, Changed: !m.Share}
		}
		if len(a) == 0 && len(b) == 0 {
			if hasOddKeys(x) {
				x = a
			}
			if hasOddKeys(y) {
				y = b
			}
			return m.leaf(n, x, y)
		}
		return m.maps(n.Map, x, a, b)
	case graph.ScalarKind:
		left, right := checkScalar(n, x, "lhs: "), checkScalar(n, y, "rhs: ")
		if left != nil && right != nil {
			m.wrong = append(append(m.wrong, left...), right...)
			return Merged{}
		}
		return m.leaf(n, x, y)
	case graph.ListKind:
		a, b := asList(x), asList(y)
		if yields(n, x, y) {
			return Merged{Value: []any{}, Changed: !m.Share}
		}
		if n.List.Relation == graph.Atomic || len(a) == 0 && len(b) == 0 {
			return m.leaf(n, x, y)
		}
		return m.lists(n.List, x, a, b)
	}
	m.wrong = append(m.wrong, noKind(n)...)
	return Merged{}
}

// yields says whether y is a null that leaves x, an empty map or list, as it is, as it
// does one that is not empty: what becomes of it if nobody else has it, see Nulled.
func yields(n *graph.Node, x, y any) bool {
	return n.Declarative && y == nil && (isEmptyMap(x) && n.Map != nil && !n.Map.Atomic || isEmptyList(x) && n.List != nil && n.List.Relation == graph.Associative)
}

func (m *merger) leaf(n *graph.Node, x, y any) Merged {
	if m.Share && identical(x, y) || n.Declarative && equivalent(n, nil, x, true, y, true) {
		if m.CloneLeft {
			x = Clone(x)
		}
		return Merged{Value: x}
	}
	if m.CloneRight {
		y = Clone(y)
	} else if !m.Share {
		y = Untie(n, y, false) // an empty map, which is no leaf to who writes to it
	}
	return Merged{Value: y, Changed: true}
}

// maps merges the entries b into those of x, which are a. With Share, the
// result is x itself if nothing changes.
func (m *merger) maps(t *graph.Map, x any, a, b map[string]any) Merged {
	out := a
	changed := !m.Share || classOf(x) != mapping
	own := false
	copied := func() {
		own = true
		if out = maps.Clone(a); out == nil {
			out = make(map[string]any, len(b))
		}
	}
	put := func(name string, r Merged) {
		if !own {
			copied()
		}
		changed = true
		if r.Empty {
			delete(out, name)
		} else {
			out[name] = r.Value
		}
	}
	var wrong []diag.Under
	passed := false // whether a null was passed over
	before := m.wrong
	note := func(name string) {
		if m.wrong != nil {
			wrong = append(wrong, diag.Under{Name: name, Findings: m.wrong.Prefix("." + name)})
			m.wrong = nil
		}
	}
	m.wrong = nil
	if !m.Share {
		copied()
	}
	shared := 0 // how many names are on both sides
	for name, u := range b {
		v, ok := a[name]
		if ok {
			shared++
		}
		if ok && m.LeftValid && m.RightValid && sameScalar(v, u) {
			continue
		}
		field := t.At(name)
		if u == nil && field.Declarative && !nullable(field) {
			if nullLeaves(t, name, v, ok) {
				if !m.Share && ok {
					out[name] = Untie(field, v, m.CloneLeft)
				}
				passed = true
				continue
			}
			// The null stands for the default, and is not stored.
			u, _ = nullMeans(t, name)
			u = Clone(u)
		}
		var r Merged
		if ok {
			r = m.both(field, v, u)
		} else {
			r = m.one(field, u, true)
		}
		note(name)
		if r.Changed || r.Empty || !m.Share {
			put(name, r)
		}
	}
	if shared < len(a) && !(m.LeftValid && m.Share) {
		for name, v := range a {
			if m.LeftValid && isScalar(v) {
				continue
			}
			if _, ok := b[name]; ok {
				continue
			}
			if !m.LeftValid {
				m.check(t.At(name), v, false)
				note(name)
			}
			if !m.Share && !isScalar(v) {
				out[name] = Untie(t.At(name), v, m.CloneLeft)
			}
		}
	}
	m.wrong = append(before, diag.Join(wrong)...)
	if !changed {
		return Merged{Value: x}
	}
	if len(out) == 0 && len(a) == 0 && passed {
		// What was applied is empty but for nulls.
		return Merged{Value: map[string]any{}, Changed: true}
	}
	return Merged{Value: out, Empty: len(out) == 0, Changed: true}
}

// nullLeaves says whether a null, which is no value of the field of that name,
// leaves the field's value v as it is: either there is no default that it could
// stand for, or v stands for the same.
func nullLeaves(m *graph.Map, name string, v any, present bool) bool {
	return saysNothing(m, name) || equivalentField(m, name, nil, v, present)
}
