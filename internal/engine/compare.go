// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/box"
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/item"
	"github.com/dovetail-ssa/dovetail/value"
)

// Differences lists how a right value differs from a left value. Removed has the paths that only
// the left value has. Added has the paths that only the right value has. Modified has the leaves
// with different values. Unlike field sets, Removed and Added also have the path of each map or
// list that only one value has, even if the map or list is not empty. If a list has several items
// with the same identity, their path can be in Removed and in Added (see compareItem). None of the
// sets is nil.
type Differences struct {
	Removed, Modified, Added *fieldpath.Set
}

// Compare returns the differences between left and right, two values of type n. The parameter facts
// must be true for both values. If it includes Valid, Compare saves time by skipping equal parts.
// If Compare returns findings, out is nil.
//
// All sets in out may be empty although the values differ: a difference of the root itself has no
// path, and the order of items in associative lists does not matter.
//
// If rulesProven is true, an update from left to right breaks no transition rule, even if both
// values are first pruned and defaulted. If it is false, this is unknown, and the caller must call
// transition.Check. For types without transition rules, it is always false.
func Compare(n *graph.Node, left, right any, facts Facts) (out *Differences, rulesProven bool, findings diag.Findings) {
	return CompareWithOrigins(n, left, right, facts, nil, nil)
}

// Origin is the Go value from which plain data was converted. It can compare leaves more exactly than
// the plain data allows.
type Origin interface {
	// Equal reports whether the values left and right are equal. The receiver is the origin of left,
	// and the argument other is the origin of right.
	Equal(left, right any, other Origin) bool
}

// CompareWithOrigins does the same as Compare for values that may have an Origin. Both origins
// must be nil, or both must be set and have the same type.
func CompareWithOrigins(n *graph.Node, left, right any, facts Facts, leftOrigin, rightOrigin Origin) (out *Differences, rulesProven bool, findings diag.Findings) {
	w := newWorkspace()
	cr := newComparer(w, n, facts)
	cr.leftOrigin, cr.rightOrigin = leftOrigin, rightOrigin
	differs, findings := cr.compare(n, left, right)
	rulesProven = cr.canProveRules && findings == nil && !(differs && cr.lastChange().touchesRule(n))
	out = cr.differences(findings)
	w.done()
	return out, rulesProven, findings
}

// comparer compares two values recursively. Its walk allocates nothing for equal values without a
// map[any]any.
//
// A method that finds a difference pushes exactly one change onto workspace.changes and returns
// true. Its caller then sets the path element of this change. At the end of each container, the
// changes of its fields or items are combined into one change of the container.
type comparer struct {
	w *workspace
	// valid is true if the facts include Valid. The walk then skips equal parts.
	valid bool
	// pairFacts has the facts that are known about every pair of lists that the walk compares.
	pairFacts item.PairFacts
	// listDepth is the number of nested lists around the current values.
	listDepth int
	// canProveRules is true until the walk finds something that touchesRule cannot see. touchesRule
	// cannot see a different order of items, items with the same identity, a map[any]any, or a null
	// in place of a map. It also cannot see values that are equal but not equal as stored. For
	// example, a large integer equals the float to which it rounds, but is stored differently. With
	// declarative defaults, it cannot see a null or an absent field that equals a default on the
	// other side. canProveRules is always false for types without transition rules.
	//
	// If it is still true at the end of the walk, and touchesRule returns false for the change of the
	// root, an update from the left value to the right one breaks no transition rule. The caller then
	// needs no separate check.
	canProveRules bool
	// rightValidator validates the parts of the right value that differ from the left value (see
	// ValidateAndCompare). In a map, it validates each field that differs. It validates a whole list before
	// the walk compares the items, and is nil inside the list. It is also nil if the right value needs
	// no validation.
	rightValidator *validator
	// leftOrigin and rightOrigin are the origins of the two values, if comparing leaves needs
	// them. See CompareWithOrigins.
	leftOrigin, rightOrigin Origin
	out                     *Differences // out is nil until there is a difference
}

// newComparer returns a comparer of values of type n. The facts must be true for both values. If
// the comparer will have a rightValidator, the facts need to be true only for the left value. The
// walk then validates each part of the right value before it relies on the facts.
func newComparer(w *workspace, n *graph.Node, facts Facts) comparer {
	valid, unique := facts&Valid != 0, facts&Unique != 0
	return comparer{w: w, valid: valid, pairFacts: item.PairFacts{LeftUnique: valid && unique, RightIdentified: valid}, canProveRules: n.HasTransitions}
}

// way is one of the three ways in which an element can differ. It is an array index, and a bit
// number in change.ways. For example, 1<<removed is the bit for a removed element.
type way uint8

const (
	removed way = iota
	modified
	added
	numWays
)

// change describes how one element of a container differs. The field ways has one bit for each way
// in which the element itself differs: removed, modified or added. For each of these three ways,
// the field below has the set of the paths inside the element that differ. The set is nil if there
// are no such paths.
type change struct {
	pe    fieldpath.PathElement
	ways  uint8
	below [numWays]*fieldpath.Set
}

// noDifferences is a Differences with empty sets, in one allocation.
type noDifferences struct {
	Differences
	sets [numWays]fieldpath.Set
}

// fewDifferences is the memory for a small result, in one allocation: a Differences, and a single
// path of up to four elements. The first push gives this memory to the slabs. For larger results,
// the slabs allocate more.
type fewDifferences struct {
	Differences
	sets     [6]fieldpath.Set // one for each element of the path, and two empty ones
	nodes    [3]fieldpath.SetNode
	elements [1]fieldpath.PathElement
	names    [1]string
}

// push adds a change for an element to workspace.changes. ways has one bit for each way in
// which the element itself differs. The first call also allocates the result, with room for a
// single difference.
func (cr *comparer) push(ways uint8) {
	w := cr.w
	if cr.out == nil {
		few := new(fewDifferences)
		cr.out = &few.Differences
		w.sets.Use(few.sets[:])
		w.nodes.Use(few.nodes[:])
		w.elements.Use(few.elements[:])
		w.Names.Use(few.names[:])
	}
	w.changes.Push(change{ways: ways})
}

// lastChange returns the change that was pushed last.
func (cr *comparer) lastChange() *change { return &cr.w.changes.S[len(cr.w.changes.S)-1] }

// differences returns the result of the comparison. After the walk, only the change of the root
// remains, and the paths in this change are the result. A difference of the root itself is not in
// the result, because the root has no path. differences returns empty sets if there is no change,
// and nil if there are findings.
func (cr *comparer) differences(findings diag.Findings) *Differences {
	if findings != nil {
		return nil
	}
	if cr.out == nil {
		none := new(noDifferences)
		none.Differences = Differences{&none.sets[removed], &none.sets[modified], &none.sets[added]}
		return &none.Differences
	}
	below := &cr.lastChange().below
	for how, s := range below {
		if s == nil {
			below[how] = cr.w.sets.One()
		}
	}
	*cr.out = Differences{below[removed], below[modified], below[added]}
	return cr.out
}

// combine replaces the changes of fields or items with a single change of their container. The
// replaced changes are those in workspace.changes from index mark on. It returns false if there are
// no such changes.
func (cr *comparer) combine(mark int) bool {
	w := cr.w
	changes := w.changes.S[mark:]
	if len(changes) == 0 {
		return false
	}
	item.SortWithRanks(&w.Workspace, changes, func(i int) *fieldpath.PathElement { return &changes[i].pe },
		func(a, b change) int { return a.pe.Compare(b.pe) })
	var all change
	for how := range numWays {
		members, children := 0, 0
		for i := range changes {
			ch := &changes[i]
			members += int(ch.ways >> how & 1)
			if ch.below[how] != nil {
				children++
			}
		}
		if members+children > 0 {
			all.below[how] = w.setOf(changes, how, members, children)
		}
	}
	w.changes.Pop(mark)
	w.changes.Push(all)
	return true
}

// setOf returns the set of elements that differ in the given way: removed, modified or added. The
// caller must have counted the members and children of this set.
func (w *workspace) setOf(changes []change, how way, members, children int) *fieldpath.Set {
	ms, cs := w.elements.Take(members), w.nodes.Take(children)
	member, child := 0, 0
	for i := range changes {
		ch := &changes[i]
		if ch.ways>>how&1 != 0 {
			ms[member] = ch.pe
			member++
		}
		if below := ch.below[how]; below != nil {
			cs[child] = fieldpath.SetNode{PathElement: ch.pe, Set: below}
			child++
		}
	}
	s := w.sets.One()
	*s = *fieldpath.FromSorted(ms, cs)
	return s
}

// compare compares two values, and returns true if it pushed a change. A type can allow several
// kinds of values, such as maps and lists. A null, or a value of a kind that the type does not
// allow, has all kinds of the type (see data.KindsFor). If x and y do not have the same kinds,
// compare compares them twice, as structured-merge-diff does: as the first kind of y, and then as
// the first kind of x.
//
// If there is a rightValidator, compare also validates the changed parts of y. If one of these
// parts is invalid, compare returns no findings about it. Instead, it removes the fact Valid from
// the validator. ValidateAndCompare then discards the whole result.
func (cr *comparer) compare(n *graph.Node, x, y any) (bool, diag.Findings) {
	switch a := x.(type) {
	case map[string]any:
		if b, ok := y.(map[string]any); ok && n.Map != nil {
			return cr.compareMaps(n, x, y, a, b)
		}
	case []any:
		if b, ok := y.([]any); ok && n.List != nil {
			return cr.compareLists(n, x, y, a, b)
		}
	}
	if n.Missing {
		return false, data.NoType(n)
	}
	if cr.rightValidator != nil && !cr.changedAndValid(n, x, y) {
		return false, nil
	}
	left, right := data.KindsFor(n, data.ClassOf(x)), data.KindsFor(n, data.ClassOf(y))
	differs, findings := cr.compareAs(n, data.FirstKind(right), x, y)
	if left != right {
		alsoDiffers, leftFindings := cr.compareAs(n, data.FirstKind(left), x, y)
		if differs && alsoDiffers {
			cr.uniteLastTwo()
		}
		differs = differs || alsoDiffers
		findings = append(leftFindings, findings...) // in the order of structured-merge-diff
	}
	return differs, findings
}

// uniteLastTwo merges the last two changes into one. Both must be changes of the same element.
func (cr *comparer) uniteLastTwo() {
	popped := *cr.lastChange()
	cr.w.changes.Pop(cr.w.changes.Len() - 1)
	last := cr.lastChange()
	last.ways |= popped.ways
	for how, s := range popped.below {
		switch {
		case last.below[how] == nil:
			last.below[how] = s
		case s != nil:
			last.below[how] = last.below[how].Union(s)
		}
	}
}

// CompareWithAbsent compares v with an absent value. If isRight is true, v is the right value,
// and all its paths count as added. If isRight is false, v is the left value, and all its paths count
// as removed.
func CompareWithAbsent(n *graph.Node, v any, isRight bool) (*Differences, diag.Findings) {
	w := newWorkspace()
	cr := comparer{w: w}
	how := removed
	if isRight {
		how = added
	}
	findings := cr.pushOneSided(n, v, how)
	out := cr.differences(findings)
	w.done()
	return out, findings
}

// pushOneSided pushes the change of v, a value that is present on only one side of the comparison.
// The argument how says whether all paths of v count as removed or as added. pushOneSided always
// pushes one change, so it returns no boolean.
func (cr *comparer) pushOneSided(n *graph.Node, v any, how way) diag.Findings {
	below, findings := false, diag.Findings(nil)
	if n.Missing {
		findings = data.NoType(n)
	} else {
		switch data.KindFor(n, v) {
		case graph.MapKind:
			if x := data.AsMap(v); !n.Map.Atomic && len(x) > 0 {
				below, findings = cr.pushOneSidedMap(n.Map, x, how)
			}
		case graph.ListKind:
			x := data.AsList(v)
			if n.List.IsAtomic() || len(x) == 0 {
				break
			}
			if how == added {
				below, findings = cr.compareItems(n.List, nil, x, 0)
			} else {
				below, findings = cr.compareItems(n.List, x, nil, 0)
			}
		case 0:
			findings = data.NoKind(n)
		}
	}
	if below {
		cr.lastChange().ways |= 1 << how
	} else {
		cr.push(1 << how)
	}
	return findings
}

// pushOneSidedMap pushes the change of a granular map that is present on only one side. It returns
// false if the map has no fields, so that it pushed no change.
func (cr *comparer) pushOneSidedMap(m *graph.Map, x map[string]any, how way) (bool, diag.Findings) {
	var findings []diag.ChildFindings
	mark := cr.w.changes.Len()
	for name, v := range x {
		findings = addFieldFindings(findings, name, cr.pushOneSided(m.At(name), v, how))
		cr.lastChange().pe = cr.w.FieldElement(m, name)
	}
	return cr.combine(mark), diag.Join(findings)
}

// addFieldFindings appends the findings fs about a field to the findings about the map that
// contains the field.
func addFieldFindings(findings []diag.ChildFindings, name string, fs diag.Findings) []diag.ChildFindings {
	if fs == nil {
		return findings
	}
	return append(findings, diag.ChildFindings{Name: name, Findings: fs.Prefix("." + name)})
}

// compareAs compares two values as values of the given kind.
func (cr *comparer) compareAs(n *graph.Node, kind graph.Kinds, x, y any) (bool, diag.Findings) {
	switch kind {
	case graph.MapKind:
		cr.canProveRules = cr.canProveRules && !data.IsAnyMap(x) && !data.IsAnyMap(y)
		return cr.compareMaps(n, x, y, data.AsMap(x), data.AsMap(y))
	case graph.ScalarKind:
		left, right := data.CheckScalar(n, x, "lhs: "), data.CheckScalar(n, y, "rhs: ")
		// Like structured-merge-diff, return findings only if neither value is a valid scalar. It is
		// normal that one of the values is not a scalar, because a scalar may replace a map or list.
		if left != nil && right != nil {
			return false, append(left, right...)
		}
		return cr.compareLeaf(n, x, y), nil
	case graph.ListKind:
		return cr.compareLists(n, x, y, data.AsList(x), data.AsList(y))
	}
	return false, data.NoKind(n)
}

// compareLeaf compares two leaves, and pushes a change if they differ.
func (cr *comparer) compareLeaf(n *graph.Node, x, y any) bool {
	if cr.equal(x, y) {
		return false
	}
	// A null equals no other value here. If x and y are values of a field, the caller has already
	// compared a null with the default of the field.
	if n.Declarative && x != nil && y != nil && data.Equivalent(n, x, y) {
		cr.canProveRules = false
		return false
	}
	cr.push(1 << modified)
	return true
}

// compareMaps compares two values as maps. Its last two arguments are the entries of the values,
// and are nil for a value that is not a map. Atomic maps are compared as leaves, and so are two
// empty maps.
func (cr *comparer) compareMaps(n *graph.Node, x, y any, a, b map[string]any) (bool, diag.Findings) {
	m := n.Map
	if len(a) == 0 && len(b) == 0 || m.Atomic {
		if cr.rightValidator != nil && !cr.changedAndValid(n, x, y) {
			return false, nil
		}
		return cr.compareLeaf(n, x, y), nil
	}
	if cr.valid && box.SameMap(a, b) {
		return false, nil
	}
	// If exactly one value is null, Default may replace the null with a map. This map can have a
	// field that has a rule and that the other value lacks.
	cr.canProveRules = cr.canProveRules && (!n.HasTransitions || (x == nil) == (y == nil))
	if cr.rightValidator != nil {
		cr.rightValidator.depth++
	}
	// Walk the larger map, because it usually has all fields of the smaller one.
	more, less, onlyInMore, onlyInLess := a, b, removed, added
	if len(a) < len(b) {
		more, less, onlyInMore, onlyInLess = b, a, added, removed
	}
	var findings []diag.ChildFindings
	mark := cr.w.changes.Len()
	shared := 0
	for name, inMore := range more {
		inLess, ok := less[name]
		if !ok {
			findings = cr.pushLoneField(n, name, inMore, onlyInMore, findings)
			continue
		}
		shared++
		if cr.valid && data.SameScalar(inMore, inLess) {
			continue
		}
		left, right := inMore, inLess
		if onlyInMore == added {
			left, right = inLess, inMore
		}
		if n.Declarative && (left == nil || right == nil) && defaultsMakeEqual(m, name, left, right, true) {
			cr.canProveRules = cr.canProveRules && left == nil && right == nil
			continue
		}
		differs, fs := cr.compare(m.At(name), left, right)
		if differs {
			cr.lastChange().pe = cr.w.FieldElement(m, name)
		}
		findings = addFieldFindings(findings, name, fs)
	}
	if shared < len(less) {
		for name, inLess := range less {
			if _, ok := more[name]; !ok {
				findings = cr.pushLoneField(n, name, inLess, onlyInLess, findings)
			}
		}
	}
	if cr.rightValidator != nil {
		cr.rightValidator.depth--
	}
	return cr.combine(mark), diag.Join(findings)
}

// pushLoneField pushes the change of a field that only one of two maps of type n has, appends the
// findings about this field to findings, and returns them. The argument how is removed or added. In
// two cases, pushLoneField pushes nothing: if declarative defaults make the value equal to an absent
// field, and if there is a rightValidator that finds the added field invalid. In the second case, the
// caller discards the whole result.
func (cr *comparer) pushLoneField(n *graph.Node, name string, v any, how way, findings []diag.ChildFindings) []diag.ChildFindings {
	if n.Declarative && defaultsMakeEqual(n.Map, name, v, nil, false) {
		cr.canProveRules = false
		return findings
	}
	if cr.rightValidator != nil && how == added && !cr.validate(n.Map.At(name), v) {
		return findings
	}
	findings = addFieldFindings(findings, name, cr.pushOneSided(n.Map.At(name), v, how))
	cr.lastChange().pe = cr.w.FieldElement(n.Map, name)
	return findings
}

// defaultsMakeEqual reports whether declarative defaults make two values of a field equal. For
// example, the default of a declared field equals an absent field, and also equals a null if the type
// is not nullable. If the second value is absent, present is false. If both maps have the field, and
// it is nullable, defaultsMakeEqual returns false, because the caller compares a null there like any
// other value. In all other cases, the result is that of data.EquivalentField.
func defaultsMakeEqual(m *graph.Map, name string, v, u any, present bool) bool {
	if present && data.Nullable(m.At(name)) {
		return false
	}
	return data.EquivalentField(m, name, v, u, present)
}

// compareLists compares two values as lists. Its last two arguments are the items of the values,
// and are nil for a value that is not a list. Atomic lists are compared as leaves, and so are two
// empty lists.
func (cr *comparer) compareLists(n *graph.Node, x, y any, a, b []any) (bool, diag.Findings) {
	va := cr.rightValidator
	if va != nil && !cr.changedAndValid(n, x, y) {
		return false, nil
	}
	if len(a) == 0 && len(b) == 0 || n.List.IsAtomic() {
		return cr.compareLeaf(n, x, y), nil
	}
	prefix := 0
	if va == nil && cr.checksEqualityFirst() {
		if prefix = cr.commonPrefix(a, b); prefix == len(a) && prefix == len(b) {
			return false, nil
		}
	}
	// The whole right list was validated above, so its items need no further validation.
	cr.rightValidator = nil
	differs, findings := cr.compareItems(n.List, a, b, prefix)
	cr.rightValidator = va
	return differs, findings
}

// maxEqualityDepth is the number of nested lists up to which items are checked for equality
// before they are compared. Without a limit, a value inside many lists would be checked once
// for each list.
const maxEqualityDepth = 8

// checksEqualityFirst reports whether to check two items for equality before comparing them.
// Checking is cheaper than comparing. Invalid values are always compared, because even equal
// items can have findings.
func (cr *comparer) checksEqualityFirst() bool { return cr.valid && cr.listDepth < maxEqualityDepth }

// commonPrefix returns the number of equal items at the start of two lists.
func (cr *comparer) commonPrefix(a, b []any) int {
	n := min(len(a), len(b))
	if box.SameList(a[:n], b[:n]) {
		return n
	}
	for i := range n {
		if !cr.equal(a[i], b[i]) {
			return i
		}
	}
	return n
}

// compareItems compares the items of two lists by identity. If several items of a list have the
// same identity, they are compared as one leaf. prefix is the number of items at the start of
// both lists that are known to be equal.
func (cr *comparer) compareItems(l *graph.List, a, b []any, prefix int) (bool, diag.Findings) {
	var findings diag.Findings
	if !cr.valid {
		findings = append(cr.w.identityFindings(l, a, false), cr.w.identityFindings(l, b, false)...)
	}
	ints, mark := cr.w.IntScratch.Len(), cr.w.changes.Len()
	equalityFirst := cr.checksEqualityFirst()
	cr.listDepth++
	p := cr.w.Pair(l, a, b, cr.pairFacts)
	cr.canProveRules = cr.canProveRules && p.SameOrder()
	groups := itemGroups{a: a, b: b, p: &p}
	for number := int32(0); number < int32(p.NumIdentities); number++ {
		lefts, rights := p.LeftCount[number], p.RightCount[number]
		var x, y any
		if lefts > 0 {
			x = a[p.FirstLeft[number]]
		}
		if rights > 0 {
			y = b[p.FirstRight[number]]
		}
		if equalityFirst && lefts == 1 && rights == 1 {
			if at := int(p.FirstLeft[number]); at == int(p.FirstRight[number]) && at < prefix || cr.equal(x, y) {
				continue
			}
		}
		differs, fs := cr.compareItem(l, &groups, number, x, y)
		if !differs && fs == nil {
			continue
		}
		named := x
		if lefts == 0 {
			named = y
		}
		pe := cr.w.Element(l, named)
		if fs != nil {
			findings = append(findings, fs.Prefix(pe.String())...)
		}
		if differs {
			cr.lastChange().pe = pe
		}
	}
	cr.listDepth--
	cr.w.IntScratch.Pop(ints)
	return cr.combine(mark), findings
}

// itemGroups has the items of two lists, grouped by identity.
type itemGroups struct {
	a, b                []any
	p                   *item.Pairing
	nextLeft, nextRight []int32 // results of Workspace.NextDuplicates; nil until needed
}

// compareItem compares the items that have the identity with the given number. x and y are the first
// such items of the two lists. Several items with the same identity in one list form a single leaf.
// If only the left list has several, the leaf counts as removed, and a right item counts as added
// with all its paths. If only the right list has several, the leaf counts as added, and a left item
// counts as removed with all its paths.
func (cr *comparer) compareItem(l *graph.List, groups *itemGroups, number int32, x, y any) (bool, diag.Findings) {
	lefts, rights := groups.p.LeftCount[number], groups.p.RightCount[number]
	var findings diag.Findings
	switch {
	case lefts == 1 && rights == 1:
		return cr.compare(l.Item, x, y)
	case lefts > 1 && rights > 1:
		if cr.equalGroups(groups, number) {
			return false, nil
		}
		cr.push(1 << modified)
		return true, nil
	case lefts == 1:
		findings = cr.pushOneSided(l.Item, x, removed)
	case rights == 1:
		findings = cr.pushOneSided(l.Item, y, added)
	default:
		cr.push(0) // the bits are set below
	}
	if lefts > 1 {
		cr.lastChange().ways |= 1 << removed
	}
	if rights > 1 {
		cr.lastChange().ways |= 1 << added
	}
	return true, findings
}

// equalGroups reports whether both lists have equal items with the identity of the given number, in
// the same order.
func (cr *comparer) equalGroups(groups *itemGroups, number int32) bool {
	p := groups.p
	if p.LeftCount[number] != p.RightCount[number] {
		return false
	}
	if groups.nextLeft == nil {
		groups.nextLeft, groups.nextRight = cr.w.NextDuplicates(p, p.LeftNumber), cr.w.NextDuplicates(p, p.RightNumber)
	}
	i, j := p.FirstLeft[number], p.FirstRight[number]
	for range p.LeftCount[number] {
		if !cr.equal(groups.a[i], groups.b[j]) {
			return false
		}
		i, j = groups.nextLeft[i], groups.nextRight[j]
	}
	return true
}

// touchesRule reports whether the change may break a transition rule, because a rule is at,
// below or above one of its differences. If a rule is inside a list, any difference in the list
// counts.
func (ch *change) touchesRule(n *graph.Node) bool {
	for _, s := range ch.below {
		if s != nil && setTouchesRule(n, s) {
			return true
		}
	}
	return ch.ways != 0 && n.HasTransitions
}

// setTouchesRule does the same as touchesRule for a set of paths that differ.
func setTouchesRule(n *graph.Node, s *fieldpath.Set) bool {
	if !n.HasTransitions {
		return false
	}
	if n.Transition != graph.Free || n.Map == nil {
		return true
	}
	for _, pe := range s.Members.Sorted() {
		if pe.FieldName == nil || n.Map.At(*pe.FieldName).HasTransitions {
			return true
		}
	}
	for _, below := range s.Children.Sorted() {
		if pe := below.PathElement; pe.FieldName == nil || setTouchesRule(n.Map.At(*pe.FieldName), below.Set) {
			return true
		}
	}
	return false
}

// equal reports whether two values are equal. If the values have origins, the origins decide.
// Otherwise the rule is that of structured-merge-diff: 1 equals 1.0, and a NaN differs from every
// value. If the values are equal but not equal as stored, the method equal sets canProveRules to
// false.
func (cr *comparer) equal(x, y any) bool {
	if cr.leftOrigin != nil {
		equal := cr.leftOrigin.Equal(x, y, cr.rightOrigin)
		cr.canProveRules = cr.canProveRules && (!equal || cr.w.stored.Equal(nil, x, y))
		return equal
	}
	if cr.canProveRules && cr.w.stored.Equal(nil, x, y) {
		return true
	}
	equal := value.EqualUnstructured(x, y)
	if equal {
		cr.canProveRules = false
	}
	return equal
}

// ValidateAndCompare does the work of Validate and Compare in one walk. It validates only those
// parts of right that differ from left. The argument left must be valid, and the argument facts
// must be true for left. The argument right may be invalid. rightFacts has facts about right, but
// Validate may find more of them. A NaN counts as equal to an identical NaN. Only inside a list
// that differs, a NaN differs from every value, as in Compare.
//
// If ok is false, the other results are not set, and the caller must call Validate and Compare
// instead. ok is false if right is invalid or lacks the fact Valid. It is also false if the type
// has declarative defaults, if facts lacks Valid, or if facts lacks Unique and duplicates are not
// allowed.
func ValidateAndCompare(n *graph.Node, left, right any, facts Facts, allowDuplicates bool) (out *Differences, rulesProven bool, rightFacts Facts, ok bool) {
	if facts&Valid == 0 || n.Declarative || !allowDuplicates && facts&Unique == 0 {
		return nil, false, 0, false // the walk would skip parts that may be invalid
	}
	w := newWorkspace()
	defer w.done()
	va := validator{w: w, allowDuplicates: allowDuplicates, facts: facts}
	cr := newComparer(w, n, facts)
	cr.rightValidator = &va
	differs, findings := cr.compare(n, left, right)
	if findings != nil || va.facts&Valid == 0 {
		return nil, false, 0, false
	}
	rulesProven = cr.canProveRules && !(differs && cr.lastChange().touchesRule(n))
	return cr.differences(nil), rulesProven, va.facts, true
}

// changedAndValid validates y, a part of the right value, if it is not identical to x. It returns
// true if the walk must go on to compare x and y. It returns false if y is unchanged, or if y or an
// earlier part is invalid.
func (cr *comparer) changedAndValid(n *graph.Node, x, y any) bool {
	return !data.Identical(x, y) && cr.validate(n, y)
}

// validate validates a part of the right value. It returns true if the validator can still prove that the
// whole value is valid. Otherwise, this part or an earlier one is invalid, or cannot be proven valid (see
// Valid), and the caller discards the result of the walk.
func (cr *comparer) validate(n *graph.Node, y any) bool {
	if cr.rightValidator.value(n, y) != nil {
		cr.rightValidator.facts &^= Valid
	}
	return cr.rightValidator.facts&Valid != 0
}
