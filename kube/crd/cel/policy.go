// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
)

// Policy returns the ValidatingAdmissionPolicies, with their bindings, that do what
// the rules cannot: for each version one, nil if the rules are exact. Policies see
// objects as they are, so that a null is not absent and 2^53+1 is no other number;
// what they cost depends on the objects only. They are another thing to install, and
// refuse without the path of the field.
//
// They replace rules that would refuse what a marker allows, see [Doubt]: with
// Options.Policy, there are none such among the rules.
//
// left are the markers that neither do: those in lists that need maxItems.
func (t *Translation) Policy() (objects []map[string]any, left []Doubt) {
	for _, v := range t.doc.Versions {
		if v.Schema == nil {
			continue
		}
		p := &policy{options: t.options}
		p.validate(v.Schema, t.unsaid)
		for _, n := range p.left {
			left = append(left, t.doubtOf(n, n, NoIndex))
		}
		if len(p.validations) > 0 {
			objects = append(objects, t.policyObjects(v.Name, p.validations)...)
		}
	}
	return objects, left
}

// mapping is a mapping of a Kubernetes object.
type mapping = map[string]any

func (t *Translation) policyObjects(version string, validations []any) []map[string]any {
	d := t.definition
	name := "immutable." + version + "." + d.Plural + "." + d.Group
	of := func(kind string, spec mapping) mapping {
		return mapping{"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": mapping{"name": name}, "spec": spec}
	}
	return []map[string]any{
		of("ValidatingAdmissionPolicy", mapping{
			"failurePolicy": "Fail",
			"matchConstraints": mapping{
				"matchPolicy": "Exact",
				"resourceRules": []any{mapping{
					"apiGroups": []any{d.Group}, "apiVersions": []any{version}, "operations": []any{"UPDATE"},
					"resources": []any{d.Plural, d.Plural + "/status"},
				}},
			},
			"validations": validations,
		}),
		of("ValidatingAdmissionPolicyBinding", mapping{"policyName": name, "validationActions": []any{"Deny"}}),
	}
}

// policy writes the validations of one version.
type policy struct {
	options     Options
	validations []any
	left        []*tree.Node
	// endless is set if a list would have to be gone through by index whose length
	// has no bound.
	endless   bool
	variables map[string]int
}

// admitted are the objects that policies are about.
var admitted = pair{term{text: "object"}, term{text: "oldObject"}}

// validate adds validations for the markers of the schemas in asked.
func (p *policy) validate(root *tree.Node, asked map[*tree.Node]bool) {
	var walk func(way []*tree.Node)
	walk = func(way []*tree.Node) {
		n := way[len(way)-1]
		if asked[n] {
			for _, marker := range n.Marked() {
				for _, m := range meanings(marker) {
					p.variables, p.endless = map[string]int{}, false
					c := p.along(way, admitted, m)
					if p.endless {
						if !slices.Contains(p.left, n) {
							p.left = append(p.left, n)
						}
						continue
					}
					reason := "Invalid"
					if m.reason() != "" {
						reason = "Forbidden"
					}
					p.validations = append(p.validations, mapping{
						"expression": c.text + signature + marker,
						"message":    strings.TrimPrefix(fieldOfSchema(n.At), ".") + ": " + m.message(),
						"reason":     reason,
					})
				}
			}
		}
		eachThatChanges(n, func(child *tree.Node) { walk(append(way[:len(way):len(way)], child)) })
	}
	walk([]*tree.Node{root})
}

// along holds where the marker at the end of the way is kept, for values of its
// beginning that are there.
func (p *policy) along(way []*tree.Node, at pair, m meaning) condition {
	n, child := way[0], way[1]
	step := func(at pair) condition {
		if len(way) == 2 {
			return p.own(child, m, at)
		}
		return where(at.both(), p.along(way[1:], at, m))
	}
	x, y := at.now.text, at.old.text
	switch {
	case n.Kind == "array" && n.ListType == "map":
		v, w := p.variable("v"), p.variable("w")
		return says(x, ".all(", v, ", ", y, ".all(", w, ", ", or(not(p.sameItem(n, v, w)), step(pair{term{text: v}, term{text: w}})).text, "))")
	case n.Kind == "array":
		return p.indexed(n, x, y, func(x, y string) condition { return step(element(child, x, y)) })
	case n.Additional == child:
		k := p.variable("k")
		return says(x, ".all(", k, ", ", or(condition{"!(" + k + " in " + y + ")", tight}, step(element(child, x+"["+k+"]", y+"["+k+"]"))).text, ")")
	}
	return step(member(child, child.At.Field, x, y))
}

// member is a property of raw objects.
func member(child *tree.Node, name, x, y string) pair {
	part := func(object string) term {
		t := term{text: object + "." + name, there: says("has(", object, ".", name, ")")}
		if escaped, ok := escape(name); !ok || escaped != name {
			quoted := strconv.Quote(name)
			t = term{text: object + "[" + quoted + "]", there: condition{quoted + " in " + object, comparison}}
		}
		t.key = t.there
		if child.Nullable || child.Kind == "" && !child.IntString {
			t.there = and(t.key, compare(t.text, "!=", "null"))
		}
		return t
	}
	return pair{part(x), part(y)}
}

// element is an item or a value of raw lists and maps.
func element(n *tree.Node, x, y string) pair {
	part := func(text string) term {
		t := term{text: text}
		if n.Nullable || n.Kind == "" && !n.IntString {
			t.there = compare(text, "!=", "null")
		}
		return t
	}
	return pair{part(x), part(y)}
}

// own is what a marker at n wants of a pair of values.
func (p *policy) own(n *tree.Node, m meaning, at pair) condition {
	switch m {
	case fixed:
		same := p.equal(n, at.now.text, at.old.text)
		if at.now.key.always() {
			return same
		}
		return and(sameAnswer(at.now.key, at.old.key), where(at.now.key, same))
	case once:
		return where(at.old.there, and(at.now.there, p.equal(n, at.now.text, at.old.text)))
	case noneAdded:
		return p.contained(n, at)
	case noneRemoved:
		return p.contained(n, at.swapped())
	}
	panic(m.unknown())
}

// contained holds where each key of the new value is one of the old. A value that is
// not there has no keys.
func (p *policy) contained(n *tree.Node, at pair) condition {
	all := p.allIn(n, at.now.text, at.old.text)
	if at.now.there.always() {
		return all
	}
	return or(not(at.now.there), compare(at.now.text+".size()", "==", "0"), and(at.old.there, all))
}

func (p *policy) allIn(n *tree.Node, x, y string) condition {
	if n.ListType != "map" {
		k := p.variable("k")
		return says(x, ".all(", k, ", ", k, " in ", y, ")")
	}
	v, w := p.variable("v"), p.variable("w")
	return says(x, ".all(", v, ", ", y, ".exists(", w, ", ", p.sameItem(n, v, w).text, "))")
}

func (p *policy) sameItem(n *tree.Node, v, w string) condition {
	var all []condition
	for _, key := range n.Keys {
		at := member(n.Items.Properties[key], key, v, w)
		all = append(all, compare(at.now.text, "==", at.old.text))
	}
	return and(all...)
}

// equal holds where two values, either of which may be null, are equal but for the
// order of sets.
func (p *policy) equal(n *tree.Node, x, y string) condition {
	if !p.unordered(n) {
		return compare(x, "==", y)
	}
	c := p.parts(n, x, y)
	if n.Nullable {
		null := or(compare(x, "==", "null"), compare(y, "==", "null"))
		return or(and(null, compare(x, "==", y)), and(not(null), c))
	}
	return c
}

func (p *policy) parts(n *tree.Node, x, y string) condition {
	sizes := compare(x+".size()", "==", y+".size()")
	switch {
	case n.Kind == "array" && n.ListType == "set":
		v, w := p.variable("v"), p.variable("w")
		count := func(list string) string { return list + ".filter(" + w + ", " + w + " == " + v + ").size()" }
		return and(sizes, says(x, ".all(", v, ", ", count(x), " == ", count(y), ")"))
	case n.Kind == "array" && n.ListType == "map" && p.options.IgnoreItemOrder:
		v, w := p.variable("v"), p.variable("w")
		return and(sizes, says(x, ".all(", v, ", ", y, ".exists(", w, ", ", p.equal(n.Items, v, w).text, "))"))
	case n.Kind == "array":
		return and(sizes, p.indexed(n, x, y, func(x, y string) condition { return p.equal(n.Items, x, y) }))
	}
	k := p.variable("k")
	keys := says(x, ".all(", k, ", ", k, " in ", y, ")")
	if n.Additional != nil {
		same := p.equal(n.Additional, x+"["+k+"]", y+"["+k+"]")
		return and(sizes, says(x, ".all(", k, ", ", and(condition{k + " in " + y, comparison}, same).text, ")"))
	}
	var all []condition
	var names []string
	for _, name := range n.Names() {
		if child := n.Properties[name]; p.unordered(child) {
			names = append(names, strconv.Quote(name))
			at := member(child, name, x, y)
			all = append(all, where(at.now.key, p.equal(child, at.now.text, at.old.text)))
		}
	}
	others := says(x, ".all(", k, ", ", k, " in [", strings.Join(names, ", "), "] || ", x, "[", k, "] == ", y, "[", k, "])")
	return and(append([]condition{sizes, keys, others}, all...)...)
}

// unordered says whether the order of a list in values of n does not count.
func (p *policy) unordered(n *tree.Node) bool {
	if n.Kind == "array" && (n.ListType == "set" || n.ListType == "map" && p.options.IgnoreItemOrder) {
		return true
	}
	found := false
	n.Each(func(child *tree.Node) { found = found || p.unordered(child) })
	return found
}

// indexed holds where a condition does for all pairs of items of one index.
func (p *policy) indexed(n *tree.Node, x, y string, same func(x, y string) condition) condition {
	i := p.variable("i")
	if p.options.Dialect == Newest {
		v := p.variable("v")
		return says(x, ".all(", i, ", ", v, ", ", or(compare(i, ">=", y+".size()"), same(v, y+"["+i+"]")).text, ")")
	}
	most, ok := bounds(nil).of(n)
	if !ok || most > maxIndexes {
		p.endless = true
		most = 1
	}
	return says(indexes(most), ".all(", i, ", ", or(compare(i, ">=", x+".size()"), compare(i, ">=", y+".size()"), same(x+"["+i+"]", y+"["+i+"]")).text, ")")
}

func (p *policy) variable(name string) string { return variable(p.variables, name) }
