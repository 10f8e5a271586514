// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"slices"
	"strings"

	"k8s.io/apiserver/pkg/cel"

	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
)

// translator generates the rules of one version.
//
// planBelow finds the schema that each rule is attached to, its host. Only properties of an
// object, values of a map and items of a list with keys have an old value. So the host of a
// rule about added or removed fields is the object that contains these fields. The host of a
// rule about the content of an atomic list is the list.
//
// translate then writes each rule with a builder, compares its estimated cost with the
// limits of API servers, and searches for bounds if the cost is too high. If a rule
// cannot match its marker exactly, the difference is recorded as a Doubt. A policy can
// then enforce the marker, because it sees raw objects.
type translator struct {
	*Translation
	version *tree.Version
	planned []*plannedRule
	// translated has the rules that can be added to the CRD.
	translated []*translatedRule
	// above maps each schema to its parent.
	above         map[*tree.Node]*tree.Node
	cardinalities map[*tree.Node]uint64
	// searches is the number of rules for which bounds were searched.
	searches int
}

// plannedRule is a rule to be written for a marker.
type plannedRule struct {
	// host is the schema to which the rule is attached. scope is the part of this schema to
	// which the rule applies.
	host, scope, marked *tree.Node
	marker              string
	constraint          constraint
	field               string
	// path has the schemas from the root to the host, including both.
	path []*tree.Node
	// build writes the rule.
	build func(b *builder) condition
}

// planBelow plans a rule for each marker below n. The caller must know that rules can be
// attached to n: the API server matches each new value of n with an old one. Below a
// marker for a whole value, other markers have no effect.
func (t *translator) planBelow(n *tree.Node) {
	switch {
	case !hasType(n):
		t.reportUntyped(n)
	case n.Kind == "array" && n.ListType == "map":
		for _, marker := range n.Items.Marked() {
			t.planAt(n.Items, marker)
		}
		if !n.Items.MarkedWhole() {
			t.planProperties(n.Items, n.Keys)
		}
	case n.Kind == "array" && n.ListType == "set":
		// A changed item is another item.
	case n.Kind == "array":
		t.planList(n)
	case n.Additional != nil:
		t.planValues(n)
	default:
		t.planProperties(n, nil)
	}
}

// planProperties plans the rules for the properties of n. If n is an item of a list, it
// leaves out keys: an item whose key changes is another item.
func (t *translator) planProperties(n *tree.Node, keys []string) {
	for _, name := range n.Names() {
		p := n.Properties[name]
		if !anyMarked(p) || slices.Contains(keys, name) || n == t.version.Schema && tree.IsMeta(name) {
			continue // apiVersion and kind cannot change
		}
		t.planProperty(n, name, p)
		if !p.MarkedWhole() {
			t.planBelow(p)
		}
	}
}

func (t *translator) planProperty(n *tree.Node, name string, p *tree.Node) {
	_, nameable := escape(name)
	for _, marker := range p.Marked() {
		switch {
		case !hasType(p):
			t.doubt(p, p, NoType)
		case !nameable:
			// A rule at the field runs only if both the old and the new object have the field.
			t.doubt(p, p, NoName)
			t.planAt(p, marker)
		default:
			for _, m := range constraintsOf(marker) {
				t.plan(&plannedRule{host: n, scope: p, marked: p, marker: marker, constraint: m, field: fieldPath(name), build: func(b *builder) condition {
					return b.markerCondition(p, m, b.property(rootPair, n, name))
				}})
			}
		}
	}
}

// planAt plans the rules for a marker, attached to the marked schema itself.
func (t *translator) planAt(n *tree.Node, marker string) {
	for _, m := range constraintsOf(marker) {
		t.plan(&plannedRule{host: n, scope: n, marked: n, marker: marker, constraint: m, build: func(b *builder) condition {
			return b.markerCondition(n, m, rootPair)
		}})
	}
}

// planValues plans the rules for the values of a map. They are attached to the map if
// values are nullable, because the API server runs no rule for a null.
func (t *translator) planValues(n *tree.Node) {
	v := n.Additional
	for _, marker := range v.Marked() {
		if !v.Nullable {
			t.planAt(v, marker)
			continue
		}
		for _, m := range constraintsOf(marker) {
			t.plan(&plannedRule{host: n, scope: n, marked: v, marker: marker, constraint: m, build: func(b *builder) condition {
				return b.values(n, rootPair, func(x, y string) condition { return b.markerCondition(v, m, b.element(v, x, y)) })
			}})
		}
	}
	if !v.MarkedWhole() {
		t.planBelow(v)
	}
}

// planList plans the rules for all markers below an atomic list. The list is their host,
// because the API server has no old values of its items.
func (t *translator) planList(n *tree.Node) {
	for m := range constraintCount {
		if marked := firstMarked(n.Items, m); marked != nil {
			t.plan(&plannedRule{host: n, scope: n, marked: marked, marker: markerFor(marked, m), constraint: m, build: func(b *builder) condition {
				return b.conditionsBelow(n, m, rootPair)
			}})
		}
	}
}

func (t *translator) plan(w *plannedRule) {
	w.path = t.path(w.host)
	t.planned = append(t.planned, w)
}

// reportUntyped reports that the markers below a schema without type cannot be
// translated, because rules cannot refer to the marked values.
func (t *translator) reportUntyped(n *tree.Node) {
	eachMutable(n, func(child *tree.Node) {
		if len(child.Marked()) > 0 {
			t.doubt(child, child, NoType)
		}
		t.reportUntyped(child)
	})
}

// eachMutable is like Each, but skips the items of sets. An item of a set cannot
// change, because a changed item is another item.
func eachMutable(n *tree.Node, f func(child *tree.Node)) {
	if n.Kind != "array" || n.ListType != "set" {
		n.Each(f)
	}
}

// hasType reports whether CEL has a type for the values of n.
func hasType(n *tree.Node) bool {
	switch {
	case n.IntString:
		return true
	case n.Kind == "array":
		return n.Items != nil && hasType(n.Items)
	case n.Kind == "object" && n.Additional != nil:
		return hasType(n.Additional)
	}
	return n.Kind != ""
}

// escape returns the name of a property in CEL. ok is false if the property has no name in CEL.
func escape(name string) (escaped string, ok bool) {
	if escaped, ok = cel.Escape(name); !ok {
		return "", false
	}
	back, ok := cel.Unescape(escaped)
	return escaped, ok && back == name
}

// plainName reports whether == finds a property by its name. It does not find a__dash__b, because
// CEL reads this name as a-b.
func plainName(name string) bool {
	back, ok := cel.Unescape(name)
	return ok && back == name
}

// fieldPath returns the path of a property in the syntax of x-kubernetes-validations.
func fieldPath(name string) string {
	if tree.IsWord(name) && !strings.Contains(name, "$") {
		return "." + name
	}
	return "['" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(name) + "']"
}

// message returns the message that the API server uses for its own errors of this kind.
func (m constraint) message() string {
	switch m {
	case neverChanges, setOnce:
		return "field is immutable"
	case noneAdded:
		return "item may not be added"
	case noneRemoved:
		return "item may not be removed"
	}
	panic(m.unknown())
}

// reason returns the field reason of the rule in x-kubernetes-validations. It returns
// "" for the default reason, which is FieldValueInvalid.
func (m constraint) reason() string {
	switch m {
	case neverChanges, setOnce:
		return ""
	case noneAdded, noneRemoved:
		return "FieldValueForbidden"
	}
	panic(m.unknown())
}
