// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"maps"

	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/item"
)

// Merged is the result of Merge.
type Merged struct {
	// Value is the merged value.
	Value any
	// Absent is true if the merge produces no value, not even null or an empty container. The
	// parent then omits the field or item. structured-merge-diff has this result, so the code handles
	// it. The rules of Merge never produce it.
	Absent bool
	// If Changed is false, Value equals the left value, but can be a new map or list if the left value is
	// empty. If Changed is true, Value can also equal the left value, for example if 1.0 replaces 1.
	// Changed has a meaning only with MergeOptions.Share.
	Changed bool
}

// MergeOptions describes the two values to merge, and which parts of the result the caller
// may modify.
type MergeOptions struct {
	// LeftValid means that the left value is valid. It saves the checks of the left value.
	LeftValid bool
	// LeftUnique means that no list of the left value has two items with the same identity. It saves the
	// search for such items. LeftUnique requires LeftValid.
	LeftUnique bool
	// RightValidUnique means that the right value is valid, and that none of its lists has two items with
	// the same identity. It saves all checks of the right value.
	RightValidUnique bool
	// Share makes the result share all unchanged parts with the two values. Without Share, all
	// maps and lists of the result are new, except atomic maps and lists, and empty lists (see
	// data.Copy).
	Share bool
	// CloneLeft and CloneRight make the merge copy everything that the result takes from the left or
	// right value, including leaves such as atomic lists. Set them only if Share is false.
	CloneLeft, CloneRight bool
	// UnshareRight can be set together with Share. The merge then copies the parts that it takes
	// from the right value, so that the result shares only scalars, atomic containers and empty
	// lists with the right value. If Unconverted is also set, the merge may replace leaves of the
	// left value with equal leaves that are already converted. Set both only if nothing else uses
	// the left value.
	UnshareRight bool
	// Unconverted is true if the values may contain atomic lists and strings that are not yet
	// converted from Go values (see goleaf.go in package data).
	Unconverted bool
}

// Merge applies right, an applied configuration, to left. Both are values of type n. The rules
// are:
//
//   - Leaves of right replace leaves of left.
//   - If the kinds of two values differ, the value of right replaces the value of left. For example,
//     {} replaces ["a"]. A null has the first kind that the type allows, in the order map, scalar,
//     list.
//   - If two maps or lists have the same kind, fields and items that only left has are not removed.
//     For example, a null, {} or [] in right does not change a map or list in left that is neither
//     empty nor atomic.
//   - List items are paired by identity, and items in both lists take the order of right. If left
//     has several items with the same identity, an item of right replaces them all.
//
// With declarative defaults, there are three more rules:
//
//   - A leaf of left stays if the leaf of right is equivalent to it.
//   - A null in a field that is not nullable means the default of the field. The field stays as it
//     is if it already means its default, because its value is equivalent to the default, or
//     because it is declared and absent. If there is no default, the null has no effect.
//   - A null replaces an empty map or list in left only if the map or list is atomic (see
//     ApplyNulls).
//
// Merge does not validate its arguments. It returns findings only for faults that make a merge
// impossible, for example an item without an identity.
func Merge(n *graph.Node, left, right any, opts MergeOptions) (Merged, diag.Findings) {
	w := newWorkspace()
	defer w.done()
	mg := merger{w: w, MergeOptions: opts}
	out := mg.merge(n, left, right)
	if mg.findings != nil {
		return Merged{}, mg.findings
	}
	return out, nil
}

// MergeWithAbsent returns the result of a merge in which one of the two values is absent. v is
// the right value if isRight is true, and otherwise the left value.
func MergeWithAbsent(n *graph.Node, v any, isRight bool, opts MergeOptions) (Merged, diag.Findings) {
	w := newWorkspace()
	defer w.done()
	mg := merger{w: w, MergeOptions: opts}
	out := mg.oneSided(n, v, isRight)
	if mg.findings != nil {
		return Merged{}, mg.findings
	}
	return out, nil
}

// merger does the work of Merge and MergeWithAbsent.
type merger struct {
	w *workspace
	MergeOptions
	// findings has the errors so far. Their paths begin at the current value. When the walk returns
	// to the parent, addFieldFindings adds the name of a field, and prefixFindings adds the path
	// element of an item.
	findings diag.Findings
}

// prefixFindings puts a prefix in front of the paths of all findings with index mark or
// higher.
func (mg *merger) prefixFindings(mark int, prefix func() string) {
	if len(mg.findings) > mark {
		mg.findings[mark:].Prefix(prefix())
	}
}

// oneSided returns the result for v, a value that only the left or only the right side of the merge
// has. It checks v and copies v if the options require this. With declarative defaults, it also
// resolves the nulls in a right value (see resolveNulls).
func (mg *merger) oneSided(n *graph.Node, v any, isRight bool) Merged {
	if isRight && !mg.RightValidUnique || !isRight && !mg.LeftValid {
		mg.checkOneSided(n, v, isRight)
	}
	if isRight && n.Declarative {
		v = resolveNulls(n, v, true)
	}
	if !mg.Share {
		v = data.Copy(n, v, isRight && mg.CloneRight || !isRight && mg.CloneLeft)
	} else if isRight && mg.UnshareRight {
		v = data.Copy(n, v, false)
	}
	return Merged{Value: v, Changed: isRight}
}

// checkOneSided adds findings about v, a value that only the left or only the right side of the
// merge has. It finds only faults that a merge must reject: types that do not exist, fields that
// the type does not allow, items without an identity and, on the right side, duplicates. It does
// not find values of the wrong type, such as a string in place of a map.
func (mg *merger) checkOneSided(n *graph.Node, v any, isRight bool) {
	if n.Missing {
		mg.findings = append(mg.findings, data.NoType(n)...)
		return
	}
	switch data.KindFor(n, v) {
	case graph.MapKind:
		if x := data.AsMap(v); !n.Map.Atomic && len(x) > 0 {
			var findings []diag.ChildFindings
			before := mg.findings
			for name, c := range x {
				mg.findings = nil
				mg.checkOneSided(n.Map.At(name), c, isRight)
				findings = addFieldFindings(findings, name, mg.findings)
			}
			mg.findings = append(before, diag.Join(findings)...)
		}
	case graph.ListKind:
		if x := data.AsList(v); !n.List.IsAtomic() && len(x) > 0 {
			if !mg.checkIdentities(n.List, x, isRight) {
				return
			}
			for _, c := range x {
				mark := len(mg.findings)
				mg.checkOneSided(n.List.Item, c, isRight)
				mg.prefixFindings(mark, func() string { return mg.w.Element(n.List, c).String() })
			}
		}
	case 0:
		mg.findings = append(mg.findings, data.NoKind(n)...)
	}
}

// merge merges two values. If they are of different kinds, the right value decides: both are merged
// as values of its kind. merge also merges them as values of the left value's kind, but only for
// the findings, because structured-merge-diff reports the findings of both merges.
func (mg *merger) merge(n *graph.Node, x, y any) Merged {
	if n.Missing {
		mg.findings = append(mg.findings, data.NoType(n)...)
		return Merged{}
	}
	leftKinds, rightKinds := data.KindsFor(n, data.ClassOf(x)), data.KindsFor(n, data.ClassOf(y))
	if leftKinds != rightKinds {
		mg.mergeAs(n, data.FirstKind(leftKinds), x, y) // only for the findings
	}
	return mg.mergeAs(n, data.FirstKind(rightKinds), x, y)
}

// mergeAs merges two values as values of the given kind.
func (mg *merger) mergeAs(n *graph.Node, kind graph.Kinds, x, y any) Merged {
	switch kind {
	case graph.MapKind:
		a, b := data.AsMap(x), data.AsMap(y)
		if n.Map.Atomic {
			return mg.mergeLeaf(n, x, y)
		}
		if empty, ok := nullKeepsEmpty(n, x, y); ok {
			return Merged{Value: empty, Changed: !mg.Share}
		}
		if len(a) == 0 && len(b) == 0 {
			// A map[any]any in which no key is a string counts as empty, so use the empty map instead.
			if data.HasOnlyOddKeys(x) {
				x = a
			}
			if data.HasOnlyOddKeys(y) {
				y = b
			}
			return mg.mergeLeaf(n, x, y)
		}
		return mg.mergeMaps(n.Map, x, a, b)
	case graph.ScalarKind:
		leftFindings, rightFindings := data.CheckScalar(n, x, "lhs: "), data.CheckScalar(n, y, "rhs: ")
		// Like structured-merge-diff, return findings only if neither value is a valid scalar. It is
		// normal that one of the values is not a scalar, because a scalar may replace a map or list.
		if leftFindings != nil && rightFindings != nil {
			mg.findings = append(append(mg.findings, leftFindings...), rightFindings...)
			return Merged{}
		}
		return mg.mergeLeaf(n, x, y)
	case graph.ListKind:
		a, b := data.AsList(x), data.AsList(y)
		if empty, ok := nullKeepsEmpty(n, x, y); ok {
			return Merged{Value: empty, Changed: !mg.Share}
		}
		if n.List.IsAtomic() || len(a) == 0 && len(b) == 0 {
			return mg.mergeLeaf(n, x, y)
		}
		return mg.mergeLists(n.List, x, a, b)
	}
	mg.findings = append(mg.findings, data.NoKind(n)...)
	return Merged{}
}

// nullKeepsEmpty reports whether the left value x is an empty map or list that stays, although the
// right value y is null. It then also returns a new value that equals x. With declarative defaults,
// the merge itself replaces no granular map and no associative list with null, because ApplyNulls
// decides about them later.
func nullKeepsEmpty(n *graph.Node, x, y any) (empty any, ok bool) {
	switch {
	case !n.Declarative || y != nil:
	case data.IsEmptyMap(x) && n.Map != nil && !n.Map.Atomic:
		return map[string]any{}, true
	case data.IsEmptyList(x) && n.List != nil && n.List.IsAssociative():
		return []any{}, true
	}
	return nil, false
}

// mergeLeaf returns the right leaf y as the result, except in two cases. If Share is set and the
// leaves are identical, it returns the left leaf x as unchanged. With declarative defaults, it also
// returns x as unchanged if the leaves are equivalent. If the options require it, the result is a
// copy.
func (mg *merger) mergeLeaf(n *graph.Node, x, y any) Merged {
	if mg.Share && mg.shareIdenticalLeaf(x, y) || n.Declarative && data.Equivalent(n, x, y) {
		return Merged{Value: mg.copyLeaf(n, x, mg.CloneLeft)}
	}
	if mg.UnshareRight {
		return Merged{Value: data.Copy(n, y, false), Changed: true}
	}
	return Merged{Value: mg.copyLeaf(n, y, mg.CloneRight), Changed: true}
}

// copyLeaf returns the leaf v in the form in which it can be part of the result. If clone is true,
// it returns a deep copy. If clone is false and Share is set, it returns v itself. Otherwise, it
// returns a copy that shares only scalars, atomic containers and empty lists with v.
func (mg *merger) copyLeaf(n *graph.Node, v any, clone bool) any {
	switch {
	case clone:
		return data.Clone(v)
	case mg.Share:
		return v
	}
	return data.Copy(n, v, false)
}

// shareIdenticalLeaf reports whether two leaves are identical, so that the result can share the left
// leaf. If the left leaf is not converted yet, and UnshareRight is set, shareIdenticalLeaf also stores
// the right leaf in it as its converted form.
func (mg *merger) shareIdenticalLeaf(x, y any) bool {
	if !mg.Unconverted {
		return data.Identical(x, y)
	}
	if !data.IdenticalBranches(x, y) {
		return false
	}
	if mg.UnshareRight {
		data.SetLeaf(x, y) // may change the left leaf, because nothing else uses it (see UnshareRight)
	}
	return true
}

// mergeMaps merges the right map into the left map x. a and b are the entries of the left and the
// right map. If Share is set and nothing changes, the result is x itself.
func (mg *merger) mergeMaps(m *graph.Map, x any, a, b map[string]any) Merged {
	z := mapMerge{m: m, a: a, b: b}
	// If the left map has entries and Share is set, the result starts as the left map itself, which
	// EditedMap copies before the first change. Otherwise, it starts as a new map. If x is not a map,
	// the result is never x, so it counts as changed.
	z.out = data.EditedMap{Map: a, Own: !mg.Share || len(a) == 0, Changed: !mg.Share || data.ClassOf(x) != data.Mapping}
	if len(a) == 0 {
		z.out.Map = make(map[string]any, len(b))
	} else if z.out.Own {
		z.out.Map = maps.Clone(a)
	}
	before := mg.findings
	mg.findings = nil
	common := mg.mergeFields(&z)
	if common < len(a) && !(mg.LeftValid && mg.Share) {
		mg.keepFields(&z)
	}
	mg.findings = append(before, diag.Join(z.findings)...)
	return z.result(x)
}

// mapMerge is the state of merging two maps: a, the left map, and b, the right map. It has no
// pointer to the merger, because such a pointer would move the merger to the heap.
type mapMerge struct {
	m        *graph.Map
	a, b     map[string]any
	out      data.EditedMap
	findings []diag.ChildFindings
	// nullIgnored is true if the right map has a null that had no effect.
	nullIgnored bool
}

// mergeFields merges the fields of the right map into the result. It returns the number of fields
// that both maps have.
func (mg *merger) mergeFields(z *mapMerge) (common int) {
	for name, u := range z.b {
		v, present := z.a[name]
		if present {
			common++
			if mg.LeftValid && mg.RightValidUnique && (mg.Share || !isLong(u)) && data.SameScalar(v, u) {
				continue
			}
		}
		mg.mergeField(z, name, v, u, present)
	}
	return common
}

// mergeField merges one field of the right map into the result. v is the left value of the field,
// and u is the right value. present is false if the left map does not have the field.
func (mg *merger) mergeField(z *mapMerge, name string, v, u any, present bool) {
	field := z.m.At(name)
	if u == nil && field.Declarative && !data.Nullable(field) {
		if nullKeepsValue(z.m, name, v, present) {
			if !mg.Share && present {
				z.out.Put(name, data.Copy(field, v, mg.CloneLeft))
			}
			z.nullIgnored = true
			return
		}
		// The null stands for the default, so merge a copy of the default.
		u, _ = data.NullValue(z.m, name)
		u = data.Clone(u)
	}
	var r Merged
	if present {
		r = mg.merge(field, v, u)
	} else {
		r = mg.oneSided(field, u, true)
	}
	mg.collectFieldFindings(z, name)
	switch {
	case r.Absent:
		z.out.Delete(name)
	case r.Changed || !mg.Share:
		z.out.Put(name, r.Value)
	}
}

// keepFields handles the fields that only the left map has. It checks or copies them if the options
// require it.
func (mg *merger) keepFields(z *mapMerge) {
	for name, v := range z.a {
		if mg.LeftValid && data.IsScalar(v) {
			continue
		}
		if _, ok := z.b[name]; ok {
			continue
		}
		if !mg.LeftValid {
			mg.checkOneSided(z.m.At(name), v, false)
			mg.collectFieldFindings(z, name)
		}
		if !mg.Share && !data.IsScalar(v) {
			z.out.Put(name, data.Copy(z.m.At(name), v, mg.CloneLeft))
		}
	}
}

// collectFieldFindings moves the findings about the field with the given name from mg to z.
func (mg *merger) collectFieldFindings(z *mapMerge, name string) {
	z.findings = addFieldFindings(z.findings, name, mg.findings)
	mg.findings = nil
}

// result returns the merged map, or x if nothing changed. The merged map is empty if the left map
// has no fields and all nulls of the right map were ignored. If the merged map has no fields for
// another reason, result reports it as absent, as structured-merge-diff does. This never happens
// (see Merged.Absent).
func (z *mapMerge) result(x any) Merged {
	switch {
	case !z.out.Changed:
		return Merged{Value: x}
	case len(z.out.Map) == 0 && len(z.a) == 0 && z.nullIgnored:
		// The map on the right has only nulls, which were ignored. So the result is an empty map.
		return Merged{Value: map[string]any{}, Changed: true}
	}
	return Merged{Value: z.out.Map, Absent: len(z.out.Map) == 0, Changed: true}
}

// isLong reports whether v is a long string. Without Share, the result may take the right string,
// and this is cheaper than comparing long strings. With Share, they must be compared.
func isLong(v any) bool {
	s, ok := v.(string)
	return ok && len(s) > 1<<7
}

// nullKeepsValue reports whether an applied null leaves a field unchanged. It expects a field that
// is not nullable. Such a field stays unchanged if it has no default, or if it already means its
// default: its value v is equivalent to the default, or it is declared and absent. If it is absent
// and not declared, the null stores the default.
func nullKeepsValue(m *graph.Map, name string, v any, present bool) bool {
	return data.NullIsAbsent(m, name) || data.EquivalentField(m, name, nil, v, present)
}

// mergeLists merges the items of the right list into the left list x. Items of the right list keep
// their order. An item that only the left list has stays behind its predecessor, unless the right
// list moves the predecessor (see mergeItems):
//
//	left     [1 2 3 4]
//	right    [3 5 1]
//	result   [2 3 4 5 1]
//
// If Share is set and nothing changes, mergeLists returns x itself. If the result has no items,
// mergeLists reports it as absent, as structured-merge-diff does. This never happens (see
// Merged.Absent).
func (mg *merger) mergeLists(l *graph.List, x any, a, b []any) Merged {
	ok := mg.RightValidUnique || mg.checkIdentities(l, b, true)
	if !mg.LeftValid {
		ok = mg.checkIdentities(l, a, false) && ok
	}
	if !ok {
		return Merged{}
	}
	ints := mg.w.IntScratch.Len()
	z := listMerge{l: l, p: mg.w.Pair(l, a, b, item.PairFacts{LeftUnique: mg.LeftUnique, RightIdentified: mg.RightValidUnique}), a: a, b: b}
	z.used = mg.w.IntScratch.Zeros(z.p.NumIdentities)
	mg.mergeItems(&z)
	mg.w.IntScratch.Pop(ints)
	if mg.Share && !z.diverged && len(a) == z.prefix && x != nil {
		return Merged{Value: x}
	}
	if !z.diverged {
		z.out = append([]any(nil), a[:z.prefix]...)
	}
	return Merged{Value: z.out, Absent: len(z.out) == 0, Changed: true}
}

// listMerge is the state of merging two lists: a, the left list, and b, the right list. With Share,
// prefix is the number of items in the result, as long as the result equals the start of the left
// list. At the first difference, diverged becomes true, and from then on out has the result.
// Without Share, diverged becomes true at the first item. listMerge has no pointer to the merger,
// because such a pointer would move the merger to the heap.
type listMerge struct {
	l    *graph.List
	p    item.Pairing // pairs the items of a and b
	a, b []any
	used []int32 // for each identity, by number: 1 if the result has the item

	out      []any
	diverged bool
	prefix   int

	next int // index in b of the next item that both lists have; len(b) if there is none
}

// mergeItems walks both lists in parallel and builds the result.
//
// The walk over the right list appends every item. The walk over the left list appends the items
// that only this list has. When the walk over the left list reaches an item that both lists have,
// there are two cases. If the same item is the next common item of the right list (z.next), the
// left walk waits until the right walk has appended it. If not, the left walk skips the item,
// because the right list decides its place.
func (mg *merger) mergeItems(z *listMerge) {
	z.next = -1
	z.advance()
	i, j := 0, 0
	for i < len(z.a) || j < len(z.b) {
		if i < len(z.a) && j < len(z.b) {
			if z.p.LeftNumber[i] == z.p.RightNumber[j] {
				mg.mergeRight(z, j)
				i, j = i+1, j+1
				z.advance()
				continue
			}
			// This item is not the next common item of the right list, which decides its place.
			if z.inBoth(i) && z.next < len(z.b) && z.p.RightNumber[z.next] != z.p.LeftNumber[i] {
				i++
				continue
			}
		}
		if i < len(z.a) {
			if !z.inBoth(i) {
				mg.keepLeft(z, i)
				i++
				continue
			}
			if z.used[z.p.LeftNumber[i]] != 0 {
				i++ // the item is already in the result
			}
		}
		if j < len(z.b) {
			mg.mergeRight(z, j)
			if z.next < len(z.b) && z.p.RightNumber[z.next] == z.p.RightNumber[j] {
				z.advance()
			}
			j++
		}
	}
}

// inBoth reports whether the right list also has item i of the left list.
func (z *listMerge) inBoth(i int) bool { return z.p.RightCount[z.p.LeftNumber[i]] > 0 }

// advance moves next to the next item of the right list that the left list also has.
func (z *listMerge) advance() {
	if z.next >= len(z.b) {
		return
	}
	for z.next++; z.next < len(z.b) && z.p.LeftCount[z.p.RightNumber[z.next]] == 0; z.next++ {
	}
}

// keepLeft appends item i of the left list, which the right list does not have, to the result.
func (mg *merger) keepLeft(z *listMerge, i int) {
	mark := len(mg.findings)
	r := mg.oneSided(z.l.Item, z.a[i], false)
	mg.prefixFindings(mark, func() string { return mg.w.Element(z.l, z.a[i]).String() })
	z.append(i, r, mg.Share)
}

// mergeRight merges item j of the right list with the left item that has the same identity, and
// appends the result. If there are several such left items, it merges item j with null instead, and
// the result replaces all of them. It ignores keys of item j that count as missing because they are
// zero (see item.WithoutZeroKeys). Null keys stay, and are merged like other nulls.
func (mg *merger) mergeRight(z *listMerge, j int) {
	number := z.p.RightNumber[j]
	z.used[number] = 1
	mark := len(mg.findings)
	right := item.WithoutZeroKeys(z.l, z.b[j])
	var r Merged
	i := -1 // the index of the left item that is merged
	switch z.p.LeftCount[number] {
	case 0:
		r = mg.oneSided(z.l.Item, right, true)
	case 1:
		i = int(z.p.FirstLeft[number])
		r = mg.merge(z.l.Item, z.a[i], right)
	default:
		r = mg.merge(z.l.Item, nil, right)
		r.Changed = true
	}
	mg.prefixFindings(mark, func() string { return mg.w.Element(z.l, z.b[j]).String() })
	z.append(i, r, mg.Share)
}

// append appends r to the result. i is the index of the left item from which r was merged, or -1 if
// there is none. share is the option Share.
func (z *listMerge) append(i int, r Merged, share bool) {
	if !z.diverged {
		if share && i == z.prefix && !r.Changed && !r.Absent {
			z.prefix++
			return
		}
		z.diverged = true
		z.out = make([]any, z.prefix, max(len(z.a), len(z.b)))
		copy(z.out, z.a)
	}
	if !r.Absent {
		z.out = append(z.out, r.Value)
	}
}

// checkIdentities adds a finding for each item of x that has no identity. If reportDuplicates is
// true, it also adds a finding for each duplicate. It returns true if it added no finding.
func (mg *merger) checkIdentities(l *graph.List, x []any, reportDuplicates bool) bool {
	findings := mg.w.identityFindings(l, x, reportDuplicates)
	mg.findings = append(mg.findings, findings...)
	return findings == nil
}

// identityFindings returns a finding for each item that has no identity. If reportDuplicates is
// true, it also returns a finding for each item with the same identity as an earlier item.
func (w *workspace) identityFindings(l *graph.List, x []any, reportDuplicates bool) (findings diag.Findings) {
	ints := w.IntScratch.Len()
	p := w.Pair(l, x, nil, item.PairFacts{})
	for i, it := range x {
		number := p.LeftNumber[i]
		if number < 0 {
			findings = append(findings, missingIdentity(l, i, it)...)
		} else if reportDuplicates && int(p.FirstLeft[number]) < i {
			findings = append(findings, diag.Newf(diag.Duplicate, "duplicate entries for key %v", w.Element(l, it).String())...)
		}
	}
	w.IntScratch.Pop(ints)
	return findings
}
