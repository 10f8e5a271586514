package engine

import (
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

// Compare returns how right differs from left, both values of type n. If both
// are known to be valid, what is equal is not walked.
func Compare(n *graph.Node, left, right any, valid bool) (Differences, diag.Findings) {
	w := newWalker()
	defer w.done()
	c := comparer{w: w, valid: valid}
	wrong := c.both(n, left, right)
	return c.result(wrong)
}

// CompareOne returns the differences between a value and none at all: all
// paths of v are added, or removed.
func CompareOne(n *graph.Node, v any, added bool) (Differences, diag.Findings) {
	w := newWalker()
	defer w.done()
	c := comparer{w: w}
	side := &c.removed
	if added {
		side = &c.added
	}
	wrong := c.one(n, v, side)
	return c.result(wrong)
}

// comparer walks two values with the path on a stack; the path elements of
// list items are made only where there is a difference.
type comparer struct {
	w                        *walker
	valid                    bool
	removed, modified, added *fieldpath.Set
}

func (c *comparer) result(wrong diag.Findings) (Differences, diag.Findings) {
	if wrong != nil {
		return Differences{}, wrong
	}
	return Differences{Removed: orEmpty(c.removed), Modified: orEmpty(c.modified), Added: orEmpty(c.added)}, nil
}

// put adds the path of the walk to a set.
func (c *comparer) put(set **fieldpath.Set) {
	if c.w.path.len() == 0 {
		return
	}
	if *set == nil {
		*set = fieldpath.NewSet()
	}
	(*set).Insert(fieldpath.Path(c.w.path.s))
}

// at runs f with pe at the end of the path.
func (c *comparer) at(pe fieldpath.PathElement, f func() diag.Findings) diag.Findings {
	mark := c.w.path.len()
	c.w.path.push(pe)
	fs := f()
	c.w.path.pop(mark)
	return fs
}

// one adds all paths of v, which the other side lacks.
func (c *comparer) one(n *graph.Node, v any, side **fieldpath.Set) diag.Findings {
	var wrong diag.Findings
	if n.Missing {
		wrong = noType(n)
	} else {
		switch kindFor(n, v) {
		case graph.MapKind:
			if x := asMap(v); !n.Map.Atomic && len(x) > 0 {
				wrong = c.oneMap(n.Map, x, side)
			}
		case graph.ListKind:
			if x := asList(v); n.List.Relation != graph.Atomic && len(x) > 0 {
				wrong = c.oneList(n.List, x, side)
			}
		case 0:
			wrong = noKind(n)
		}
	}
	c.put(side)
	return wrong
}

func (c *comparer) oneMap(m *graph.Map, x map[string]any, side **fieldpath.Set) diag.Findings {
	var wrong []diag.Under
	for name, v := range x {
		fs := c.at(c.w.field(m, name), func() diag.Findings { return c.one(m.At(name), v, side) })
		if fs != nil {
			wrong = append(wrong, diag.Under{Name: name, Findings: fs.Prefix("." + name)})
		}
	}
	return diag.Join(wrong)
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

func (c *comparer) oneList(l *graph.List, x []any, side **fieldpath.Set) diag.Findings {
	if side == &c.added {
		return c.items(l, nil, x)
	}
	return c.items(l, x, nil)
}

// both compares two values. Values that are read as different kinds, which
// only types of several kinds allow, are compared as each of them.
func (c *comparer) both(n *graph.Node, x, y any) diag.Findings {
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
		return noType(n)
	}
	left, right := kindsFor(n, classOf(x)), kindsFor(n, classOf(y))
	var wrong diag.Findings
	if left != right {
		wrong = c.kind(n, first(left), x, y)
	}
	return append(wrong, c.kind(n, first(right), x, y)...)
}

func (c *comparer) kind(n *graph.Node, k graph.Kinds, x, y any) diag.Findings {
	switch k {
	case graph.MapKind:
		return c.maps(n, x, y, asMap(x), asMap(y))
	case graph.ScalarKind:
		left, right := checkScalar(n, x, "lhs: "), checkScalar(n, y, "rhs: ")
		if left != nil && right != nil {
			return append(left, right...)
		}
		c.leaf(n, x, y)
		return nil
	case graph.ListKind:
		return c.lists(n, x, y, asList(x), asList(y))
	}
	return noKind(n)
}

func (c *comparer) leaf(n *graph.Node, x, y any) {
	if !value.EqualUnstructured(x, y) && !(n.Declarative && same(n, nil, x, true, y, true)) {
		c.put(&c.modified)
	}
}

// maps compares x and y as maps: a and b are their entries, none where they
// are no maps.
func (c *comparer) maps(n *graph.Node, x, y any, a, b map[string]any) diag.Findings {
	m := n.Map
	if len(a) == 0 && len(b) == 0 || m.Atomic {
		c.leaf(n, x, y)
		return nil
	}
	if c.valid && sameMap(a, b) {
		return nil
	}
	var wrong []diag.Under
	add := func(name string, fs diag.Findings) {
		if fs != nil {
			wrong = append(wrong, diag.Under{Name: name, Findings: fs.Prefix("." + name)})
		}
	}
	mark := c.w.path.len()
	c.w.path.push(fieldpath.PathElement{})
	shared := 0
	for name, v := range a {
		u, ok := b[name]
		if ok {
			shared++
		}
		if n.Declarative && (v == nil || u == nil) {
			if t, def := fieldAt(m, name); !nullable(t) && same(t, def, v, true, u, ok) && (v == nil || ok) {
				continue
			}
		}
		if !ok {
			c.w.path.s[mark] = c.w.field(m, name)
			add(name, c.one(m.At(name), v, &c.removed))
			continue
		}
		if c.valid && sameScalar(v, u) {
			continue
		}
		t := m.Elem
		if f := m.Field(name); f != nil {
			t = f.Type
			c.w.path.s[mark] = fieldpath.PathElement{FieldName: &f.Name}
		} else {
			c.w.path.s[mark] = c.w.field(m, name)
		}
		add(name, c.both(t, v, u))
	}
	if shared < len(b) {
		for name, u := range b {
			if _, ok := a[name]; !ok {
				if t, def := fieldAt(m, name); u == nil && n.Declarative && !nullable(t) && same(t, def, nil, false, u, true) {
					continue
				}
				c.w.path.s[mark] = c.w.field(m, name)
				add(name, c.one(m.At(name), u, &c.added))
			}
		}
	}
	c.w.path.pop(mark)
	return diag.Join(wrong)
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
