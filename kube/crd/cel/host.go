// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"slices"

	"k8s.io/apiserver/pkg/cel"

	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
)

// translator generates the rules for one version of a CRD.
//
// First, planBelow chooses a host for each rule: the schema that the rule is attached to. API
// servers run a rule that refers to an old value only on properties of objects, values of maps and
// items of lists with keys. So the host of a rule about adding or removing a field is the object
// that contains the field. The host of a rule about the items of an atomic list is the list.
//
// Then, translate writes each rule and compares its estimated cost with the limits of API servers.
// If the cost is too high, translate searches for bounds that would make the rule cheaper. If a
// rule cannot match its marker exactly, translate records the difference as a Doubt. A policy can
// then enforce the marker, because policies see raw objects.
type translator struct {
	*Translation
	version *tree.Version
	planned []*plannedRule
	// translated lists the rules that can be added to the CRD.
	translated []*translatedRule
	// above maps each schema to its parent.
	above         map[*tree.Node]*tree.Node
	cardinalities map[*tree.Node]uint64
	// searches is the number of rules for which the translator has searched for bounds.
	searches int
}

// plannedRule describes a rule that enforces a marker, before its text is written.
type plannedRule struct {
	// host is the schema that the rule is attached to. scope is the schema that the rule checks:
	// the host itself or one of its properties.
	host, scope, marked *tree.Node
	// others lists the other schemas whose markers the rule enforces. The rule of an atomic list
	// enforces all markers with the same constraint inside the list.
	others     []*tree.Node
	marker     string
	constraint constraint
	field      string
	// path lists the schemas from the root down to the host. It includes the host.
	path []*tree.Node
	// build writes the rule.
	build func(b *builder) condition
}

// allMarked returns the schemas whose markers the rule enforces.
func (w *plannedRule) allMarked() []*tree.Node { return append([]*tree.Node{w.marked}, w.others...) }

// planBelow plans the rules for the markers inside n. The caller must know that API servers support
// rules on n that refer to the old value. If a marker applies to a whole value, the markers inside
// this value have no effect.
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
		// An item of a set has no rules, because a changed item counts as a different
		// item.
	case n.Kind == "array":
		t.planList(n)
	case n.Additional != nil:
		t.planValues(n)
	default:
		t.planProperties(n, nil)
	}
}

// planProperties plans the rules for the properties of n. If n is the schema of list
// items, keys lists the key fields. Key fields need no rules, because an item whose key
// changes is a different item.
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
			// A rule on the field itself runs only if both the old and the new object have the
			// field.
			t.doubt(p, p, NoName)
			t.planAt(p, marker)
		default:
			for _, m := range constraintsOf(marker) {
				t.plan(&plannedRule{host: n, scope: p, marked: p, marker: marker, constraint: m, field: tree.FieldPath(name), build: func(b *builder) condition {
					return b.markerCondition(p, m, b.property(rootPair, n, name))
				}})
			}
		}
	}
}

// planAt plans the rules for a marker and attaches them to the marked schema itself.
func (t *translator) planAt(n *tree.Node, marker string) {
	for _, m := range constraintsOf(marker) {
		t.plan(&plannedRule{host: n, scope: n, marked: n, marker: marker, constraint: m, build: func(b *builder) condition {
			return b.markerCondition(n, m, rootPair)
		}})
	}
}

// planValues plans the rules for the values of a map. If the values are nullable, it
// attaches the rules to the map, because the API server runs no rules on a null.
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

// planList plans the rules for all markers inside an atomic list. It attaches them to the
// list, because the API server does not match items of such a list with old items.
func (t *translator) planList(n *tree.Node) {
	for m := range constraintCount {
		if all := markedWith(n.Items, m, nil); len(all) > 0 {
			t.plan(&plannedRule{host: n, scope: n, marked: all[0], others: all[1:], marker: markerFor(all[0], m), constraint: m, build: func(b *builder) condition {
				return b.conditionsBelow(n, m, rootPair)
			}})
		}
	}
}

func (t *translator) plan(w *plannedRule) {
	w.path = t.path(w.host)
	t.planned = append(t.planned, w)
}

// reportUntyped records a doubt for each marker below a schema without a type. Rules
// cannot refer to the marked values.
func (t *translator) reportUntyped(n *tree.Node) {
	eachMutable(n, func(child *tree.Node) {
		if len(child.Marked()) > 0 {
			t.doubt(child, child, NoType)
		}
		t.reportUntyped(child)
	})
}

// eachMutable is like Each, but skips the items of sets. The items of a set cannot
// change, because a changed item counts as a different item.
func eachMutable(n *tree.Node, f func(child *tree.Node)) {
	if n.Kind != "array" || n.ListType != "set" {
		n.Each(f)
	}
}

// hasType reports whether CEL has a type for the values of n. Rules cannot refer to values without a
// type.
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

// escape returns the name of a property in CEL. ok is false if CEL has no name for the
// property.
func escape(name string) (escaped string, ok bool) {
	if escaped, ok = cel.Escape(name); !ok {
		return "", false
	}
	back, ok := cel.Unescape(escaped)
	return escaped, ok && back == name
}

// plainName reports whether comparisons of objects in CEL (==) find the property with the given
// name. For example, they do not find the property a__dash__b, because CEL reads this name as a-b.
func plainName(name string) bool {
	back, ok := cel.Unescape(name)
	return ok && back == name
}

// message returns the error message for a violation of the constraint. An API server that
// knows the markers uses the same text.
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

// reason returns the value of the rule's field "reason". It returns "" for the default,
// FieldValueInvalid.
func (m constraint) reason() string {
	switch m {
	case neverChanges, setOnce:
		return ""
	case noneAdded, noneRemoved:
		return "FieldValueForbidden"
	}
	panic(m.unknown())
}
