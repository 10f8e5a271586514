package engine

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/value"
)

// Differences are the paths that only one of two values has and those whose
// leaves differ. No set is nil.
type Differences struct {
	Removed, Modified, Added *fieldpath.Set
}

// Compare returns how right differs from left, both values of type n, of which
// facts are known. If they are valid, what is equal is not walked.
func Compare(n *graph.Node, left, right any, facts Facts) (Differences, diag.Findings) {
	w := newWalker()
	defer w.done()
	valid, unique := facts&Valid != 0, facts&Unique != 0
	c := comparer{w: w, valid: valid, known: known{unique: valid && unique, identified: valid}}
	d, wrong := c.both(n, left, right)
	return d.differences(wrong)
}

// CompareOne returns the differences between a value and none at all: all
// paths of v are added, or removed.
func CompareOne(n *graph.Node, v any, added bool) (Differences, diag.Findings) {
	w := newWalker()
	defer w.done()
	c := comparer{w: w}
	side := isRemoved
	if added {
		side = isAdded
	}
	d, wrong := c.one(n, v, side)
	return d.differences(wrong)
}

// comparer walks two values. Where there is no difference it allocates nothing;
// differences are put together on the way up, one set for each container.
type comparer struct {
	w     *walker
	valid bool
	known known
}

// The three ways to differ.
const (
	isRemoved = iota
	isModified
	isAdded
	ways
)

// delta is how two values at one place differ: the place itself, one bit for
// each way, and what is below it.
type delta struct {
	self  uint8
	below [ways]*fieldpath.Set
}

func (d delta) none() bool { return d == delta{} }

func (d delta) differences(wrong diag.Findings) (Differences, diag.Findings) {
	if wrong != nil {
		return Differences{}, wrong
	}
	return Differences{
		Removed:  orEmpty(d.below[isRemoved]),
		Modified: orEmpty(d.below[isModified]),
		Added:    orEmpty(d.below[isAdded]),
	}, nil
}

// change is the delta of one element of a container.
type change struct {
	pe fieldpath.PathElement
	delta
}

// note keeps a delta for gather.
func (c *comparer) note(pe fieldpath.PathElement, d delta) {
	if !d.none() {
		c.w.changes.push(change{pe, d})
	}
}

// gather returns the sets of all changes noted since the mark.
func (c *comparer) gather(mark int) (below [ways]*fieldpath.Set) {
	w := c.w
	changes := w.changes.s[mark:]
	if len(changes) == 0 {
		return below
	}
	byElement := func(a, b change) int { return a.pe.Compare(b.pe) }
	if !slices.IsSortedFunc(changes, byElement) {
		slices.SortFunc(changes, byElement)
	}
	for way := range below {
		members, children := w.members.len(), w.children.len()
		for i := range changes {
			if ch := &changes[i]; ch.self&(1<<way) != 0 {
				w.members.push(ch.pe)
			}
			if ch := &changes[i]; ch.below[way] != nil {
				w.children.push(fieldpath.SetNode{PathElement: ch.pe, Set: ch.below[way]})
			}
		}
		below[way] = w.set(members, children)
	}
	w.changes.pop(mark)
	return below
}

// one returns all paths of v, which the other side lacks.
func (c *comparer) one(n *graph.Node, v any, side int) (delta, diag.Findings) {
	d := delta{self: 1 << side}
	var wrong diag.Findings
	if n.Missing {
		return d, noType(n)
	}
	switch kindFor(n, v) {
	case graph.MapKind:
		if x := asMap(v); !n.Map.Atomic && len(x) > 0 {
			d.below, wrong = c.oneMap(n.Map, x, side)
		}
	case graph.ListKind:
		x := asList(v)
		if n.List.Relation == graph.Atomic || len(x) == 0 {
			break
		}
		if side == isAdded {
			d.below, wrong = c.items(n.List, nil, x, 0)
		} else {
			d.below, wrong = c.items(n.List, x, nil, 0)
		}
	case 0:
		wrong = noKind(n)
	}
	return d, wrong
}

func (c *comparer) oneMap(m *graph.Map, x map[string]any, side int) ([ways]*fieldpath.Set, diag.Findings) {
	var wrong []diag.Under
	mark := c.w.changes.len()
	for name, v := range x {
		d, fs := c.one(m.At(name), v, side)
		if fs != nil {
			wrong = append(wrong, diag.Under{Name: name, Findings: fs.Prefix("." + name)})
		}
		c.note(c.w.field(m, name), d)
	}
	return c.gather(mark), diag.Join(wrong)
}

// field returns the path element of a field.
func (w *walker) field(m *graph.Map, name string) fieldpath.PathElement {
	if f := m.Field(name); f != nil {
		return fieldpath.PathElement{FieldName: &f.Name}
	}
	s := w.names.one()
	*s = name
	return fieldpath.PathElement{FieldName: s}
}

// both compares two values. Values that are read as different kinds, which
// only types of several kinds allow, are compared as each of them.
func (c *comparer) both(n *graph.Node, x, y any) (delta, diag.Findings) {
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
		return delta{}, noType(n)
	}
	left, right := kindsFor(n, classOf(x)), kindsFor(n, classOf(y))
	d, wrong := c.kind(n, first(right), x, y)
	if left != right {
		other, also := c.kind(n, first(left), x, y)
		d, wrong = d.union(other), append(also, wrong...)
	}
	return d, wrong
}

// union returns the differences of d and of other.
func (d delta) union(other delta) delta {
	d.self |= other.self
	for way, s := range other.below {
		switch {
		case d.below[way] == nil:
			d.below[way] = s
		case s != nil:
			d.below[way] = d.below[way].Union(s)
		}
	}
	return d
}

func (c *comparer) kind(n *graph.Node, k graph.Kinds, x, y any) (delta, diag.Findings) {
	switch k {
	case graph.MapKind:
		return c.maps(n, x, y, asMap(x), asMap(y))
	case graph.ScalarKind:
		left, right := checkScalar(n, x, "lhs: "), checkScalar(n, y, "rhs: ")
		if left != nil && right != nil {
			return delta{}, append(left, right...)
		}
		return c.leaf(n, x, y), nil
	case graph.ListKind:
		return c.lists(n, x, y, asList(x), asList(y))
	}
	return delta{}, noKind(n)
}

func (c *comparer) leaf(n *graph.Node, x, y any) delta {
	if value.EqualUnstructured(x, y) || n.Declarative && same(n, nil, x, true, y, true) {
		return delta{}
	}
	return delta{self: 1 << isModified}
}

// maps compares x and y as maps: a and b are their entries, none where they
// are no maps.
func (c *comparer) maps(n *graph.Node, x, y any, a, b map[string]any) (delta, diag.Findings) {
	m := n.Map
	if len(a) == 0 && len(b) == 0 || m.Atomic {
		return c.leaf(n, x, y), nil
	}
	if c.valid && sameMap(a, b) {
		return delta{}, nil
	}
	var wrong []diag.Under
	mark := c.w.changes.len()
	add := func(name string, d delta, fs diag.Findings) {
		if fs != nil {
			wrong = append(wrong, diag.Under{Name: name, Findings: fs.Prefix("." + name)})
		}
		if !d.none() {
			c.note(c.w.field(m, name), d)
		}
	}
	shared := 0
	for name, v := range a {
		u, ok := b[name]
		if ok {
			shared++
		}
		if n.Declarative && (!ok || v == nil || u == nil) && saysTheSame(m, name, v, u, ok) {
			continue
		}
		if !ok {
			d, fs := c.one(m.At(name), v, isRemoved)
			add(name, d, fs)
			continue
		}
		if c.valid && sameScalar(v, u) {
			continue
		}
		d, fs := c.both(m.At(name), v, u)
		add(name, d, fs)
	}
	if shared < len(b) {
		for name, u := range b {
			if _, ok := a[name]; ok || n.Declarative && saysTheSame(m, name, u, nil, false) {
				continue
			}
			d, fs := c.one(m.At(name), u, isAdded)
			add(name, d, fs)
		}
	}
	return delta{below: c.gather(mark)}, diag.Join(wrong)
}

// saysTheSame says whether v, and u if it is present, stand for the same as the
// field of that name: one of them may be a null that is no value, or absent and
// the other the default.
func saysTheSame(m *graph.Map, name string, v, u any, present bool) bool {
	t, def := fieldAt(m, name)
	if present && nullable(t) {
		return false
	}
	return same(t, def, v, true, u, present)
}

// sameScalar says whether v and u are the same scalar. No schema is needed to
// know that they do not differ.
func sameScalar(v, u any) bool {
	switch x := v.(type) {
	case string:
		y, ok := u.(string)
		return ok && x == y
	case int64:
		y, ok := u.(int64)
		return ok && x == y
	case bool:
		y, ok := u.(bool)
		return ok && x == y
	}
	return false
}
