// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
)

// builder writes the CEL text of one rule. While the translator searches for bounds, a builder
// assumes bounds that the schema does not declare.
type builder struct {
	*translator
	rule   *plannedRule
	bounds bounds

	variables map[string]int
	// hardSchemas caches, for each schema, whether its values must be compared part by part.
	hardSchemas map[*tree.Node]bool
	// missingBounds lists the schemas without a sufficient upper bound. The rule cannot be written
	// because of them.
	missingBounds []*tree.Node
	// loops is the number of CEL macros around the expression that is being written.
	loops int
	// nestedLoops is true if the rule contains nested macros. The cost of such a rule
	// grows faster than the size of the values.
	nestedLoops bool
	// size is the approximate length of the rule in bytes.
	size int
	// If compareByParts is true, values that can contain null are compared part by part.
	compareByParts bool
	doubtsFound    []Doubt
}

// bounds contains upper bounds that the translation assumes although the schema does not
// declare them. They limit the items of a list, the entries of a map or the characters of
// a string.
type bounds map[*tree.Node]int64

// limit returns the upper bound of a schema: the lower of the assumed and the declared
// bound. ok is false if there is none.
func (b bounds) limit(n *tree.Node) (most int64, ok bool) {
	most, ok = n.Raw[boundKeyword(n)].(int64)
	if other, given := b[n]; given && (!ok || other < most) {
		return other, true
	}
	return max(most, 0), ok
}

// boundKeyword returns the keyword that limits the size of n's values, such as maxItems.
// It returns "" if there is none.
func boundKeyword(n *tree.Node) string {
	switch {
	case n.Kind == "array":
		return "maxItems"
	case n.Kind == "object" && n.Additional != nil:
		return "maxProperties"
	case n.Kind == "string" && !slices.Contains([]string{"date", "date-time", "duration"}, keyword(n, "format")):
		if enum, ok := n.Raw["enum"].([]any); ok && len(enum) > 0 {
			return ""
		}
		return "maxLength"
	}
	return ""
}

func keyword(n *tree.Node, keyword string) string {
	s, _ := n.Raw[keyword].(string)
	return s
}

// variable returns an unused name for the variable of a macro.
func (b *builder) variable(name string) string { return variable(b.variables, name) }

func variable(used map[string]int, name string) string {
	used[name]++
	if i := used[name]; i > 1 {
		return name + strconv.Itoa(i)
	}
	return name
}

const (
	// maxIndexes is the maximum length of a list of indexes in a rule, such as [0, 1, 2].
	maxIndexes = 1000
	// maxSquare limits the length of lists for which a rule compares each item with every other item.
	// An API server accepts such a rule for longer lists. But when the rule runs, the server stops it
	// and rejects the update of the object.
	maxSquare = 500
)

// indexes returns a CEL list of all indexes that a list of schema n can have.
func (b *builder) indexes(n *tree.Node) string {
	most, ok := b.bounds.limit(n)
	if !ok || most > maxIndexes {
		b.missingBounds = append(b.missingBounds, n)
		return "[0]"
	}
	return indexes(most)
}

func indexes(most int64) string {
	all := make([]string, most)
	for i := range all {
		all[i] = strconv.Itoa(i)
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// loop calls f to write the condition inside a CEL macro. It also records how deep the macros are
// nested.
func (b *builder) loop(f func() condition) condition {
	b.loops++
	b.nestedLoops = b.nestedLoops || b.loops > 1
	c := f()
	b.loops--
	return c
}

// comparesAllPairs records that the rule compares each item of a list with every other item.
func (b *builder) comparesAllPairs(n *tree.Node) {
	b.nestedLoops = true
	if most, ok := b.bounds.limit(n); !ok || most > maxSquare {
		b.missingBounds = append(b.missingBounds, n)
	}
}

// maxRule is the maximum length of a rule in CEL, in bytes.
const maxRule = 100_000

// write returns the text of a rule, ending with the signature comment. The text is empty if no part of
// the rule can be written in CEL. If the whole rule would be longer than CEL accepts, the text is
// incomplete.
func (t *translator) write(w *plannedRule, more bounds) (rule string, b *builder) {
	b = &builder{translator: t, rule: w, bounds: more, variables: map[string]int{}, hardSchemas: map[*tree.Node]bool{}}
	if c := w.build(b); !c.isTrue() {
		rule = c.text + tree.Signature + w.marker
	}
	return rule, b
}

func (b *builder) tooLong(rule string) bool { return b.size > maxRule || len(rule) > maxRule }

// term is a CEL expression for a value.
type term struct {
	text string
	// notNull is the condition that the value is present and not null.
	notNull condition
	// present is the condition that the value is present, even if it is null. It is the zero
	// condition if CEL cannot distinguish null from absent.
	present condition
}

// pair has the CEL terms for the new value and the old value.
type pair struct{ now, old term }

// rootPair has the terms for the new and the old value of the schema that a rule is
// attached to.
var rootPair = pair{term{text: "self"}, term{text: "oldSelf"}}

func (p pair) swapped() pair { return pair{p.old, p.now} }

// bothPresent returns the condition that the new and the old value are present and not
// null.
func (p pair) bothPresent() condition { return and(p.now.notNull, p.old.notNull) }

// constraint is one requirement that a marker imposes on updates, for example that no item is added.
// Some markers impose two constraints. For example, immutable keys must be neither added nor removed.
//
// Every switch over constraints handles all of them and panics otherwise. TestEveryConstraintIsHandled
// checks this.
type constraint int

const (
	neverChanges constraint = iota
	setOnce
	noneAdded
	noneRemoved

	constraintCount // the number of constraints
)

// constraintsOf returns the constraints of a marker. Each constraint becomes a separate
// CEL rule.
func constraintsOf(marker string) (all []constraint) {
	rule := tree.RuleOf(marker)
	for m := range constraintCount {
		if m.isPartOf(rule) {
			all = append(all, m)
		}
	}
	return all
}

// isPartOf reports whether the constraint m is one of the requirements of a
// transition rule.
func (m constraint) isPartOf(rule *graph.TransitionRule) bool {
	switch m {
	case neverChanges:
		return rule.Whole && !rule.MaySet
	case setOnce:
		return rule.Whole && rule.MaySet
	case noneAdded:
		return rule.NoneAdded
	case noneRemoved:
		return rule.NoneRemoved
	}
	panic(m.unknown())
}

func (m constraint) unknown() string { return "no case for constraint " + strconv.Itoa(int(m)) }

// hasConstraint reports whether n has a marker that imposes the constraint m.
func hasConstraint(n *tree.Node, m constraint) bool { return markerFor(n, m) != "" }

// markerFor returns the first marker of n that has the constraint m, or "" if there is
// none.
func markerFor(n *tree.Node, m constraint) string {
	for _, marker := range n.Marked() {
		if slices.Contains(constraintsOf(marker), m) {
			return marker
		}
	}
	return ""
}

// property returns the CEL terms for one property of the new and the old object. The pair p has the
// terms for the objects, and n is their schema. The caller must check with escape and hasType that CEL
// can refer to the property.
func (b *builder) property(p pair, n *tree.Node, name string) pair {
	escaped, _ := escape(name)
	part := func(t term) term {
		text := t.text + "." + escaped
		out := term{text: text, notNull: call("has(", text, ")")}
		if n.Properties[name].Nullable && b.exactNulls(n) {
			k := b.variable("k")
			out.present = call("dyn(", t.text, ").exists(", k, ", ", k, " == '", escaped, "')")
		}
		return out
	}
	return pair{part(p.now), part(p.old)}
}

// exactNulls reports whether a rule can distinguish a null property of n from an absent one. This
// works only in the newest dialect, and only if n does not allow unknown fields, because CEL does
// not iterate over unknown fields.
func (b *builder) exactNulls(n *tree.Node) bool {
	return b.options.Dialect == Newest && !n.Preserve && !n.Embedded
}

// element returns the terms for a list item or a map value. The arguments now and old are the CEL
// expressions for the new and the old element, and n is the schema of the element.
func (b *builder) element(n *tree.Node, now, old string) pair {
	part := func(text string) term {
		if !n.Nullable {
			return term{text: text}
		}
		is := compare("dyn("+text+")", "!=", "null")
		return term{text: text, notNull: is, present: is}
	}
	return pair{part(now), part(old)}
}

// markerCondition returns the condition that enforces the constraint m of a marker on n. The pair p
// has the terms for the new and the old value of n.
func (b *builder) markerCondition(n *tree.Node, m constraint, p pair) condition {
	switch m {
	case neverChanges:
		return b.sameOrAbsent(n, p)
	case setOnce:
		return implies(p.old.notNull, and(p.now.notNull, b.equal(n, p.now.text, p.old.text)))
	case noneAdded:
		return b.contained(n, p)
	case noneRemoved:
		return b.contained(n, p.swapped())
	}
	panic(m.unknown())
}

// sameOrAbsent returns the condition that both values are absent, or both are present and
// equal.
func (b *builder) sameOrAbsent(n *tree.Node, p pair) condition {
	if p.now.notNull.isTrue() {
		return b.equal(n, p.now.text, p.old.text)
	}
	presence := sameTruth(p.now.notNull, p.old.notNull)
	switch {
	case n.Nullable && p.now.present.isTrue():
		b.doubt(n, NullAbsent)
	case p.now.present != p.now.notNull && !p.now.present.isTrue():
		presence = and(sameTruth(p.now.present, p.old.present), presence)
	}
	return and(presence, implies(p.now.notNull, b.equal(n, p.now.text, p.old.text)))
}

// contained returns the condition that every key of the new value is also in the old
// value. An absent value has no keys.
func (b *builder) contained(n *tree.Node, p pair) condition {
	all := b.keysContained(n, p.now.text, p.old.text)
	if all.isTrue() || p.now.notNull.isTrue() {
		return all
	}
	return or(not(p.now.notNull), compare(p.now.text+".size()", "==", "0"), and(p.old.notNull, all))
}

// keysContained returns the condition that every key of x is also in y. In a set, each
// item is its own key.
func (b *builder) keysContained(n *tree.Node, x, y string) condition {
	union := compare("("+y+" + "+x+").size()", "==", y+".size()")
	switch {
	case n.Kind == "object" && n.Additional == nil: // additionalProperties: true
		b.doubt(n, UnknownFields)
		return condition{}
	case n.Kind == "object":
		if v := n.Additional; v.IntString || v.Kind == "integer" {
			b.doubt(v, FloatInteger) // CEL reads the value to look up a key, and fails if the value is 1.0
		}
		k := b.variable("k")
		return call(x, ".all(", k, ", ", k, " in ", y, ")")
	case n.ListType == "set" && scalar(n.Items):
		b.doubts(n.Items)
		b.doubt(n, Duplicates)
		return union
	case n.ListType == "set":
		return b.allExist(n, x, y, func(v, w string) condition { return b.equal(n.Items, v, w) })
	case plainKeys(n):
		// In CEL, the operator + merges lists of type map by their keys. So x + y is as long as y if
		// all keys of x are also in y.
		for _, key := range n.Keys {
			b.doubts(n.Items.Properties[key])
		}
		return union
	}
	return b.allExist(n, x, y, func(v, w string) condition { return b.sameItem(n, v, w) })
}

// allExist returns the condition that every item of the list x has a counterpart in the list y. Two
// items are counterparts if the condition that the function same returns for them is true. The cost
// grows with the product of the lengths of the lists.
func (b *builder) allExist(n *tree.Node, x, y string, same func(v, w string) condition) condition {
	b.comparesAllPairs(n)
	v, w := b.variable("v"), b.variable("w")
	c := b.loop(func() condition { return same(v, w) })
	if c.isTrue() {
		return c
	}
	return call(x, ".all(", v, ", ", y, ".exists(", w, ", ", c.text, "))")
}

// plainKeys reports whether CEL reads the keys of a list of type map by their real names. CEL
// escapes some names, such as namespace and a-b, and an API server cannot find a list key by its
// escaped name.
func plainKeys(n *tree.Node) bool {
	return !slices.ContainsFunc(n.Keys, func(key string) bool {
		escaped, ok := escape(key)
		return ok && escaped != key || !plainName(key)
	})
}

// sameItem returns the condition that two items of a list of type map have equal keys. The
// condition is always true if CEL has no name for one of the keys.
func (b *builder) sameItem(n *tree.Node, v, w string) condition {
	var all []condition
	for _, key := range n.Keys {
		escaped, ok := escape(key)
		if !ok {
			b.doubt(n.Items.Properties[key], NoName)
			return condition{}
		}
		b.doubts(n.Items.Properties[key])
		all = append(all, compare(v+"."+escaped, "==", w+"."+escaped))
	}
	return and(all...)
}
