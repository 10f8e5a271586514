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

// builder writes one rule, with bounds that the schema may not have.
type builder struct {
	*translator
	want   *want
	bounds bounds

	variables map[string]int
	hardness  map[*tree.Node]bool
	// lacks are the lists whose bounds are not such that the rule can be written.
	lacks []*tree.Node
	// loops is how many macros stand around what is being written. steep says that
	// macros were nested: the cost of the rule grows faster than its values.
	loops int
	steep bool
	// size is about how long the rule is, in bytes.
	size int
	// apart is set where values that can hold null are compared by their parts.
	apart bool
	found []Doubt
}

// bounds are upper bounds that schemas do not state, tried instead: of items of lists,
// entries of maps, characters of strings.
type bounds map[*tree.Node]int64

// of returns the bound of a schema, whichever is the lower one.
func (b bounds) of(n *tree.Node) (most int64, ok bool) {
	most, ok = n.Raw[boundedBy(n)].(int64)
	if other, given := b[n]; given && (!ok || other < most) {
		return other, true
	}
	return max(most, 0), ok
}

// boundedBy is the keyword that bounds how large a value is, "" if there is
// none.
func boundedBy(n *tree.Node) string {
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

// variable returns a name for the variable of a macro.
func (b *builder) variable(name string) string { return variable(b.variables, name) }

func variable(used map[string]int, name string) string {
	used[name]++
	if i := used[name]; i > 1 {
		return name + strconv.Itoa(i)
	}
	return name
}

const (
	// maxIndexes is how many indexes a rule lists.
	maxIndexes = 1000
	// maxSquare is for how many items a rule compares all with all. The API
	// server takes more, and then fails every update of a list that has them.
	maxSquare = 500
)

// indexes is the list of all indexes of a list.
func (b *builder) indexes(n *tree.Node) string {
	most, ok := b.bounds.of(n)
	if !ok || most > maxIndexes {
		b.lacks = append(b.lacks, n)
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

// loop is what f writes, within one macro more.
func (b *builder) loop(f func() condition) condition {
	b.loops++
	b.steep = b.steep || b.loops > 1
	c := f()
	b.loops--
	return c
}

// square says that the rule compares all items of a list with all.
func (b *builder) square(n *tree.Node) {
	b.steep = true
	if most, ok := b.bounds.of(n); !ok || most > maxSquare {
		b.lacks = append(b.lacks, n)
	}
}

// maxRule is how long a rule can be: CEL takes no more.
const maxRule = 100_000

// write writes the rule with its signature, "" if there is nothing that CEL
// could say. The rule is not whole if it would be longer than CEL takes.
func (t *translator) write(w *want, more bounds) (rule string, b *builder) {
	b = &builder{translator: t, want: w, bounds: more, variables: map[string]int{}, hardness: map[*tree.Node]bool{}}
	if c := w.build(b); !c.always() {
		rule = c.text + signature + w.marker
	}
	return rule, b
}

func (b *builder) tooLong(rule string) bool { return b.size > maxRule || len(rule) > maxRule }

// term is a value in a rule.
type term struct {
	text string
	// there says that the value is there and not null; it always is if that
	// always holds.
	there condition
	// key says that it is there, null or not, if there is a way to know.
	key condition
}

// pair is a new value and the old one.
type pair struct{ now, old term }

// whole are the values that a rule is about.
var whole = pair{term{text: "self"}, term{text: "oldSelf"}}

func (p pair) swapped() pair { return pair{p.old, p.now} }

// both says that both values are there.
func (p pair) both() condition { return and(p.now.there, p.old.there) }

// meaning is what a transition rule wants. Keys that are immutable are two of these.
// Each switch over meanings has a case for every one and panics otherwise;
// TestEveryMeaningIsHandled goes through them all.
type meaning int

const (
	fixed meaning = iota
	once
	noneAdded
	noneRemoved

	allMeanings // how many there are
)

// meanings are what a marker wants; a rule is written for each of them.
func meanings(marker string) (all []meaning) {
	rule := tree.RuleOf(marker)
	for m := range allMeanings {
		if m.of(rule) {
			all = append(all, m)
		}
	}
	return all
}

// of says whether a transition rule wants m.
func (m meaning) of(rule *graph.TransitionRule) bool {
	switch m {
	case fixed:
		return rule.Whole && !rule.MaySet
	case once:
		return rule.Whole && rule.MaySet
	case noneAdded:
		return rule.NoneAdded
	case noneRemoved:
		return rule.NoneRemoved
	}
	panic(m.unknown())
}

func (m meaning) unknown() string { return "no case for meaning " + strconv.Itoa(int(m)) }

// means says whether n has a marker of a meaning.
func means(n *tree.Node, m meaning) bool { return markerOf(n, m) != "" }

func markerOf(n *tree.Node, m meaning) string {
	for _, marker := range n.Marked() {
		if slices.Contains(meanings(marker), m) {
			return marker
		}
	}
	return ""
}

// property returns the pair of a property of objects of schema n. CEL can name
// it, and has a type for it.
func (b *builder) property(p pair, n *tree.Node, name string) pair {
	escaped, _ := escape(name)
	part := func(t term) term {
		text := t.text + "." + escaped
		out := term{text: text, there: says("has(", text, ")")}
		if n.Properties[name].Nullable && b.exactNulls(n) {
			k := b.variable("k")
			out.key = says("dyn(", t.text, ").exists(", k, ", ", k, " == '", escaped, "')")
		}
		return out
	}
	return pair{part(p.now), part(p.old)}
}

// exactNulls says whether a rule can tell null from absent among the properties
// of n. What the schema does not know is no key that CEL could go through.
func (b *builder) exactNulls(n *tree.Node) bool {
	return b.options.Dialect == Newest && !n.Preserve && !n.Embedded
}

// element returns the pair of an item or of a value of a map, of schema n.
func (b *builder) element(n *tree.Node, now, old string) pair {
	part := func(text string) term {
		if !n.Nullable {
			return term{text: text}
		}
		is := compare("dyn("+text+")", "!=", "null")
		return term{text: text, there: is, key: is}
	}
	return pair{part(now), part(old)}
}

// own is what a marker at n wants of a pair of values.
func (b *builder) own(n *tree.Node, m meaning, p pair) condition {
	switch m {
	case fixed:
		return b.sameOrAbsent(n, p)
	case once:
		return where(p.old.there, and(p.now.there, b.equal(n, p.now.text, p.old.text)))
	case noneAdded:
		return b.contained(n, p)
	case noneRemoved:
		return b.contained(n, p.swapped())
	}
	panic(m.unknown())
}

// sameOrAbsent holds where both values are there and equal, or neither is there.
func (b *builder) sameOrAbsent(n *tree.Node, p pair) condition {
	if p.now.there.always() {
		return b.equal(n, p.now.text, p.old.text)
	}
	presence := sameAnswer(p.now.there, p.old.there)
	switch {
	case n.Nullable && p.now.key.always():
		b.doubt(n, NullAbsent)
	case p.now.key != p.now.there && !p.now.key.always():
		presence = and(sameAnswer(p.now.key, p.old.key), presence)
	}
	return and(presence, where(p.now.there, b.equal(n, p.now.text, p.old.text)))
}

// contained holds where each key of the new value is one of the old. A value
// that is not there has no keys.
func (b *builder) contained(n *tree.Node, p pair) condition {
	all := b.allIn(n, p.now.text, p.old.text)
	if all.always() || p.now.there.always() {
		return all
	}
	return or(not(p.now.there), compare(p.now.text+".size()", "==", "0"), and(p.old.there, all))
}

// allIn holds where each key of x, or item of a set, is one of y.
func (b *builder) allIn(n *tree.Node, x, y string) condition {
	union := compare("("+y+" + "+x+").size()", "==", y+".size()")
	switch {
	case n.Kind == "object" && n.Additional == nil: // additionalProperties: true
		b.doubt(n, UnknownFields)
		return condition{}
	case n.Kind == "object":
		if v := n.Additional; v.IntString || v.Kind == "integer" {
			b.doubt(v, FloatInteger) // whoever looks for a key reads its value
		}
		k := b.variable("k")
		return says(x, ".all(", k, ", ", k, " in ", y, ")")
	case n.ListType == "set" && scalar(n.Items):
		b.doubts(n.Items)
		b.doubt(n, Duplicates)
		return union
	case n.ListType == "set":
		return b.each(n, x, y, func(v, w string) condition { return b.equal(n.Items, v, w) })
	case plainKeys(n):
		// Lists of type map become one by their keys.
		for _, key := range n.Keys {
			b.doubts(n.Items.Properties[key])
		}
		return union
	}
	return b.each(n, x, y, func(v, w string) condition { return b.sameItem(n, v, w) })
}

// each holds where there is an item of y for each of x. It takes as many steps
// as there are pairs of items.
func (b *builder) each(n *tree.Node, x, y string, same func(v, w string) condition) condition {
	b.square(n)
	v, w := b.variable("v"), b.variable("w")
	c := b.loop(func() condition { return same(v, w) })
	if c.always() {
		return c
	}
	return says(x, ".all(", v, ", ", y, ".exists(", w, ", ", c.text, "))")
}

// plainKeys says whether the API server finds the keys of a list of type map by
// their names. It has some escaped ones wrong: namespace, a-b.
func plainKeys(n *tree.Node) bool {
	return !slices.ContainsFunc(n.Keys, func(key string) bool {
		escaped, ok := escape(key)
		return ok && escaped != key || !plainName(key)
	})
}

// sameItem holds where two items of a list of type map have the same keys; it
// always does if CEL cannot name these.
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
