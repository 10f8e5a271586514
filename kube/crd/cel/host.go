// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"slices"
	"strings"

	"k8s.io/apiserver/pkg/cel"

	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
)

// translator makes the rules of one version. host finds the schema that a rule stands
// in: only a property of an object, a value of a map and an item of a list with keys have
// an old value, so a rule about what comes and goes stands at the object around it, and a
// rule about what is in an atomic list at that list. decide has a builder write each rule,
// asks for the API server's estimate of what it costs, and looks for bounds that fit if
// that is too much (missing). What the rule cannot tell is a Doubt; a policy says it over
// raw objects.
type translator struct {
	*Translation
	version *tree.Version
	wanted  []*want
	made    []*made
	// above is what each schema stands directly in.
	above         map[*tree.Node]*tree.Node
	cardinalities map[*tree.Node]uint64
	// searches is for how many rules bounds were looked for.
	searches int
}

// want is a rule to be made for a marker.
type want struct {
	// host is the schema that the rule is to stand in, scope the part of it that
	// the rule is about.
	host, scope, marked *tree.Node
	marker              string
	meaning             meaning
	field               string
	// way leads from the root to the host, both included.
	way []*tree.Node
	// build writes the rule.
	build func(b *builder) condition
}

// host wants a rule for each marker below n. Rules can stand at n, since the API server
// pairs each new value of n with an old one. Below a marker of a whole value others add
// nothing.
func (t *translator) host(n *tree.Node) {
	switch {
	case !hasType(n):
		t.untold(n)
	case n.Kind == "array" && n.ListType == "map":
		for _, marker := range n.Items.Marked() {
			t.own(n.Items, marker)
		}
		if !n.Items.MarkedWhole() {
			t.properties(n.Items, n.Keys)
		}
	case n.Kind == "array" && n.ListType == "set":
		// An item that changes is another item.
	case n.Kind == "array":
		t.hoist(n)
	case n.Additional != nil:
		t.values(n)
	default:
		t.properties(n, nil)
	}
}

// properties wants the rules of the properties of n. If n is an item of a list, keys are
// left out: an item whose key changes is another item.
func (t *translator) properties(n *tree.Node, keys []string) {
	for _, name := range n.Names() {
		p := n.Properties[name]
		if !anyMarked(p) || slices.Contains(keys, name) || n == t.version.Schema && tree.IsMeta(name) {
			continue // APIVersion and kind are what they are for ever
		}
		t.property(n, name, p)
		if !p.MarkedWhole() {
			t.host(p)
		}
	}
}

func (t *translator) property(n *tree.Node, name string, p *tree.Node) {
	_, nameable := escape(name)
	for _, marker := range p.Marked() {
		switch {
		case !hasType(p):
			t.doubt(p, p, NoType)
		case !nameable:
			// A rule at the field runs only where it is there, then and now.
			t.doubt(p, p, NoName)
			t.own(p, marker)
		default:
			for _, m := range meanings(marker) {
				t.want(&want{host: n, scope: p, marked: p, marker: marker, meaning: m, field: fieldPath(name), build: func(b *builder) condition {
					return b.own(p, m, b.property(whole, n, name))
				}})
			}
		}
	}
}

// own wants the rules of a marker to stand at the marked schema itself.
func (t *translator) own(n *tree.Node, marker string) {
	for _, m := range meanings(marker) {
		t.want(&want{host: n, scope: n, marked: n, marker: marker, meaning: m, build: func(b *builder) condition {
			return b.own(n, m, whole)
		}})
	}
}

// values wants the rules of the values of a map. They stand at the map if values can be
// null, since the API server runs no rule for a null.
func (t *translator) values(n *tree.Node) {
	v := n.Additional
	for _, marker := range v.Marked() {
		if !v.Nullable {
			t.own(v, marker)
			continue
		}
		for _, m := range meanings(marker) {
			t.want(&want{host: n, scope: n, marked: v, marker: marker, meaning: m, build: func(b *builder) condition {
				return b.values(n, whole, func(x, y string) condition { return b.own(v, m, b.element(v, x, y)) })
			}})
		}
	}
	if !v.MarkedWhole() {
		t.host(v)
	}
}

// hoist wants the rules of all markers below an atomic list. They stand at the list:
// below, the API server knows no old value.
func (t *translator) hoist(n *tree.Node) {
	for m := range allMeanings {
		if marked := firstMarked(n.Items, m); marked != nil {
			t.want(&want{host: n, scope: n, marked: marked, marker: markerOf(marked, m), meaning: m, build: func(b *builder) condition {
				return b.inside(n, m, whole)
			}})
		}
	}
}

func (t *translator) want(w *want) {
	w.way = t.path(w.host)
	t.wanted = append(t.wanted, w)
}

// untold notes for all markers below a schema without type that no rule can name what
// they mark.
func (t *translator) untold(n *tree.Node) {
	eachThatChanges(n, func(child *tree.Node) {
		if len(child.Marked()) > 0 {
			t.doubt(child, child, NoType)
		}
		t.untold(child)
	})
}

// eachThatChanges is Each without the items of sets: an item that changes is another
// item.
func eachThatChanges(n *tree.Node, f func(child *tree.Node)) {
	if n.Kind != "array" || n.ListType != "set" {
		n.Each(f)
	}
}

// hasType says whether CEL has a type for the values of n.
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

// escape returns how CEL names a property; ok is false if it cannot.
func escape(name string) (escaped string, ok bool) {
	if escaped, ok = cel.Escape(name); !ok {
		return "", false
	}
	back, ok := cel.Unescape(escaped)
	return escaped, ok && back == name
}

// plainName says whether == finds a property by its name. It reads a__dash__b as
// a-b.
func plainName(name string) bool {
	back, ok := cel.Unescape(name)
	return ok && back == name
}

// fieldPath is the path of a property, as x-kubernetes-validations writes it.
func fieldPath(name string) string {
	if tree.IsWord(name) && !strings.Contains(name, "$") {
		return "." + name
	}
	return "['" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(name) + "']"
}

// message is that of the API server's own errors.
func (m meaning) message() string {
	switch m {
	case fixed, once:
		return "field is immutable"
	case noneAdded:
		return "item may not be added"
	case noneRemoved:
		return "item may not be removed"
	}
	panic(m.unknown())
}

// reason is what the API server says beside the message, "" for an invalid
// value.
func (m meaning) reason() string {
	switch m {
	case fixed, once:
		return ""
	case noneAdded, noneRemoved:
		return "FieldValueForbidden"
	}
	panic(m.unknown())
}
