// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"regexp"
	"slices"
	"strings"
)

// Lint returns what the API server takes and what yet does not do what it seems
// to, beyond what Validate finds: keys that a missing value fills with "" or 0,
// defaults that are never or seldom taken, or null, sets of objects and sets with an
// order, lists without list type, conditions with other keys than type, value validation of fields that are not there, unknown keywords, numbers outside of
// their format. Nothing
// is said of versions that are not served.
func (d *Definition) Lint() Findings {
	r := &report{object: d.object}
	for _, f := range d.malformed {
		if f.Rule == TooDeep || f.Rule == TooLarge {
			return nil // not all of it was read
		}
	}
	if d.doc.Beta {
		d.toV1(r)
	}
	for _, v := range d.Versions {
		if v.doc.Schema != nil && v.Served {
			l := linter{r}
			l.schema(v.doc.Schema, true)
			l.below(v.doc.Schema)
		}
	}
	return r.findings()
}

type linter struct{ *report }

// schema looks at n and all that says what data looks like below.
func (l linter) schema(n *tree.Node, root bool) {
	l.keywords(n)
	l.numbers(n)
	l.idle(n)
	if v, given := n.Raw["default"]; given && v == nil {
		l.add(NullDefault, n.At.At("default"), "is null, which is no default: the API server drops it, and the field is absent where nobody writes it; remove it, or give it a value")
	}
	if !root {
		// The API server looks for this at the root only.
		(&checker{l.report}).complete(n)
	}
	l.list(n)
	if n.Items != nil && n.Items.Nullable && n.Items.Def != nil {
		l.add(openapi.Unreachable, n.Items.At.At("default"), "items are nullable, so that null is a value and nothing takes this default; remove one of the two")
	}
	if n.Additional != nil && n.Additional.Nullable && n.Additional.Def != nil {
		l.add(openapi.Unreachable, n.Additional.At.At("default"), "values are nullable, so that null is a value and nothing takes this default; remove one of the two")
	}
	n.Each(func(child *tree.Node) { l.schema(child, false) })
}

// keywords looks for what is no keyword, here and in value validation.
func (l linter) keywords(n *tree.Node) {
	for _, k := range n.Unknown {
		l.add(UnknownKeyword, n.At.At(k), "%s is no keyword of CRDs; the API server drops it", tree.Shorten(k, tree.MaxValue))
	}
	n.Nested(l.keywords)
	if n.Kind == "" && !n.IntString && !n.Preserve {
		n.Each(l.keywords) // n is value validation itself
	}
}

func (l linter) list(n *tree.Node) {
	if n.Kind != "array" || n.Items == nil {
		return
	}
	switch {
	case !n.ListTyped:
		l.add(openapi.NoListType, n.At, "is a list without x-kubernetes-list-type, and so atomic: two managers cannot own items of it; %s", advice(n))
	case n.ListType == "set" && (n.Items.Kind == "object" || n.Items.Kind == "array"):
		l.add(openapi.SetOfObjects, n.At, "is a set of items of type %s: a server-side apply takes scalars in sets only, and fails; make it a map with x-kubernetes-list-map-keys, or atomic", n.Items.Kind)
	case n.ListType == "set" && ordered(n):
		l.add(OrderedSet, n.At.At("x-kubernetes-list-type"), "is a set, whose description speaks of an order: two managers who own items of it cannot tell theirs where to stand; say atomic, or take the order out of the description")
	case n.ListType == "map" && strings.HasSuffix(n.At.Field, "onditions") && !slices.Contains(n.Keys, "type") && isString(n.Items.Properties["type"]):
		l.add(ConditionsKey, n.At.At("x-kubernetes-list-map-keys"), "are conditions, which are known by their type, and have other keys: a condition that changes would be another item; say [type]")
		fallthrough
	case n.ListType == "map":
		for _, key := range n.Keys {
			p := n.Items.Properties[key]
			if p != nil && slices.Contains(n.Items.Required, key) && isZero(p.Def) {
				l.add(openapi.ZeroKey, p.At, "is required as key of its list, and yet has the default %s: an item without it becomes that item, and no error says so; remove the default", tree.Flow(p.Def))
			}
		}
	}
}

func isString(n *tree.Node) bool { return n != nil && n.Kind == "string" }

// orderly finds an order in a description; orderless finds that there is none.
var (
	orderly   = regexp.MustCompile(`(?i)\b(ordered|in (the|this|that|their|which) order|in order of|(the|their) order (of|in|is|matters)|order (matters|is (significant|important|preserved|kept)))\b`)
	orderless = regexp.MustCompile(`(?i)\b(unordered|(not|never|nor) (be )?ordered|in (no|any) order|order (does not matter|doesn't matter|is not|is (ignored|irrelevant)))\b`)
)

// ordered says whether a list has an order by its description.
func ordered(n *tree.Node) bool {
	text, _ := n.Raw["description"].(string)
	return orderly.MatchString(text) && !orderless.MatchString(text)
}

// idle looks for markers in the items of a set, which are their own keys.
func (l linter) idle(n *tree.Node) {
	if n.Kind != "array" || n.ListType != "set" || n.Items == nil {
		return
	}
	var items func(n *tree.Node)
	items = func(n *tree.Node) {
		for _, m := range n.Marked() {
			l.add(MarkerIdle, n.At.At(m), "does nothing in a set, where an item that changes is another item; mark the set itself, or remove it")
		}
		n.Each(items)
	}
	items(n.Items)
}

// advice is which list type may be meant.
func advice(n *tree.Node) string {
	if n.Items.Kind != "object" {
		return "say set if no item can be there twice, or atomic"
	}
	for _, key := range []string{"type", "name", "key", "id"} {
		p := n.Items.Properties[key]
		if p != nil && p.Kind == "string" && (key != "type" || strings.HasSuffix(n.At.Field, "onditions")) {
			return "say map with x-kubernetes-list-map-keys [" + key + "] if that identifies an item, or atomic"
		}
	}
	return "say map, with the keys that identify an item, or atomic"
}

func isZero(v any) bool {
	return v == "" || v == int64(0) || v == 0.0 || v == false
}

// below looks for defaults below fields that are optional and have none. It says
// so once, at the outermost of these fields.
func (l linter) below(n *tree.Node) {
	for _, name := range n.Names() {
		p := n.Properties[name]
		if p.Kind == "object" && p.Def == nil && !slices.Contains(n.Required, name) {
			if fields := defaultedBelow(p, nil, ""); len(fields) > 0 && canBeEmpty(p) {
				more := ""
				if len(fields) > 3 {
					fields, more = fields[:3], ", …"
				}
				l.add(openapi.BelowOptional, p.At, "is optional and has no default, so that the defaults below (%s%s) are taken only where it is written; give it default: {} if they are meant for all",
					strings.Join(fields, ", "), more)
				continue
			}
		}
		l.below(p)
	}
	if n.Items != nil {
		l.below(n.Items)
	}
	if n.Additional != nil {
		l.below(n.Additional)
	}
}

// defaultedBelow appends the names of the fields below n that have a default, not
// going into lists and maps, whose items have to be written anyway.
func defaultedBelow(n *tree.Node, names []string, prefix string) []string {
	for _, name := range n.Names() {
		p := n.Properties[name]
		if p.Def != nil {
			names = append(names, prefix+name)
			continue
		}
		names = defaultedBelow(p, names, prefix+name+".")
	}
	return names
}

// canBeEmpty says whether {} could be the default of n: the API server judges
// it without the defaults below.
func canBeEmpty(n *tree.Node) bool {
	return len(n.Required) == 0 && len(n.AnyOf)+len(n.OneOf)+len(n.AllOf) == 0 && n.Not == nil && len(n.Rules) == 0 && n.Raw["minProperties"] == nil
}
