// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
)

// schema compares what two states of a schema take and what becomes of it.
func (c *comparison) schema(path string, a, b *tree.Node) {
	if b.Preserve && b.Kind == "" {
		return // anything goes
	}
	if from, to := kind(a), kind(b); from != to && !widens(from, to) {
		c.add(b.At, path, "type-changed", from, to, "was %s and is %s: what is stored as before is refused once it is written", from, to)
		return
	}
	if a.Nullable && !b.Nullable && b.Def == nil {
		c.add(b.At, path, "null-refused", true, nil, "could be null: null is dropped or refused now")
	}
	c.enum(path, a, b)
	c.bounds(path, a, b)
	c.patterns(path, a, b)
	c.conditions(path, a, b)
	c.rules(path, a, b)
	c.fields(path, a, b)
	c.unique(path, a, b)
	if a.Items != nil && b.Items != nil {
		c.defaults(path+"[*]", a.Items, b.Items)
		c.schema(path+"[*]", a.Items, b.Items)
	}
}

// kind is the type of a schema, as messages have it.
func kind(n *tree.Node) string {
	switch {
	case n.IntString:
		return "integer or string"
	case n.Kind == "":
		return "anything"
	}
	return n.Kind
}

// widens says whether what one type takes is taken by the other.
func widens(from, to string) bool {
	return to == "anything" || from == "integer" && to == "number" || (from == "integer" || from == "string") && to == "integer or string"
}

// unique compares whether items may be there twice. Those of a map that differ in some keys
// do in more.
func (c *comparison) unique(path string, a, b *tree.Node) {
	sets := func(n *tree.Node) bool { return n.ListType == "set" || n.ListType == "map" }
	kept := a.ListType == b.ListType && !slices.ContainsFunc(a.Keys, func(key string) bool { return !slices.Contains(b.Keys, key) })
	if most, ok := number(a.Raw["maxItems"]); !sets(b) || kept || ok && most <= 1 {
		return
	}
	says := map[string]string{"set": "is a set from now on", "map": "is a list with keys from now on"}[b.ListType]
	if a.ListType == b.ListType {
		says = "has fewer keys"
	}
	c.add(b.At.At("x-kubernetes-list-type"), path, "items-unique", a.Raw["x-kubernetes-list-type"], b.ListType, "%s: duplicates are refused", says)
}

func (c *comparison) enum(path string, a, b *tree.Node) {
	is := list(b.Raw["enum"])
	if b.Raw["enum"] == nil {
		return
	}
	if a.Raw["enum"] == nil {
		c.add(b.At.At("enum"), path, "enum-narrowed", nil, is, "had any value and has one of %s: others are refused", tree.Flow(is))
		return
	}
	var gone []any
	for _, v := range list(a.Raw["enum"]) {
		if !slices.ContainsFunc(is, func(w any) bool { return reflect.DeepEqual(v, w) }) {
			gone = append(gone, v)
		}
	}
	if len(gone) > 0 {
		c.add(b.At.At("enum"), path, "enum-narrowed", list(a.Raw["enum"]), is, "could be %s, which is refused now", tree.Flow(gone))
	}
}

// bounds compares bounds. The format of a number is two of them.
func (c *comparison) bounds(path string, a, b *tree.Node) {
	for _, k := range []string{"minimum", "minLength", "minItems", "minProperties", "maximum", "maxLength", "maxItems", "maxProperties"} {
		if _, ok := number(b.Raw[k]); !ok || enumerated(a, func(v any) bool { return declared(b, k).takes(k, v) }) || declared(b, k).holds(k, reach(a, k)) {
			continue
		}
		if a.Raw[k] == nil {
			c.add(b.At.At(k), path, "bound-tightened", nil, b.Raw[k], "has %s %s, and had none: what is beyond it is refused", k, tree.Flow(b.Raw[k]))
		} else {
			c.add(b.At.At(k), path, "bound-tightened", a.Raw[k], b.Raw[k], "had %s %s and has %s: what lies between is refused", k, tree.Flow(a.Raw[k]), tree.Flow(b.Raw[k]))
		}
	}
	for _, k := range []string{"minimum", "maximum"} {
		l := limit(b, k)
		if l.there && !l.holds(k, reach(a, k)) && !l.holds(k, declared(b, k)) {
			c.add(b.At.At("format"), path, "bound-tightened", a.Raw["format"], b.Raw["format"], "has the format %s, and had not: what is beyond it is refused", b.Raw["format"])
			break
		}
	}
	if m, ok := number(b.Raw["multipleOf"]); ok {
		if was, had := number(a.Raw["multipleOf"]); !had || was != m {
			c.add(b.At.At("multipleOf"), path, "bound-tightened", a.Raw["multipleOf"], b.Raw["multipleOf"], "is a multiple of %s from now on: other numbers are refused", tree.Flow(b.Raw["multipleOf"]))
		}
	}
}

// enumerated says whether an enum leaves values to a schema all of which are taken.
func enumerated(n *tree.Node, taken func(v any) bool) bool {
	values := list(n.Raw["enum"])
	return values != nil && !slices.ContainsFunc(values, func(v any) bool { return !taken(v) })
}

// patterns compares patterns and formats. Which texts two formats take is not compared.
func (c *comparison) patterns(path string, a, b *tree.Node) {
	if b.Pattern != "" && b.Pattern != a.Pattern && !matches(a, b.Pattern) {
		switch text, found, known := onlyOld(a.Pattern, b.Pattern); {
		case a.Pattern == "":
			c.texts(path, "pattern", a.Pattern, b.Pattern, "", b)
		case found:
			c.texts(path, "pattern", a.Pattern, b.Pattern, ", as "+strconv.Quote(text)+",", b)
		case !known:
			c.texts(path, "pattern", a.Pattern, b.Pattern, "", b)
		}
	}
	if was, is := format(a), format(b); is != "" && is != was {
		c.texts(path, "format", was, is, "", b)
	}
}

func (c *comparison) texts(path, k, was, is, example string, b *tree.Node) {
	if was == "" {
		c.add(b.At.At(k), path, "pattern-added", nil, is, "has the %s %s, and had none: what does not match is refused", k, tree.Flow(is))
		return
	}
	c.add(b.At.At(k), path, "pattern-changed", was, is, "had the %s %s and has %s: what matches the old one only%s is refused", k, tree.Flow(was), tree.Flow(is), example)
}

// matches says whether all texts that a schema takes match a pattern, if its enum tells.
func matches(n *tree.Node, pattern string) bool {
	re, err := regexp.Compile(pattern)
	return err == nil && enumerated(n, func(v any) bool {
		s, ok := v.(string)
		return ok && re.MatchString(s)
	})
}

// conditions compares value validation, each keyword as a whole, but for fields that are new,
// which no object has yet.
func (c *comparison) conditions(path string, a, b *tree.Node) {
	for _, k := range []string{"allOf", "anyOf", "oneOf", "not"} {
		was, is := a.Raw[k], b.Raw[k]
		if is == nil || reflect.DeepEqual(was, is) || b.IntString && k == "anyOf" {
			continue
		}
		p := &place{a, b}
		left := c.left(p, map[string]any{k: is})
		if left == true || was != nil && reflect.DeepEqual(left, c.left(p, map[string]any{k: was})) {
			continue
		}
		c.add(b.At.At(k), path, "conditions-changed", was, is, "%s is not as it was: what it does not take is refused", k)
	}
}

// left is what value validation says without fields that no object has: true or false, or
// the rest of it.
func (c *comparison) left(p *place, v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	rest := map[string]any{}
	for k, says := range m {
		switch k {
		case "required":
			if slices.ContainsFunc(list(says), func(name any) bool {
				s, _ := name.(string)
				return c.absent(p, s) && p.now.Properties[s].Def == nil
			}) {
				return false
			}
			rest[k] = says
		case "not":
			switch w := c.left(p, says); w {
			case true:
				return false
			case false:
			default:
				rest[k] = w
			}
		case "allOf", "anyOf", "oneOf":
			var some []any
			for _, one := range list(says) {
				w := c.left(p, one)
				if w == false && k == "allOf" {
					return false
				}
				if w != false && !(w == true && k == "allOf") {
					some = append(some, w)
				}
			}
			if some == nil && k != "allOf" {
				return false
			}
			if some != nil {
				rest[k] = some
			}
		default:
			rest[k] = says
		}
	}
	if len(rest) == 0 {
		return true
	}
	return rest
}

// rules compares x-kubernetes-validations by what they say.
func (c *comparison) rules(path string, a, b *tree.Node) {
	for i, r := range b.Rules {
		if !slices.ContainsFunc(a.Rules, func(old tree.Rule) bool { return old.Text == r.Text }) && !c.harmless(r, a, b) {
			c.add(b.At.At("x-kubernetes-validations").Nth(i), path, "rule-added", nil, r.Text, "has the rule %s: what breaks it is refused", tree.Shorten(r.Text, tree.MaxValue))
		}
	}
}

// fields compares the fields of maps.
func (c *comparison) fields(path string, a, b *tree.Node) {
	if isMap(a) && !b.Preserve && !isMap(b) && (a.Preserve || a.Additional != nil || a.AdditionalAllows) {
		c.add(b.At, path, "unknown-fields-dropped", true, nil, "kept fields of any name, and keeps declared ones only: others are dropped")
	}
	for _, name := range a.Names() {
		at := path + "." + name
		f, g := a.Properties[name], b.Properties[name]
		switch {
		case g != nil:
			c.required(at, name, a, b)
			if f.Def != nil || f.Nullable || !slices.Contains(a.Required, name) { // otherwise none lacks it
				c.defaults(at, f, g)
			}
			c.schema(at, f, g)
		case b.Additional != nil:
			c.schema(at, f, b.Additional)
		case b.Preserve, b.AdditionalAllows, path == "" && tree.IsMeta(name):
		default:
			c.gone(f.At, at, "field-gone", f.Raw, "is gone: what objects have there is dropped by the next write")
		}
	}
	for _, name := range b.Names() {
		if a.Properties[name] != nil {
			continue
		}
		if g := b.Properties[name]; a.Preserve || a.Additional != nil || a.AdditionalAllows {
			c.add(g.At, path+"."+name, "field-declared", nil, kind(g), "could hold anything, and is declared as %s: what is none is refused", kind(g))
		}
		c.required(path+"."+name, name, a, b)
	}
	for _, name := range b.Required {
		// Of the object itself, what all objects have is there.
		if b.Properties[name] == nil && (path != "" || !tree.IsMeta(name)) {
			c.required(path+"."+name, name, a, b)
		}
	}
	if a.Additional != nil && b.Additional != nil {
		c.defaults(path+".*", a.Additional, b.Additional)
		c.schema(path+".*", a.Additional, b.Additional)
	}
}

// isMap says whether a schema takes fields that it does not name.
func isMap(n *tree.Node) bool { return n.Preserve || n.Additional != nil || n.AdditionalAllows }

// required notes a field, declared or not, that objects must have from now on and that nothing
// fills in.
func (c *comparison) required(path, name string, a, b *tree.Node) {
	at, filled := b.At.At("required"), false
	if g := b.Properties[name]; g != nil {
		at, filled = g.At, g.Def != nil
	}
	if slices.Contains(b.Required, name) && !slices.Contains(a.Required, name) && !filled {
		c.add(at, path, "field-required", nil, true, "is required from now on and has no default: objects without it are refused")
	}
}

func (c *comparison) defaults(path string, a, b *tree.Node) {
	if reflect.DeepEqual(a.Def, b.Def) || sameDuration(a.Def, b.Def) {
		return
	}
	switch {
	case a.Def == nil:
		c.add(b.At.At("default"), path, "default-added", nil, b.Def, "has the default %s, and had none: objects without it get that when they are read", tree.Flow(b.Def))
	case b.Def == nil:
		c.gone(a.At.At("default"), path, "default-gone", a.Def, "had the default %s, and has none: objects that were written without it lose it", tree.Flow(a.Def))
	default:
		c.add(b.At.At("default"), path, "default-changed", a.Def, b.Def, "had the default %s and has %s: objects and manifests without it mean another thing", tree.Flow(a.Def), tree.Flow(b.Def))
	}
}

// sameDuration says whether two texts are one duration, as 1h and 1h0m0s are.
func sameDuration(a, b any) bool {
	s, _ := a.(string)
	t, _ := b.(string)
	was, err := time.ParseDuration(s)
	is, bad := time.ParseDuration(t)
	return err == nil && bad == nil && was == is
}
