// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

// equal holds where two values of n that are there are equal as the KEP
// "Immutable fields" has it: all of them, but for the order of sets.
//
// == of CEL is used where it means that. It does not mean it for fields that can
// be null, which it takes for absent in one of two objects, for lists of type
// map, whose order it passes over, for sets of objects, for which it fails, and
// for names that it reads as another.
func (b *builder) equal(n *node, x, y string) condition {
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
func (b *builder) piecewise(n *node, x, y string) condition {
	switch {
	case scalar(n):
		return compare(x, "==", y)
	case n.kind == "array":
		return b.equalLists(n, x, y)
	case n.additional != nil:
		k := b.variable("k")
		same := b.loop(func() condition { return b.same(n.additional, b.element(n.additional, x+"["+k+"]", y+"["+k+"]")) })
		return and(compare(x+".size()", "==", y+".size()"), says(x, ".all(", k, ", ", and(says(k, " in ", y), same).text, ")"))
	}
	var all []condition
	for _, name := range n.names() {
		child := n.properties[name]
		switch _, ok := escape(name); {
		case !hasType(child):
			b.doubt(child, NoType)
		case !ok:
			b.doubt(child, NoName)
		default:
			all = append(all, b.same(child, b.property(pair{term{text: x}, term{text: y}}, n, name)))
		}
	}
	if unknownFields(n) {
		b.doubt(n, UnknownFields)
	}
	return and(all...)
}

// equals is ==, in both directions where one of them passes over a null. Before
// Kubernetes 1.34 an object with a null was not even equal to itself: then its parts
// are compared, if that takes no bounds that are not there.
func (b *builder) equals(n *node, x, y string, parts func() condition) condition {
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

func (b *builder) equalLists(n *node, x, y string) condition {
	sizes := compare(x+".size()", "==", y+".size()")
	switch {
	case n.listType == "set":
		return and(sizes, b.each(n, x, y, func(v, w string) condition { return b.equal(n.items, v, w) }))
	case n.listType != "map":
	case b.options.IgnoreItemOrder:
		return and(sizes, b.each(n, x, y, func(v, w string) condition { return b.equal(n.items, v, w) }))
	case !b.hard(n.items) && !(b.apart && nullBelow(n)):
		// What map returns is a plain list, whose order counts.
		b.doubts(n.items)
		i := b.variable("i")
		plain := func(list string) string { return list + ".map(" + i + ", " + i + ")" }
		return b.equals(n, plain(x), plain(y), func() condition { return b.equalItems(n, x, y) })
	}
	return b.equalItems(n, x, y)
}

// equalItems compares lists by index.
func (b *builder) equalItems(n *node, x, y string) condition {
	return and(compare(x+".size()", "==", y+".size()"), b.indexed(n, pair{term{text: x}, term{text: y}}, func(x, y string) condition {
		return b.same(n.items, b.element(n.items, x, y))
	}))
}

// hard says whether == means something else for values of n.
func (b *builder) hard(n *node) bool {
	if known, ok := b.hardness[n]; ok {
		return known
	}
	hard := false
	switch {
	case n.kind == "array" && n.listType == "map":
		hard = !b.options.IgnoreItemOrder || !plainKeys(n) || b.hard(n.items)
	case n.kind == "array" && n.listType == "set":
		hard = !scalar(n.items)
	case n.kind == "array" && n.items != nil:
		hard = b.hard(n.items)
	case n.kind == "object" && n.additional != nil:
		hard = b.hard(n.additional)
	case n.kind == "object":
		for name, p := range n.properties {
			hard = hard || !plainName(name) || p.nullable && b.exactNulls(n) || b.hard(p)
		}
	}
	b.hardness[n] = hard
	return hard
}

func scalar(n *node) bool { return n.kind != "object" && n.kind != "array" }

// nullBelow says whether a property that can be null is in values of n.
func nullBelow(n *node) bool {
	found := false
	for _, p := range n.properties {
		found = found || p.nullable || nullBelow(p)
	}
	if n.items != nil {
		found = found || nullBelow(n.items)
	}
	if n.additional != nil {
		found = found || nullBelow(n.additional)
	}
	return found
}

// unknownFields says whether objects of n can have fields that n does not name.
func unknownFields(n *node) bool {
	return n.kind == "object" && (n.preserve || n.embedded || n.additionalAllows)
}
