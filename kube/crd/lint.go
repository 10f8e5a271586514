// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"regexp"
	"slices"
	"strings"
)

// Lint returns what the API server takes and what yet does not do what it seems
// to, beyond what Validate finds: keys that a missing value fills with "" or 0,
// defaults that are never or seldom taken, or null, sets of objects and sets with an
// order, lists without list type, conditions with other keys than type, value validation of fields that are not there, unknown keywords. Nothing
// is said of versions that are not served.
func (d *Definition) Lint() Findings {
	r := &report{object: d.object}
	for _, f := range d.malformed {
		if f.Rule == TooDeep || f.Rule == TooLarge {
			return nil // not all of it was read
		}
	}
	if d.doc.beta {
		d.toV1(r)
	}
	for _, v := range d.Versions {
		if v.doc.schema != nil && v.Served {
			l := linter{r}
			l.schema(v.doc.schema, true)
			l.below(v.doc.schema)
		}
	}
	return r.findings()
}

type linter struct{ *report }

// schema looks at n and all that says what data looks like below.
func (l linter) schema(n *node, root bool) {
	l.keywords(n)
	l.idle(n)
	if v, given := n.raw["default"]; given && v == nil {
		l.add(NullDefault, n.at.at("default"), "is null, which is no default: the API server drops it, and the field is absent where nobody writes it; remove it, or give it a value")
	}
	if !root {
		// The API server looks for this at the root only.
		(&checker{l.report}).complete(n)
	}
	l.list(n)
	if n.items != nil && n.items.nullable && n.items.def != nil {
		l.add(Unreachable, n.items.at.at("default"), "items are nullable, so that null is a value and nothing takes this default; remove one of the two")
	}
	if n.additional != nil && n.additional.nullable && n.additional.def != nil {
		l.add(Unreachable, n.additional.at.at("default"), "values are nullable, so that null is a value and nothing takes this default; remove one of the two")
	}
	n.each(func(child *node) { l.schema(child, false) })
}

// keywords looks for what is no keyword, here and in value validation.
func (l linter) keywords(n *node) {
	for _, k := range n.unknown {
		l.add(UnknownKeyword, n.at.at(k), "%s is no keyword of CRDs; the API server drops it", shorten(k, maxValue))
	}
	n.nested(l.keywords)
	if n.kind == "" && !n.intString && !n.preserve {
		n.each(l.keywords) // n is value validation itself
	}
}

func (l linter) list(n *node) {
	if n.kind != "array" || n.items == nil {
		return
	}
	switch {
	case !n.listTyped:
		l.add(NoListType, n.at, "is a list without x-kubernetes-list-type, and so atomic: two managers cannot own items of it; %s", advice(n))
	case n.listType == "set" && (n.items.kind == "object" || n.items.kind == "array"):
		l.add(SetOfObjects, n.at, "is a set of items of type %s: a server-side apply takes scalars in sets only, and fails; make it a map with x-kubernetes-list-map-keys, or atomic", n.items.kind)
	case n.listType == "set" && ordered(n):
		l.add(OrderedSet, n.at.at("x-kubernetes-list-type"), "is a set, whose description speaks of an order: two managers who own items of it cannot tell theirs where to stand; say atomic, or take the order out of the description")
	case n.listType == "map" && strings.HasSuffix(n.at.field, "onditions") && !slices.Contains(n.keys, "type") && isString(n.items.properties["type"]):
		l.add(ConditionsKey, n.at.at("x-kubernetes-list-map-keys"), "are conditions, which are known by their type, and have other keys: a condition that changes would be another item; say [type]")
		fallthrough
	case n.listType == "map":
		for _, key := range n.keys {
			p := n.items.properties[key]
			if p != nil && slices.Contains(n.items.required, key) && isZero(p.def) {
				l.add(ZeroKey, p.at, "is required as key of its list, and yet has the default %s: an item without it becomes that item, and no error says so; remove the default", flow(p.def))
			}
		}
	}
}

func isString(n *node) bool { return n != nil && n.kind == "string" }

// orderly finds an order in a description; orderless finds that there is none.
var (
	orderly   = regexp.MustCompile(`(?i)\b(ordered|in (the|this|that|their|which) order|in order of|(the|their) order (of|in|is|matters)|order (matters|is (significant|important|preserved|kept)))\b`)
	orderless = regexp.MustCompile(`(?i)\b(unordered|(not|never|nor) (be )?ordered|in (no|any) order|order (does not matter|doesn't matter|is not|is (ignored|irrelevant)))\b`)
)

// ordered says whether a list has an order by its description.
func ordered(n *node) bool {
	text, _ := n.raw["description"].(string)
	return orderly.MatchString(text) && !orderless.MatchString(text)
}

// idle looks for markers in the items of a set, which are their own keys.
func (l linter) idle(n *node) {
	if n.kind != "array" || n.listType != "set" || n.items == nil {
		return
	}
	var items func(n *node)
	items = func(n *node) {
		for _, m := range n.marked() {
			l.add(MarkerIdle, n.at.at(m), "does nothing in a set, where an item that changes is another item; mark the set itself, or remove it")
		}
		n.each(items)
	}
	items(n.items)
}

// advice is which list type may be meant.
func advice(n *node) string {
	if n.items.kind != "object" {
		return "say set if no item can be there twice, or atomic"
	}
	for _, key := range []string{"type", "name", "key", "id"} {
		p := n.items.properties[key]
		if p != nil && p.kind == "string" && (key != "type" || strings.HasSuffix(n.at.field, "onditions")) {
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
func (l linter) below(n *node) {
	for _, name := range n.names() {
		p := n.properties[name]
		if p.kind == "object" && p.def == nil && !slices.Contains(n.required, name) {
			if fields := defaultedBelow(p, nil, ""); len(fields) > 0 && canBeEmpty(p) {
				more := ""
				if len(fields) > 3 {
					fields, more = fields[:3], ", …"
				}
				l.add(BelowOptional, p.at, "is optional and has no default, so that the defaults below (%s%s) are taken only where it is written; give it default: {} if they are meant for all",
					strings.Join(fields, ", "), more)
				continue
			}
		}
		l.below(p)
	}
	if n.items != nil {
		l.below(n.items)
	}
	if n.additional != nil {
		l.below(n.additional)
	}
}

// defaultedBelow appends the names of the fields below n that have a default, not
// going into lists and maps, whose items have to be written anyway.
func defaultedBelow(n *node, names []string, prefix string) []string {
	for _, name := range n.names() {
		p := n.properties[name]
		if p.def != nil {
			names = append(names, prefix+name)
			continue
		}
		names = defaultedBelow(p, names, prefix+name+".")
	}
	return names
}

// canBeEmpty says whether {} could be the default of n: the API server judges
// it without the defaults below.
func canBeEmpty(n *node) bool {
	return len(n.required) == 0 && len(n.anyOf)+len(n.oneOf)+len(n.allOf) == 0 && n.not == nil && len(n.rules) == 0 && n.raw["minProperties"] == nil
}
