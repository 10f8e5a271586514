// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
)

// Policy returns a ValidatingAdmissionPolicy and its binding for each version with markers that the
// rules do not enforce exactly. It returns nil if the rules enforce all markers exactly.
//
// Policies see raw objects, so they distinguish null from absent, and 2^53+1 from 2^53. Their cost
// depends only on the actual objects. However, policies must be installed separately, and their errors
// name the field only in the message.
//
// A rule is too strict if it rejects updates that its marker allows (see [Doubt]). If
// [Options].Policy is true, policies replace the rules that are too strict.
//
// notEnforced lists the markers that neither rules nor policies enforce. All of these markers are
// inside atomic lists without maxItems, or with maxItems above 1000.
func (t *Translation) Policy() (objects []map[string]any, notEnforced []Doubt) {
	for _, v := range t.doc.Versions {
		if v.Schema == nil {
			continue
		}
		p := &policy{options: t.options}
		p.validate(v.Schema, t.inexact)
		for _, n := range p.notEnforced {
			notEnforced = append(notEnforced, t.doubtOf(n, n, NoIndex))
		}
		if len(p.validations) > 0 {
			objects = append(objects, t.policyObjects(v.Name, p.validations)...)
		}
	}
	return objects, notEnforced
}

// mapping is a map in a Kubernetes object.
type mapping = map[string]any

func (t *Translation) policyObjects(version string, validations []any) []map[string]any {
	d := t.definition
	name := "immutable." + version + "." + d.Plural + "." + d.Group
	object := func(kind string, spec mapping) mapping {
		return mapping{"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": mapping{"name": name}, "spec": spec}
	}
	return []map[string]any{
		object("ValidatingAdmissionPolicy", mapping{
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
		object("ValidatingAdmissionPolicyBinding", mapping{"policyName": name, "validationActions": []any{"Deny"}}),
	}
}

// policy writes the validations of one version.
type policy struct {
	options     Options
	validations []any
	notEnforced []*tree.Node
	// needsMaxItems is true if an expression would have to iterate by index over a list of
	// unlimited length.
	needsMaxItems bool
	variables     map[string]int
}

// admittedObjects has the CEL terms for the new and the old object in a policy.
var admittedObjects = pair{term{text: "object"}, term{text: "oldObject"}}

// validate adds validations for all markers on the schemas in inexact, which are below root. The rules
// of the CRD do not enforce these markers exactly. root is the schema of the whole object.
func (p *policy) validate(root *tree.Node, inexact map[*tree.Node]bool) {
	var walk func(path []*tree.Node)
	walk = func(path []*tree.Node) {
		n := path[len(path)-1]
		if inexact[n] {
			for _, marker := range n.Marked() {
				for _, m := range constraintsOf(marker) {
					p.variables, p.needsMaxItems = map[string]int{}, false
					c := p.conditionAlong(path, admittedObjects, m)
					if p.needsMaxItems {
						if !slices.Contains(p.notEnforced, n) {
							p.notEnforced = append(p.notEnforced, n)
						}
						continue
					}
					reason := "Invalid"
					if m.reason() != "" {
						reason = "Forbidden"
					}
					p.validations = append(p.validations, mapping{
						"expression": c.text + tree.Signature + marker,
						"message":    strings.TrimPrefix(fieldOfSchema(n.At), ".") + ": " + m.message(),
						"reason":     reason,
					})
				}
			}
		}
		eachMutable(n, func(child *tree.Node) { walk(append(path[:len(path):len(path)], child)) })
	}
	walk([]*tree.Node{root})
}

// conditionAlong returns the condition that enforces an immutability marker deep inside an object.
// The constraint m says what the marker forbids. The first element of path is the schema of an outer
// value, and the last element is the schema with the marker. The argument at has the CEL terms for
// the new and the old outer value, both of which must be present.
func (p *policy) conditionAlong(path []*tree.Node, at pair, m constraint) condition {
	n, child := path[0], path[1]
	step := func(at pair) condition {
		if len(path) == 2 {
			return p.markerCondition(child, m, at)
		}
		return implies(at.bothPresent(), p.conditionAlong(path[1:], at, m))
	}
	x, y := at.now.text, at.old.text
	switch {
	case n.Kind == "array" && n.ListType == "map":
		v, w := p.variable("v"), p.variable("w")
		return call(x, ".all(", v, ", ", y, ".all(", w, ", ", or(not(p.sameItem(n, v, w)), step(pair{term{text: v}, term{text: w}})).text, "))")
	case n.Kind == "array":
		return p.indexed(n, x, y, func(x, y string) condition { return step(element(child, x, y)) })
	case n.Additional == child:
		k := p.variable("k")
		return call(x, ".all(", k, ", ", or(condition{"!(" + k + " in " + y + ")", tight}, step(element(child, x+"["+k+"]", y+"["+k+"]"))).text, ")")
	}
	return step(member(child, child.At.Field, x, y))
}

// member returns the terms for one property of the raw objects x and y. child is the schema of the
// property.
func member(child *tree.Node, name, x, y string) pair {
	part := func(object string) term {
		t := term{text: object + "." + name, notNull: call("has(", object, ".", name, ")")}
		if escaped, ok := escape(name); !ok || escaped != name {
			quoted := strconv.Quote(name)
			t = term{text: object + "[" + quoted + "]", notNull: condition{quoted + " in " + object, comparison}}
		}
		t.present = t.notNull
		if child.Nullable || child.Kind == "" && !child.IntString {
			t.notNull = and(t.present, compare(t.text, "!=", "null"))
		}
		return t
	}
	return pair{part(x), part(y)}
}

// element returns the CEL terms for two list items or map values of raw objects. x and y are the CEL
// expressions for the two items or values, and n is their schema.
func element(n *tree.Node, x, y string) pair {
	part := func(text string) term {
		t := term{text: text}
		if n.Nullable || n.Kind == "" && !n.IntString {
			t.notNull = compare(text, "!=", "null")
		}
		return t
	}
	return pair{part(x), part(y)}
}

// markerCondition returns the condition that enforces the constraint m of a marker on n. The pair at
// has the CEL terms for the new and the old value of n.
func (p *policy) markerCondition(n *tree.Node, m constraint, at pair) condition {
	switch m {
	case neverChanges:
		same := p.equal(n, at.now.text, at.old.text)
		if at.now.present.isTrue() {
			return same
		}
		return and(sameTruth(at.now.present, at.old.present), implies(at.now.present, same))
	case setOnce:
		return implies(at.old.notNull, and(at.now.notNull, p.equal(n, at.now.text, at.old.text)))
	case noneAdded:
		return p.contained(n, at)
	case noneRemoved:
		return p.contained(n, at.swapped())
	}
	panic(m.unknown())
}

// contained returns the condition that every key of the new value is also in the old
// value. An absent value has no keys.
func (p *policy) contained(n *tree.Node, at pair) condition {
	all := p.keysContained(n, at.now.text, at.old.text)
	if at.now.notNull.isTrue() {
		return all
	}
	return or(not(at.now.notNull), compare(at.now.text+".size()", "==", "0"), and(at.old.notNull, all))
}

// keysContained returns the condition that every key of x is also in y. In a set, each
// item is its own key.
func (p *policy) keysContained(n *tree.Node, x, y string) condition {
	if n.ListType != "map" {
		k := p.variable("k")
		return call(x, ".all(", k, ", ", k, " in ", y, ")")
	}
	v, w := p.variable("v"), p.variable("w")
	return call(x, ".all(", v, ", ", y, ".exists(", w, ", ", p.sameItem(n, v, w).text, "))")
}

func (p *policy) sameItem(n *tree.Node, v, w string) condition {
	var all []condition
	for _, key := range n.Keys {
		at := member(n.Items.Properties[key], key, v, w)
		all = append(all, compare(at.now.text, "==", at.old.text))
	}
	return and(all...)
}

// equal returns the condition that two values are equal. Either value may be null. The
// condition ignores the order of sets.
func (p *policy) equal(n *tree.Node, x, y string) condition {
	if !p.ignoresOrder(n) {
		return compare(x, "==", y)
	}
	c := p.equalByParts(n, x, y)
	if n.Nullable {
		null := or(compare(x, "==", "null"), compare(y, "==", "null"))
		return or(and(null, compare(x, "==", y)), and(not(null), c))
	}
	return c
}

func (p *policy) equalByParts(n *tree.Node, x, y string) condition {
	sizes := compare(x+".size()", "==", y+".size()")
	switch {
	case n.Kind == "array" && n.ListType == "set":
		v, w := p.variable("v"), p.variable("w")
		count := func(list string) string { return list + ".filter(" + w + ", " + w + " == " + v + ").size()" }
		return and(sizes, call(x, ".all(", v, ", ", count(x), " == ", count(y), ")"))
	case n.Kind == "array" && n.ListType == "map" && p.options.IgnoreItemOrder:
		v, w := p.variable("v"), p.variable("w")
		return and(sizes, call(x, ".all(", v, ", ", y, ".exists(", w, ", ", p.equal(n.Items, v, w).text, "))"))
	case n.Kind == "array":
		return and(sizes, p.indexed(n, x, y, func(x, y string) condition { return p.equal(n.Items, x, y) }))
	}
	k := p.variable("k")
	keys := call(x, ".all(", k, ", ", k, " in ", y, ")")
	if n.Additional != nil {
		same := p.equal(n.Additional, x+"["+k+"]", y+"["+k+"]")
		return and(sizes, call(x, ".all(", k, ", ", and(condition{k + " in " + y, comparison}, same).text, ")"))
	}
	var all []condition
	var names []string
	for _, name := range n.Names() {
		if child := n.Properties[name]; p.ignoresOrder(child) {
			names = append(names, strconv.Quote(name))
			at := member(child, name, x, y)
			all = append(all, implies(at.now.present, p.equal(child, at.now.text, at.old.text)))
		}
	}
	others := call(x, ".all(", k, ", ", k, " in [", strings.Join(names, ", "), "] || ", x, "[", k, "] == ", y, "[", k, "])")
	return and(append([]condition{sizes, keys, others}, all...)...)
}

// ignoresOrder reports whether the order of some list does not matter when values of n are compared.
// The list is the value itself, or a list inside the value.
func (p *policy) ignoresOrder(n *tree.Node) bool {
	if n.Kind == "array" && (n.ListType == "set" || n.ListType == "map" && p.options.IgnoreItemOrder) {
		return true
	}
	found := false
	n.Each(func(child *tree.Node) { found = found || p.ignoresOrder(child) })
	return found
}

// indexed compares the lists x and y index by index. It returns the condition that same is true for
// every pair of items with the same index.
func (p *policy) indexed(n *tree.Node, x, y string, same func(x, y string) condition) condition {
	i := p.variable("i")
	if p.options.Dialect == Newest {
		v := p.variable("v")
		return call(x, ".all(", i, ", ", v, ", ", or(compare(i, ">=", y+".size()"), same(v, y+"["+i+"]")).text, ")")
	}
	most, ok := bounds(nil).limit(n)
	if !ok || most > maxIndexes {
		p.needsMaxItems = true
		most = 1
	}
	return call(indexes(most), ".all(", i, ", ", or(compare(i, ">=", x+".size()"), compare(i, ">=", y+".size()"), same(x+"["+i+"]", y+"["+i+"]")).text, ")")
}

func (p *policy) variable(name string) string { return variable(p.variables, name) }
