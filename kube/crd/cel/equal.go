// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cel

import "github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"

// equal holds where two values of n, both there, are stored alike but for the order of
// sets, as the KEP "Immutable fields" has it.
//
// It is == of CEL where that means the same. It does not for fields that can be null
// (== takes null for absent in one of the two objects), for lists of type map (== ignores
// their order), for sets of objects (== fails) and for names that CEL reads as other ones.
func (b *builder) equal(n *tree.Node, x, y string) condition {
	if b.size += len(x) + len(y); b.size > maxRule {
		return compare(x, "==", y) // nobody will see it
	}
	if b.hard(n) || b.apart && nullBelow(n) {
		return b.piecewise(n, x, y)
	}
	b.doubts(n)
	return b.equals(n, x, y, func() condition { return b.piecewise(n, x, y) })
}

// piecewise compares two values by what they are made of.
func (b *builder) piecewise(n *tree.Node, x, y string) condition {
	switch {
	case scalar(n):
		return compare(x, "==", y)
	case n.Kind == "array":
		return b.equalLists(n, x, y)
	case n.Additional != nil:
		k := b.variable("k")
		same := b.loop(func() condition {
			return b.sameOrAbsent(n.Additional, b.element(n.Additional, x+"["+k+"]", y+"["+k+"]"))
		})
		return and(compare(x+".size()", "==", y+".size()"), says(x, ".all(", k, ", ", and(says(k, " in ", y), same).text, ")"))
	}
	var all []condition
	for _, name := range n.Names() {
		child := n.Properties[name]
		switch _, ok := escape(name); {
		case !hasType(child):
			b.doubt(child, NoType)
		case !ok:
			b.doubt(child, NoName)
		default:
			all = append(all, b.sameOrAbsent(child, b.property(pair{term{text: x}, term{text: y}}, n, name)))
		}
	}
	if unknownFields(n) {
		b.doubt(n, UnknownFields)
	}
	return and(all...)
}

// equals is ==. Where a null may be below, it asks in both directions, since one of them
// may pass over the null. Before Kubernetes 1.34 an object with a null was not equal to
// itself: for these releases the parts are compared, if the schema has the bounds for it.
func (b *builder) equals(n *tree.Node, x, y string, parts func() condition) condition {
	if !nullBelow(n) {
		return compare(x, "==", y)
	}
	both := and(compare(x, "==", y), compare(y, "==", x))
	if b.options.Dialect == Newest {
		return both
	}
	lacks, found := len(b.lacks), len(b.found)
	b.apart = true
	c := parts()
	b.apart = false
	b.found = b.found[:found] // those of == are noted
	if len(b.lacks) > lacks || c.always() {
		b.lacks = b.lacks[:lacks]
		b.doubt(n, NullUnequal)
		return both
	}
	return or(both, and(not(and(compare(x, "==", x), compare(y, "==", y))), c))
}

func (b *builder) equalLists(n *tree.Node, x, y string) condition {
	sizes := compare(x+".size()", "==", y+".size()")
	switch {
	case n.ListType == "set":
		return and(sizes, b.each(n, x, y, func(v, w string) condition { return b.equal(n.Items, v, w) }))
	case n.ListType != "map":
	case b.options.IgnoreItemOrder:
		return and(sizes, b.each(n, x, y, func(v, w string) condition { return b.equal(n.Items, v, w) }))
	case !b.hard(n.Items) && !(b.apart && nullBelow(n)):
		// What map returns is a plain list, whose order counts.
		b.doubts(n.Items)
		i := b.variable("i")
		plain := func(list string) string { return list + ".map(" + i + ", " + i + ")" }
		return b.equals(n, plain(x), plain(y), func() condition { return b.equalItems(n, x, y) })
	}
	return b.equalItems(n, x, y)
}

// equalItems compares lists by index.
func (b *builder) equalItems(n *tree.Node, x, y string) condition {
	return and(compare(x+".size()", "==", y+".size()"), b.indexed(n, pair{term{text: x}, term{text: y}}, func(x, y string) condition {
		return b.sameOrAbsent(n.Items, b.element(n.Items, x, y))
	}))
}

// hard says whether == of CEL means something else than stored alike for values of n.
func (b *builder) hard(n *tree.Node) bool {
	if known, ok := b.hardness[n]; ok {
		return known
	}
	hard := false
	switch {
	case n.Kind == "array" && n.ListType == "map":
		hard = !b.options.IgnoreItemOrder || !plainKeys(n) || b.hard(n.Items)
	case n.Kind == "array" && n.ListType == "set":
		hard = !scalar(n.Items)
	case n.Kind == "array" && n.Items != nil:
		hard = b.hard(n.Items)
	case n.Kind == "object" && n.Additional != nil:
		hard = b.hard(n.Additional)
	case n.Kind == "object":
		for name, p := range n.Properties {
			hard = hard || !plainName(name) || p.Nullable && b.exactNulls(n) || b.hard(p)
		}
	}
	b.hardness[n] = hard
	return hard
}

func scalar(n *tree.Node) bool { return n.Kind != "object" && n.Kind != "array" }

// nullBelow says whether a property that can be null is in values of n.
func nullBelow(n *tree.Node) bool {
	found := false
	for _, p := range n.Properties {
		found = found || p.Nullable || nullBelow(p)
	}
	if n.Items != nil {
		found = found || nullBelow(n.Items)
	}
	if n.Additional != nil {
		found = found || nullBelow(n.Additional)
	}
	return found
}

// unknownFields says whether objects of n can have fields that n does not name.
func unknownFields(n *tree.Node) bool {
	return n.Kind == "object" && (n.Preserve || n.Embedded || n.AdditionalAllows)
}
