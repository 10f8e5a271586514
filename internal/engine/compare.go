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

// Differences are the paths that only one of two values has and those whose
// leaves differ. No set is nil.
type Differences struct {
	Removed, Modified, Added *fieldpath.Set
}

// Compare returns how right differs from left, both values of type n, of which
// facts are known. If they are valid, what is equal is not walked. There are no
// differences, but nil, where something is wrong. untouched says, of a type with
// transition rules, that an update from left to right changes nothing that could break one: see
// CheckTransition.
func Compare(n *graph.Node, left, right any, facts Facts) (out *Differences, untouched bool, wrong diag.Findings) {
	return CompareMade(n, left, right, facts, nil, nil)
}

// Origin is what plain data was made of, where that tells more of leaves than they do.
type Origin interface {
	// Equal says whether two values are equal, of which right may be of another origin.
	Equal(left, right any, other Origin) bool
}

// CompareMade is Compare for plain data that was made of something else.
func CompareMade(n *graph.Node, left, right any, facts Facts, origin, other Origin) (out *Differences, untouched bool, wrong diag.Findings) {
	w := newWalker()
	c := newComparer(w, n, facts)
	c.origin, c.other = origin, other
	differs, wrong := c.both(n, left, right)
	untouched = c.exact && wrong == nil && !(differs && c.last().touches(n))
	out = c.differences(wrong)
	w.done()
	return out, untouched, wrong
}

// comparer walks two values. Where there is no difference it allocates nothing;
// differences are put together on the way up, one set for each container. A walk
// leaves one change if it finds a difference, and says so; its caller names it.
type comparer struct {
	w     *walker
	valid bool
	known item.Known
	// nested is in how many lists that differ, one below the other, this is.
	nested int
	// exact says, of a type with transition rules, that nothing was taken for the same so far
	// that is not stored alike.
	exact bool
	// unvalidated validates the right value where it is not the same as the left one, before
	// it is walked; nil if it is valid already, or not meant to be. See ValidateAndCompare.
	unvalidated *validator
	// origin and other are of what both values were made, if that tells which leaves are
	// equal. See CompareMade.
	origin, other Origin
	out           *Differences // once there is a difference
}

func newComparer(w *walker, n *graph.Node, facts Facts) comparer {
	valid, unique := facts&Valid != 0, facts&Unique != 0
	return comparer{w: w, valid: valid, known: item.Known{Unique: valid && unique, Identified: valid}, exact: n.HasTransitions}
}

// The three ways to differ.
const (
	isRemoved = iota
	isModified
	isAdded
	ways
)

// change is how two values differ at one element of a container: the element
// itself, one bit for each way, and what is below it.
type change struct {
	pe    fieldpath.PathElement
	self  uint8
	below [ways]*fieldpath.Set
}

// noDifferences are the differences of values that have none.
type noDifferences struct {
	Differences
	sets [ways]fieldpath.Set
}

// fewDifferences are differences with memory for the sets of one path, and for
// those that stay empty.
type fewDifferences struct {
	Differences
	sets     [6]fieldpath.Set
	nodes    [3]fieldpath.SetNode
	elements [1]fieldpath.PathElement
	names    [1]string
}

// differs leaves a change of an element itself.
func (c *comparer) differs(self uint8) {
	w := c.w
	if c.out == nil {
		few := new(fewDifferences)
		c.out = &few.Differences
		w.sets.Use(few.sets[:])
		w.nodes.Use(few.nodes[:])
		w.elements.Use(few.elements[:])
		w.Names.Use(few.names[:])
	}
	w.changes.Push(change{self: self})
}

// last returns the change that was left last.
func (c *comparer) last() *change { return &c.w.changes.S[len(c.w.changes.S)-1] }

// differences returns the differences below the only change that is left, if
// any is. Nothing of them is nil.
func (c *comparer) differences(wrong diag.Findings) *Differences {
	if wrong != nil {
		return nil
	}
	if c.out == nil {
		none := new(noDifferences)
		none.Differences = Differences{&none.sets[isRemoved], &none.sets[isModified], &none.sets[isAdded]}
		return &none.Differences
	}
	below := &c.last().below
	for way, s := range below {
		if s == nil {
			below[way] = c.w.sets.One()
		}
	}
	*c.out = Differences{below[isRemoved], below[isModified], below[isAdded]}
	return c.out
}

// gather makes one change of all that were left since the mark, if there are
// any: the sets of what is below the container of their elements.
func (c *comparer) gather(mark int) bool {
	w := c.w
	changes := w.changes.S[mark:]
	if len(changes) == 0 {
		return false
	}
	item.Sort(&w.Memory, changes, func(i int) *fieldpath.PathElement { return &changes[i].pe },
		func(a, b change) int { return a.pe.Compare(b.pe) })
	var all change
	for way := range all.below {
		members, children := 0, 0
		for i := range changes {
			ch := &changes[i]
			members += int(ch.self >> way & 1)
			if ch.below[way] != nil {
				children++
			}
		}
		if members+children > 0 {
			all.below[way] = w.setOf(changes, way, members, children)
		}
	}
	w.changes.Pop(mark)
	w.changes.Push(all)
	return true
}

// setOf returns the set of the changes of one way, of which there are so many in
// elements themselves and below them.
func (w *walker) setOf(changes []change, way, members, children int) *fieldpath.Set {
	ms, cs := w.elements.Take(members), w.nodes.Take(children)
	m, n := 0, 0
	for i := range changes {
		ch := &changes[i]
		if ch.self>>way&1 != 0 {
			ms[m] = ch.pe
			m++
		}
		if below := ch.below[way]; below != nil {
			cs[n] = fieldpath.SetNode{PathElement: ch.pe, Set: below}
			n++
		}
	}
	s := w.sets.One()
	*s = *fieldpath.FromSorted(ms, cs)
	return s
}

// both compares two values. Values that are read as different kinds, which
// only types of several kinds allow, are compared as each of them.
func (c *comparer) both(n *graph.Node, x, y any) (bool, diag.Findings) {
	switch a := x.(type) {
	case map[string]any:
		if b, ok := y.(map[string]any); ok && n.Map != nil {
			return c.maps(n, x, y, a, b)
		}
	case []any:
		if b, ok := y.([]any); ok && n.List != nil {
			return c.lists(n, x, y, a, b)
		}
	}
	if n.Missing {
		return false, data.NoType(n)
	}
	if c.unvalidated != nil && !c.validates(n, x, y) {
		return false, nil
	}
	left, right := data.KindsFor(n, data.ClassOf(x)), data.KindsFor(n, data.ClassOf(y))
	differs, wrong := c.kind(n, data.FirstKind(right), x, y)
	if left != right {
		also, before := c.kind(n, data.FirstKind(left), x, y)
		if differs && also {
			c.unite()
		}
		differs, wrong = differs || also, append(before, wrong...)
	}
	return differs, wrong
}

// unite makes one change of the last two, which are of one element.
func (c *comparer) unite() {
	other := *c.last()
	c.w.changes.Pop(c.w.changes.Len() - 1)
	d := c.last()
	d.self |= other.self
	for way, s := range other.below {
		switch {
		case d.below[way] == nil:
			d.below[way] = s
		case s != nil:
			d.below[way] = d.below[way].Union(s)
		}
	}
}

// CompareOne returns the differences between a value and none at all: all
// paths of v are added, or removed.
func CompareOne(n *graph.Node, v any, added bool) (*Differences, diag.Findings) {
	w := newWalker()
	c := comparer{w: w}
	side := isRemoved
	if added {
		side = isAdded
	}
	wrong := c.one(n, v, side)
	out := c.differences(wrong)
	w.done()
	return out, wrong
}

// one leaves a change of all paths of v, which the other side lacks.
func (c *comparer) one(n *graph.Node, v any, side int) diag.Findings {
	below, wrong := false, diag.Findings(nil)
	if n.Missing {
		wrong = data.NoType(n)
	} else {
		switch data.KindFor(n, v) {
		case graph.MapKind:
			if x := data.AsMap(v); !n.Map.Atomic && len(x) > 0 {
				below, wrong = c.oneMap(n.Map, x, side)
			}
		case graph.ListKind:
			x := data.AsList(v)
			if n.List.IsAtomic() || len(x) == 0 {
				break
			}
			if side == isAdded {
				below, wrong = c.items(n.List, nil, x, 0)
			} else {
				below, wrong = c.items(n.List, x, nil, 0)
			}
		case 0:
			wrong = data.NoKind(n)
		}
	}
	if below {
		c.last().self |= 1 << side
	} else {
		c.differs(1 << side)
	}
	return wrong
}

func (c *comparer) oneMap(m *graph.Map, x map[string]any, side int) (bool, diag.Findings) {
	var wrong []diag.ChildFindings
	mark := c.w.changes.Len()
	for name, v := range x {
		wrong = under(wrong, name, c.one(m.At(name), v, side))
		c.last().pe = c.w.Field(m, name)
	}
	return c.gather(mark), diag.Join(wrong)
}

// under adds what is wrong with the field of a name.
func under(wrong []diag.ChildFindings, name string, fs diag.Findings) []diag.ChildFindings {
	if fs == nil {
		return wrong
	}
	return append(wrong, diag.ChildFindings{Name: name, Findings: fs.Prefix("." + name)})
}

func (c *comparer) kind(n *graph.Node, k graph.Kinds, x, y any) (bool, diag.Findings) {
	switch k {
	case graph.MapKind:
		c.exact = c.exact && !data.IsAnyMap(x) && !data.IsAnyMap(y)
		return c.maps(n, x, y, data.AsMap(x), data.AsMap(y))
	case graph.ScalarKind:
		left, right := data.CheckScalar(n, x, "lhs: "), data.CheckScalar(n, y, "rhs: ")
		if left != nil && right != nil {
			return false, append(left, right...)
		}
		return c.leaf(n, x, y), nil
	case graph.ListKind:
		return c.lists(n, x, y, data.AsList(x), data.AsList(y))
	}
	return false, data.NoKind(n)
}

func (c *comparer) leaf(n *graph.Node, x, y any) bool {
	if c.equal(x, y) {
		return false
	}
	// What a null stands for was decided where the field's own default is known.
	if n.Declarative && x != nil && y != nil && data.Equivalent(n, x, y) {
		c.exact = false
		return false
	}
	c.differs(1 << isModified)
	return true
}

// maps compares x and y as maps: a and b are their entries, none where they
// are no maps.
func (c *comparer) maps(n *graph.Node, x, y any, a, b map[string]any) (bool, diag.Findings) {
	m := n.Map
	if len(a) == 0 && len(b) == 0 || m.Atomic {
		if c.unvalidated != nil && !c.validates(n, x, y) {
			return false, nil
		}
		return c.leaf(n, x, y), nil
	}
	if c.valid && box.SameMap(a, b) {
		return false, nil
	}
	if c.unvalidated != nil {
		c.unvalidated.depth++
	}
	// Whoever walks the map with more entries most often need not walk the other.
	more, less, side := a, b, isRemoved
	if len(a) < len(b) {
		more, less, side = b, a, isAdded
	}
	var wrong []diag.ChildFindings
	mark := c.w.changes.Len()
	shared := 0
	for name, v := range more {
		u, ok := less[name]
		if !ok {
			wrong = c.lone(n, name, v, side, wrong)
			continue
		}
		shared++
		if c.valid && data.SameScalar(v, u) {
			continue
		}
		if side == isAdded {
			v, u = u, v
		}
		if n.Declarative && (v == nil || u == nil) && saysTheSame(m, name, v, u, true) {
			c.exact = c.exact && v == nil && u == nil
			continue
		}
		differs, fs := c.both(m.At(name), v, u)
		if differs {
			c.last().pe = c.w.Field(m, name)
		}
		wrong = under(wrong, name, fs)
	}
	if shared < len(less) {
		for name, v := range less {
			if _, ok := more[name]; !ok {
				wrong = c.lone(n, name, v, isRemoved+isAdded-side, wrong)
			}
		}
	}
	if c.unvalidated != nil {
		c.unvalidated.depth--
	}
	return c.gather(mark), diag.Join(wrong)
}

// lone leaves a change of a field of a value of type n that only one side has,
// and adds what is wrong with it.
func (c *comparer) lone(n *graph.Node, name string, v any, side int, wrong []diag.ChildFindings) []diag.ChildFindings {
	if n.Declarative && saysTheSame(n.Map, name, v, nil, false) {
		c.exact = false
		return wrong
	}
	if c.unvalidated != nil && side == isAdded && !c.validate(n.Map.At(name), v) {
		return wrong
	}
	wrong = under(wrong, name, c.one(n.Map.At(name), v, side))
	c.last().pe = c.w.Field(n.Map, name)
	return wrong
}

// saysTheSame says whether v, and u if it is present, stand for the same as the
// field of that name: one of them may be a null that is no value, or absent and
// the other the default.
func saysTheSame(m *graph.Map, name string, v, u any, present bool) bool {
	if present && data.Nullable(m.At(name)) {
		return false
	}
	return data.EquivalentField(m, name, v, u, present)
}

func (c *comparer) lists(n *graph.Node, x, y any, a, b []any) (bool, diag.Findings) {
	va := c.unvalidated
	if va != nil && !c.validates(n, x, y) {
		return false, nil
	}
	if len(a) == 0 && len(b) == 0 || n.List.IsAtomic() {
		return c.leaf(n, x, y), nil
	}
	shared := 0
	if va == nil && c.looksAhead() {
		if shared = c.aligned(a, b); shared == len(a) && shared == len(b) {
			return false, nil
		}
	}
	// Items that differ are compared as those of valid lists.
	c.unvalidated = nil
	differs, wrong := c.items(n.List, a, b, shared)
	c.unvalidated = va
	return differs, wrong
}

// maxAhead is how many lists deep values are looked at for being equal before
// they are compared. What is below many would else be looked at as many times.
const maxAhead = 8

// looksAhead says whether items are compared only if they are not equal, which
// is quicker to say. Values that are not valid may have something wrong in both.
func (c *comparer) looksAhead() bool { return c.valid && c.nested < maxAhead }

// aligned returns how many items two lists have in common at the start.
func (c *comparer) aligned(a, b []any) int {
	n := min(len(a), len(b))
	if box.SameList(a[:n], b[:n]) {
		return n
	}
	for i := range n {
		if !c.equal(a[i], b[i]) {
			return i
		}
	}
	return n
}

// items compares the items of two lists by identity. Items that share one are
// compared as a group: it is one leaf. The first items are known to be shared.
func (c *comparer) items(l *graph.List, a, b []any, shared int) (bool, diag.Findings) {
	var wrong diag.Findings
	if !c.valid {
		wrong = append(c.w.misnamed(l, a, false), c.w.misnamed(l, b, false)...)
	}
	ints, mark := c.w.Ints.Len(), c.w.changes.Len()
	ahead := c.looksAhead()
	c.nested++
	nb := c.w.Pair(l, a, b, c.known)
	c.exact = c.exact && nb.Ordered()
	for id := int32(0); id < int32(nb.Numbers); id++ {
		lefts, rights := nb.LeftCount[id], nb.RightCount[id]
		var x, y any
		if lefts > 0 {
			x = a[nb.FirstLeft[id]]
		}
		if rights > 0 {
			y = b[nb.FirstRight[id]]
		}
		if ahead && lefts == 1 && rights == 1 {
			if at := int(nb.FirstLeft[id]); at == int(nb.FirstRight[id]) && at < shared || c.equal(x, y) {
				continue
			}
		}
		differs, fs := c.item(l, &nb, id, a, b, x, y)
		if !differs && fs == nil {
			continue
		}
		named := x
		if lefts == 0 {
			named = y
		}
		pe := c.w.Element(l, named)
		if fs != nil {
			wrong = append(wrong, fs.Prefix(pe.String())...)
		}
		if differs {
			c.last().pe = pe
		}
	}
	c.nested--
	c.w.Ints.Pop(ints)
	return c.gather(mark), wrong
}

func (c *comparer) item(l *graph.List, nb *item.Pairing, id int32, a, b []any, x, y any) (bool, diag.Findings) {
	lefts, rights := nb.LeftCount[id], nb.RightCount[id]
	var wrong diag.Findings
	switch {
	case lefts == 1 && rights == 1:
		return c.both(l.Item, x, y)
	case lefts > 1 && rights > 1:
		if c.sameGroups(nb, id, a, b) {
			return false, nil
		}
		c.differs(1 << isModified)
		return true, nil
	case lefts == 1:
		wrong = c.one(l.Item, x, isRemoved)
	case rights == 1:
		wrong = c.one(l.Item, y, isAdded)
	default:
		c.differs(0)
	}
	if lefts > 1 {
		c.last().self |= 1 << isRemoved
	}
	if rights > 1 {
		c.last().self |= 1 << isAdded
	}
	return true, wrong
}

// sameGroups says whether the items with one number are equal on both sides,
// in their order.
func (c *comparer) sameGroups(nb *item.Pairing, id int32, a, b []any) bool {
	if nb.LeftCount[id] != nb.RightCount[id] {
		return false
	}
	j := 0
	for i := range a {
		if nb.LeftNumber[i] != id {
			continue
		}
		for nb.RightNumber[j] != id {
			j++
		}
		if !c.equal(a[i], b[j]) {
			return false
		}
		j++
	}
	return true
}

// Whoever updates an object compares it with what it was, and that walk can tell that
// no transition rule is broken: where no difference is near one, and the comparison was exact.

// touches says whether a difference may break a rule: whether there is one at, below or
// above what differs. Items are not told apart.
func (d *change) touches(n *graph.Node) bool {
	for _, s := range d.below {
		if s != nil && touches(n, s) {
			return true
		}
	}
	return d.self != 0 && n.HasTransitions
}

func touches(n *graph.Node, s *fieldpath.Set) bool {
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
		if pe := below.PathElement; pe.FieldName == nil || touches(n.Map.At(*pe.FieldName), below.Set) {
			return true
		}
	}
	return false
}

// equal says whether two values are equal as structured-merge-diff has it.
func (c *comparer) equal(x, y any) bool {
	if c.origin != nil {
		equal := c.origin.Equal(x, y, c.other)
		c.exact = c.exact && (!equal || c.w.stored.Equal(nil, x, y))
		return equal
	}
	if c.exact {
		if c.w.stored.Equal(nil, x, y) {
			return true
		}
		c.exact = !value.EqualUnstructured(x, y)
		return !c.exact
	}
	return value.EqualUnstructured(x, y)
}

// ValidateAndCompare is Compare and Validate in one walk, for a right value of which nothing is
// known and a left one, of the same type, of which facts are: what is the same in both
// is as valid as it was. also is what Validate would learn of right, or less. It says
// that two NaN are the same.
//
// known is false if something may be wrong with right, or if this walk cannot tell;
// then Validate has to.
func ValidateAndCompare(n *graph.Node, left, right any, facts Facts, allowDuplicates bool) (out *Differences, untouched bool, also Facts, known bool) {
	if facts&Valid == 0 || n.Declarative || !allowDuplicates && facts&Unique == 0 {
		return nil, false, 0, false
	}
	w := newWalker()
	defer w.done()
	va := validator{w: w, allowDuplicates: allowDuplicates, facts: facts}
	c := newComparer(w, n, facts)
	c.unvalidated = &va
	differs, wrong := c.both(n, left, right)
	if wrong != nil || va.facts&Valid == 0 {
		return nil, false, 0, false
	}
	untouched = c.exact && !(differs && c.last().touches(n))
	return c.differences(nil), untouched, va.facts &^ NoNulls, true // some nulls say nothing, and are passed over
}

// validates validates y, a right value that is yet to be, unless it is the same as x, and
// says whether the walk has to go on below: both are not the same, and y is valid.
func (c *comparer) validates(n *graph.Node, x, y any) bool {
	return !data.Identical(x, y) && c.validate(n, y)
}

// validate validates a right value that is yet to be. If it is not valid, nothing of the
// walk is of use any more.
func (c *comparer) validate(n *graph.Node, y any) bool {
	if c.unvalidated.value(n, y) != nil {
		c.unvalidated.facts &^= Valid
	}
	return c.unvalidated.facts&Valid != 0
}
