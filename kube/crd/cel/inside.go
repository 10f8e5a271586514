// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
)

// conditionsBelow returns the condition that enforces the constraint m of all markers below n. The
// pair p has the terms for the new and the old value of n, both of which are present.
//
// The rules of atomic lists use this condition. API servers do not match the items of an atomic list
// with old items, so the items cannot have such rules of their own. Instead, the rule of the list
// iterates over the items.
func (b *builder) conditionsBelow(n *tree.Node, m constraint, p pair) condition {
	switch {
	case !markedBelow(n, m):
		return condition{}
	case !hasType(n):
		b.doubt(n, NoType)
		return condition{}
	case n.Kind == "array" && n.ListType == "map":
		return b.matchingItems(n, p, func(v, w string) condition {
			return b.propertyConditions(n.Items, m, pair{term{text: v}, term{text: w}}, n.Keys, n.Items)
		})
	case n.Kind == "array" && b.options.Dialect == Newest && hasConstraint(n.Items, neverChanges) && m == neverChanges && !b.needsParts(n.Items):
		// Compare the items at those indexes that both lists have.
		b.doubts(n.Items)
		shorter := "[" + p.now.text + ".size(), " + p.old.text + ".size()].min()"
		return b.equals(n, p.now.text+".slice(0, "+shorter+")", p.old.text+".slice(0, "+shorter+")", nil)
	case n.Kind == "array":
		return b.indexed(n, p, func(x, y string) condition { return b.memberConditions(n.Items, m, b.element(n.Items, x, y)) })
	case n.Additional != nil:
		return b.values(n, p, func(x, y string) condition { return b.memberConditions(n.Additional, m, b.element(n.Additional, x, y)) })
	}
	return b.propertyConditions(n, m, p, nil, nil)
}

// memberConditions returns the condition that enforces the constraint m of all markers on n and below
// n. The values in p may be absent. If a marker of n applies to the whole value, the markers below n
// have no effect.
func (b *builder) memberConditions(n *tree.Node, m constraint, p pair) condition {
	var own condition
	if hasConstraint(n, m) {
		own = b.markerCondition(n, m, p)
	}
	if n.MarkedWhole() {
		return own
	}
	return and(own, implies(p.bothPresent(), b.conditionsBelow(n, m, p)))
}

// propertyConditions returns the condition that enforces the constraint m of all markers on the
// properties of n, and below them. It skips the properties in keys.
//
// If n is the schema of list items, callers also pass n as item, so that the condition includes the
// markers on n. For other schemas, item is nil.
func (b *builder) propertyConditions(n *tree.Node, m constraint, p pair, keys []string, item *tree.Node) condition {
	var all []condition
	if item != nil && hasConstraint(item, m) {
		all = append(all, b.markerCondition(item, m, p))
	}
	if item != nil && item.MarkedWhole() {
		return and(all...)
	}
	for _, name := range n.Names() {
		child := n.Properties[name]
		if !hasConstraint(child, m) && !markedBelow(child, m) || slices.Contains(keys, name) {
			continue
		}
		switch _, ok := escape(name); {
		case !hasType(child):
			b.doubt(child, NoType)
		case !ok:
			b.doubt(child, NoName)
		default:
			all = append(all, b.memberConditions(child, m, b.property(p, n, name)))
		}
	}
	return and(all...)
}

// markedBelow reports whether a schema below n has a marker with the constraint m. It
// skips items of sets, because they cannot change.
func markedBelow(n *tree.Node, m constraint) bool {
	found := false
	eachMutable(n, func(child *tree.Node) { found = found || hasConstraint(child, m) || markedBelow(child, m) })
	return found
}

// markedWith returns those schemas among n and the schemas below it that have a marker with the
// constraint m. It skips the properties that keys lists. It also skips all schemas inside a value
// whose own marker applies to the whole value.
func markedWith(n *tree.Node, m constraint, keys []string) (all []*tree.Node) {
	if hasConstraint(n, m) {
		all = append(all, n)
	}
	if n.MarkedWhole() {
		return all
	}
	eachMutable(n, func(child *tree.Node) {
		if name := child.At.Field; slices.Contains(keys, name) && n.Properties[name] == child {
			return
		}
		var childKeys []string
		if n.ListType == "map" {
			childKeys = n.Keys
		}
		all = append(all, markedWith(child, m, childKeys)...)
	})
	return all
}

// indexed compares two lists index by index. It returns the condition that same(x, y) is true for
// each new item x and the old item y at the same index. The condition ignores an item if the other
// list has no item at its index.
func (b *builder) indexed(n *tree.Node, p pair, same func(x, y string) condition) condition {
	x, y := p.now.text, p.old.text
	i := b.variable("i")
	if b.options.Dialect == Newest {
		v := b.variable("v")
		c := b.loop(func() condition { return same(v, y+"["+i+"]") })
		if c.isTrue() {
			return c
		}
		return call(x, ".all(", i, ", ", v, ", ", or(compare(i, ">=", y+".size()"), c).text, ")")
	}
	c := b.loop(func() condition { return same(x+"["+i+"]", y+"["+i+"]") })
	if c.isTrue() {
		return c
	}
	return call(b.indexes(n), ".all(", i, ", ", or(compare(i, ">=", x+".size()"), compare(i, ">=", y+".size()"), c).text, ")")
}

// values compares two maps key by key. It returns the condition that same(x, y) is true for each
// new value x and the old value y of the same key. The condition ignores keys that only one of the
// maps has.
func (b *builder) values(n *tree.Node, p pair, same func(x, y string) condition) condition {
	k := b.variable("k")
	c := b.loop(func() condition { return same(p.now.text+"["+k+"]", p.old.text+"["+k+"]") })
	if c.isTrue() {
		return c
	}
	return call(p.now.text, ".all(", k, ", ", or(condition{"!(" + k + " in " + p.old.text + ")", tight}, c).text, ")")
}

// matchingItems compares two lists of type map. It returns the condition that same(v, w) is true
// for each new item v and the old item w with the same keys. If CEL has no name for one of the
// keys, the condition is always true.
func (b *builder) matchingItems(n *tree.Node, p pair, same func(v, w string) condition) condition {
	b.comparesAllPairs(n)
	v, w := b.variable("v"), b.variable("w")
	c := b.loop(func() condition { return same(v, w) })
	match := b.sameItem(n, v, w)
	if c.isTrue() || match.isTrue() {
		return condition{}
	}
	return call(p.now.text, ".all(", v, ", ", p.old.text, ".all(", w, ", ", or(not(match), c).text, "))")
}
