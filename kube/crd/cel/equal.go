// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cel

import "github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"

// equal returns the condition that two present values of n are equal. The KEP "Immutable fields"
// defines equality: stored values are compared, and only the order of sets is ignored.
//
// The CEL operator == differs from this definition in four cases:
//
//   - It ignores a null in a nullable field if the other object lacks the field.
//   - It ignores the order of lists of type map.
//   - It fails for sets of objects.
//   - It gives a wrong result for objects with a property name that CEL escapes incorrectly.
//
// In all other cases, the condition uses ==.
func (b *builder) equal(n *tree.Node, x, y string) condition {
	if b.size += len(x) + len(y); b.size > maxRule {
		return compare(x, "==", y) // the rule is too long and will be discarded
	}
	if b.needsParts(n) || b.compareByParts && canContainNull(n) {
		return b.equalByParts(n, x, y)
	}
	b.doubts(n)
	return b.equals(n, x, y, func() condition { return b.equalByParts(n, x, y) })
}

// equalByParts returns the condition that two values are equal, by comparing their parts.
func (b *builder) equalByParts(n *tree.Node, x, y string) condition {
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
		return and(compare(x+".size()", "==", y+".size()"), call(x, ".all(", k, ", ", and(call(k, " in ", y), same).text, ")"))
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

// equals returns a condition that compares x and y with ==. If the values can contain null, the
// condition compares x == y and y == x, because a single comparison can overlook a null.
//
// Before Kubernetes 1.34, an object with a null was not even equal to itself. For these releases,
// the condition also compares the values part by part, unless lists without bounds make this too
// expensive. The function parts writes that comparison.
func (b *builder) equals(n *tree.Node, x, y string, parts func() condition) condition {
	if !canContainNull(n) {
		return compare(x, "==", y)
	}
	both := and(compare(x, "==", y), compare(y, "==", x))
	if b.options.Dialect == Newest {
		return both
	}
	missing, found := len(b.missingBounds), len(b.doubtsFound)
	b.compareByParts = true
	c := parts()
	b.compareByParts = false
	b.doubtsFound = b.doubtsFound[:found] // keep only the doubts about ==, which the caller has recorded
	if len(b.missingBounds) > missing || c.isTrue() {
		b.missingBounds = b.missingBounds[:missing]
		b.doubt(n, NullUnequal)
		return both
	}
	return or(both, and(not(and(compare(x, "==", x), compare(y, "==", y))), c))
}

func (b *builder) equalLists(n *tree.Node, x, y string) condition {
	sizes := compare(x+".size()", "==", y+".size()")
	switch {
	case n.ListType == "set":
		return and(sizes, b.allExist(n, x, y, func(v, w string) condition { return b.equal(n.Items, v, w) }))
	case n.ListType != "map":
	case b.options.IgnoreItemOrder:
		return and(sizes, b.allExist(n, x, y, func(v, w string) condition { return b.equal(n.Items, v, w) }))
	case !b.needsParts(n.Items) && !(b.compareByParts && canContainNull(n)):
		// The CEL macro "map" turns a list of type map into a plain list. For plain lists, == also
		// compares the order of the items.
		b.doubts(n.Items)
		i := b.variable("i")
		plain := func(list string) string { return list + ".map(" + i + ", " + i + ")" }
		return b.equals(n, plain(x), plain(y), func() condition { return b.equalItems(n, x, y) })
	}
	return b.equalItems(n, x, y)
}

// equalItems returns the condition that two lists have equal items at the same indexes.
func (b *builder) equalItems(n *tree.Node, x, y string) condition {
	return and(compare(x+".size()", "==", y+".size()"), b.indexed(n, pair{term{text: x}, term{text: y}}, func(x, y string) condition {
		return b.sameOrAbsent(n.Items, b.element(n.Items, x, y))
	}))
}

// needsParts reports whether values of n must be compared part by part, because the CEL operator ==
// does not compare them as the KEP requires. The comment of equal lists these cases.
func (b *builder) needsParts(n *tree.Node) bool {
	if known, ok := b.hardSchemas[n]; ok {
		return known
	}
	result := false
	switch {
	case n.Kind == "array" && n.ListType == "map":
		result = !b.options.IgnoreItemOrder || !plainKeys(n) || b.needsParts(n.Items)
	case n.Kind == "array" && n.ListType == "set":
		result = !scalar(n.Items)
	case n.Kind == "array" && n.Items != nil:
		result = b.needsParts(n.Items)
	case n.Kind == "object" && n.Additional != nil:
		result = b.needsParts(n.Additional)
	case n.Kind == "object":
		for name, p := range n.Properties {
			result = result || !plainName(name) || p.Nullable && b.exactNulls(n) || b.needsParts(p)
		}
	}
	b.hardSchemas[n] = result
	return result
}

func scalar(n *tree.Node) bool { return n.Kind != "object" && n.Kind != "array" }

// canContainNull reports whether a value of n can contain a null in a nullable property.
func canContainNull(n *tree.Node) bool {
	found := false
	for _, p := range n.Properties {
		found = found || p.Nullable || canContainNull(p)
	}
	if n.Items != nil {
		found = found || canContainNull(n.Items)
	}
	if n.Additional != nil {
		found = found || canContainNull(n.Additional)
	}
	return found
}

// unknownFields reports whether objects of schema n can have fields that n does not
// declare.
func unknownFields(n *tree.Node) bool {
	return n.Kind == "object" && (n.Preserve || n.Embedded || n.AdditionalAllows)
}
