// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
)

// inside is what the markers of one meaning below n want of two values of n, both there.
// It is for places where no rule can stand: items of atomic lists have no old value of
// their own, so the rule at the list goes through them.
func (b *builder) inside(n *tree.Node, m meaning, p pair) condition {
	switch {
	case !markedBelow(n, m):
		return condition{}
	case !hasType(n):
		b.doubt(n, NoType)
		return condition{}
	case n.Kind == "array" && n.ListType == "map":
		return b.matching(n, p, func(v, w string) condition {
			return b.properties(n.Items, m, pair{term{text: v}, term{text: w}}, n.Keys, n.Items)
		})
	case n.Kind == "array" && b.options.Dialect == Newest && means(n.Items, fixed) && m == fixed && !b.hard(n.Items):
		// What both lists have at the beginning.
		b.doubts(n.Items)
		shorter := "[" + p.now.text + ".size(), " + p.old.text + ".size()].min()"
		return b.equals(n, p.now.text+".slice(0, "+shorter+")", p.old.text+".slice(0, "+shorter+")", nil)
	case n.Kind == "array":
		return b.indexed(n, p, func(x, y string) condition { return b.member(n.Items, m, b.element(n.Items, x, y)) })
	case n.Additional != nil:
		return b.values(n, p, func(x, y string) condition { return b.member(n.Additional, m, b.element(n.Additional, x, y)) })
	}
	return b.properties(n, m, p, nil, nil)
}

// member is what markers at n and below want of two values. Below a marker of a whole
// value others add nothing.
func (b *builder) member(n *tree.Node, m meaning, p pair) condition {
	var own condition
	if means(n, m) {
		own = b.own(n, m, p)
	}
	if n.MarkedWhole() {
		return own
	}
	return and(own, where(p.both(), b.inside(n, m, p)))
}

// properties is what markers of the properties of n want, keys left out, and the marker
// of the item itself if n is one.
func (b *builder) properties(n *tree.Node, m meaning, p pair, keys []string, item *tree.Node) condition {
	var all []condition
	if item != nil && means(item, m) {
		all = append(all, b.own(item, m, p))
	}
	if item != nil && item.MarkedWhole() {
		return and(all...)
	}
	for _, name := range n.Names() {
		child := n.Properties[name]
		if !means(child, m) && !markedBelow(child, m) || slices.Contains(keys, name) {
			continue
		}
		switch _, ok := escape(name); {
		case !hasType(child):
			b.doubt(child, NoType)
		case !ok:
			b.doubt(child, NoName)
		default:
			all = append(all, b.member(child, m, b.property(p, n, name)))
		}
	}
	return and(all...)
}

// markedBelow says whether there is a marker of a meaning below n that can be
// broken: the items of a set cannot change.
func markedBelow(n *tree.Node, m meaning) bool {
	found := false
	eachThatChanges(n, func(child *tree.Node) { found = found || means(child, m) || markedBelow(child, m) })
	return found
}

// firstMarked is the first schema with a marker of a meaning at n or below.
func firstMarked(n *tree.Node, m meaning) *tree.Node {
	if means(n, m) {
		return n
	}
	if !markedBelow(n, m) {
		return nil
	}
	var first *tree.Node
	n.Each(func(child *tree.Node) {
		if first == nil {
			first = firstMarked(child, m)
		}
	})
	return first
}

// indexed holds where a condition does for all pairs of items of one index.
func (b *builder) indexed(n *tree.Node, p pair, same func(x, y string) condition) condition {
	x, y := p.now.text, p.old.text
	i := b.variable("i")
	if b.options.Dialect == Newest {
		v := b.variable("v")
		c := b.loop(func() condition { return same(v, y+"["+i+"]") })
		if c.always() {
			return c
		}
		return says(x, ".all(", i, ", ", v, ", ", or(compare(i, ">=", y+".size()"), c).text, ")")
	}
	c := b.loop(func() condition { return same(x+"["+i+"]", y+"["+i+"]") })
	if c.always() {
		return c
	}
	return says(b.indexes(n), ".all(", i, ", ", or(compare(i, ">=", x+".size()"), compare(i, ">=", y+".size()"), c).text, ")")
}

// values holds where a condition does for the values of all keys that both maps
// have.
func (b *builder) values(n *tree.Node, p pair, same func(x, y string) condition) condition {
	k := b.variable("k")
	c := b.loop(func() condition { return same(p.now.text+"["+k+"]", p.old.text+"["+k+"]") })
	if c.always() {
		return c
	}
	return says(p.now.text, ".all(", k, ", ", or(condition{"!(" + k + " in " + p.old.text + ")", tight}, c).text, ")")
}

// matching holds where a condition does for all pairs of items with the same
// keys.
func (b *builder) matching(n *tree.Node, p pair, same func(v, w string) condition) condition {
	b.square(n)
	v, w := b.variable("v"), b.variable("w")
	c := b.loop(func() condition { return same(v, w) })
	match := b.sameItem(n, v, w)
	if c.always() || match.always() {
		return condition{}
	}
	return says(p.now.text, ".all(", v, ", ", p.old.text, ".all(", w, ", ", or(not(match), c).text, "))")
}
