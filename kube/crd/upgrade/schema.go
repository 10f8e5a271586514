// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"fmt"
	"math/big"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
)

// schema compares the old and the new schema of a field. It compares which values they accept, and how
// the server stores a value.
func (c *comparison) schema(path string, a, b *tree.Node) {
	if from, to := kind(a), kind(b); from != to && !accepts(from, to) {
		c.add(b.At, path, "type-changed", from, to, "the type changed from %s to %s: a write is rejected while the object has a value of the old type", from, to)
		return
	}
	switch {
	case !a.Nullable || b.Nullable:
	case b.Def == nil:
		c.add(b.At, path, "null-refused", true, nil, "null is no longer allowed: it is dropped or rejected")
	default:
		c.add(b.At, path, "null-defaulted", true, nil, "null is no longer allowed: a stored null becomes the default %s", tree.Flow(b.Def))
	}
	c.enum(path, a, b)
	c.bounds(path, a, b)
	c.patterns(path, a, b)
	c.conditions(path, a, b)
	c.rules(path, a, b)
	outer, fixed := c.removed, c.fixed
	c.fixed = fixed || fixedByRule(b, b, "")
	if !c.fixed {
		c.removed = append(slices.Clip(c.removed), c.removedTransitionRules(path, a, b)...)
	}
	c.markers(path, a, b)
	c.fields(path, a, b)
	c.unique(path, a, b)
	switch {
	case b.Items == nil:
	case a.Items != nil:
		c.defaults(path+"[*]", a.Items, b.Items)
		c.schema(path+"[*]", a.Items, b.Items)
	case a.Preserve:
		c.declared(path+"[*]", "items", b.Items)
	}
	c.reportRemoved(c.removed[len(outer):])
	c.removed, c.fixed = outer, fixed
}

// kind returns the type of a schema as text for messages.
func kind(n *tree.Node) string {
	switch {
	case n.IntString:
		return "integer or string"
	case n.Kind == "":
		return "anything"
	}
	return n.Kind
}

// accepts reports whether the type "to" accepts every value of the type "from". For example, number
// accepts every integer.
func accepts(from, to string) bool {
	return to == "anything" || from == "integer" && to == "number" || (from == "integer" || from == "string") && to == "integer or string"
}

// unique reports a list that no longer allows duplicates. This also happens if a key is removed
// from a list of type map, because items that differ only in this key become duplicates.
func (c *comparison) unique(path string, a, b *tree.Node) {
	rejectsDuplicates := func(n *tree.Node) bool { return n.ListType == "set" || n.ListType == "map" }
	kept := a.ListType == b.ListType && !slices.ContainsFunc(a.Keys, func(key string) bool { return !slices.Contains(b.Keys, key) })
	if most, ok := number(a.Raw["maxItems"]); !rejectsDuplicates(b) || kept || ok && most <= 1 {
		return
	}
	text := map[string]string{"set": "the list type is now set", "map": "the list type is now map"}[b.ListType]
	if a.ListType == b.ListType {
		text = "the list has fewer keys"
	}
	c.add(b.At.At("x-kubernetes-list-type"), path, "items-unique", a.Raw["x-kubernetes-list-type"], b.ListType, "%s: duplicates are rejected", text)
}

func (c *comparison) enum(path string, a, b *tree.Node) {
	before, after := list(a.Raw["enum"]), list(b.Raw["enum"])
	if len(after) == 0 {
		return // servers ignore an empty enum
	}
	if len(before) == 0 {
		c.add(b.At.At("enum"), path, "enum-narrowed", nil, after, "only %s are allowed now: other values are rejected", tree.Flow(after))
		return
	}
	var gone []any
	for _, v := range before {
		if !slices.ContainsFunc(after, func(w any) bool { return reflect.DeepEqual(v, w) }) {
			gone = append(gone, v)
		}
	}
	if len(gone) > 0 {
		c.add(b.At.At("enum"), path, "enum-narrowed", before, after, "the values %s are no longer allowed: the server rejects them", tree.Flow(gone))
	}
}

// bounds compares the bounds of two schemas. A number format counts as a lower and an
// upper bound.
func (c *comparison) bounds(path string, a, b *tree.Node) {
	for _, k := range []string{"minimum", "minLength", "minItems", "minProperties", "maximum", "maxLength", "maxItems", "maxProperties"} {
		was, is := effectiveBound(a, k), declaredBound(b, k)
		widened := is.includes(k, was)
		if k == "maxProperties" {
			was = c.mostFields(a, b)
		}
		if !is.set || enumWithin(a, func(v any) bool { return is.allows(k, v) }) || is.includes(k, was) {
			continue
		}
		before, after := a.Raw[k], b.Raw[k]
		switch {
		case reflect.DeepEqual(before, after):
			c.add(b.At.At(k), path, "bound-tightened", before, after, "%s is still %s, but new defaults add fields: objects that have too many fields with them are rejected", k, tree.Flow(after))
		case widened:
			c.add(b.At.At(k), path, "bound-tightened", before, after, "%s changed from %s to %s, but new defaults add more fields than that: objects that have too many fields with them are rejected", k, tree.Flow(before), tree.Flow(after))
		case before == nil:
			c.add(b.At.At(k), path, "bound-tightened", nil, after, "%s %s is new: values beyond it are rejected", k, tree.Flow(after))
		default:
			c.add(b.At.At(k), path, "bound-tightened", before, after, "%s changed from %s to %s: values in between are rejected", k, tree.Flow(before), tree.Flow(after))
		}
	}
	for _, k := range []string{"minimum", "maximum"} {
		l := formatBound(b, k)
		if l.set && !l.includes(k, effectiveBound(a, k)) && !l.includes(k, declaredBound(b, k)) {
			c.add(b.At.At("format"), path, "bound-tightened", a.Raw["format"], b.Raw["format"], "the format %s is new: values beyond its range are rejected", b.Raw["format"])
			break
		}
	}
	if m := b.Raw["multipleOf"]; m != nil && !onlyMultiples(a, m) {
		c.add(b.At.At("multipleOf"), path, "bound-tightened", a.Raw["multipleOf"], m, "the value must now be a multiple of %s: other numbers are rejected", tree.Flow(m))
	}
}

// mostFields returns an upper bound for the number of fields that an old object has after the server
// adds the defaults of the new schema.
func (c *comparison) mostFields(a, b *tree.Node) bound {
	most, fields := declaredBound(a, "maxProperties"), 0
	for name, g := range b.Properties {
		f, added := a.Properties[name], g.Def != nil && !slices.Contains(a.Required, name)
		if added && (f == nil || f.Def == nil) {
			most.value++
		}
		if added || !c.alwaysAbsent(&place{a, b}, name) {
			fields++
		}
	}
	if !hasOpenFields(b) && (!most.set || float64(fields) < most.value) {
		return bound{value: float64(fields), set: true}
	}
	return most
}

// onlyMultiples reports whether n accepts only multiples of m.
func onlyMultiples(n *tree.Node, m any) bool {
	multiple := func(v any) bool { return isMultiple(v, m) }
	return multiple(n.Raw["multipleOf"]) || n.Kind == "integer" && multiple(int64(1)) || enumWithin(n, multiple)
}

// isMultiple reports whether the number v is a multiple of the number m. It compares the decimal numbers
// in the document, because the closest binary fractions of 1 and 0.1 are no multiples. API servers
// tolerate such small differences.
func isMultiple(v, m any) bool {
	x, y := decimal(v), decimal(m)
	return x != nil && y != nil && y.Sign() != 0 && new(big.Rat).Quo(x, y).IsInt()
}

// decimal returns a number of a document, or nil for any other value.
func decimal(v any) *big.Rat {
	f, ok := number(v)
	if !ok {
		return nil
	}
	x, _ := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64))
	return x
}

// enumWithin reports whether n has an enum and the function accepted returns true for each of its
// values.
func enumWithin(n *tree.Node, accepted func(v any) bool) bool {
	values := list(n.Raw["enum"])
	return len(values) > 0 && !slices.ContainsFunc(values, func(v any) bool { return !accepted(v) })
}

// patterns compares patterns and formats. Any change of a format counts as breaking.
func (c *comparison) patterns(path string, a, b *tree.Node) {
	if b.Pattern != "" && b.Pattern != a.Pattern && !matches(a, b.Pattern) {
		switch text, found, known := findLostMatch(a.Pattern, b.Pattern); {
		case a.Pattern == "":
			c.addTextChange(path, "pattern", a.Pattern, b.Pattern, "", b)
		case found:
			c.addTextChange(path, "pattern", a.Pattern, b.Pattern, ", such as "+strconv.Quote(text)+",", b)
		case !known:
			c.addTextChange(path, "pattern", a.Pattern, b.Pattern, "", b)
		}
	}
	if before, after := format(a), format(b); after != "" && after != before {
		c.addTextChange(path, "format", before, after, "", b)
	}
}

func (c *comparison) addTextChange(path, k, before, after, example string, b *tree.Node) {
	if before == "" {
		c.add(b.At.At(k), path, "pattern-added", nil, after, "the %s %s is new: values that do not match are rejected", k, tree.Flow(after))
		return
	}
	c.add(b.At.At(k), path, "pattern-changed", before, after, "the %s changed from %s to %s: values that match only the old one%s are rejected", k, tree.Flow(before), tree.Flow(after), example)
}

// matches reports whether n has an enum whose values all match a pattern.
func matches(n *tree.Node, pattern string) bool {
	re, err := regexp.Compile(pattern)
	return err == nil && enumWithin(n, func(v any) bool {
		s, ok := v.(string)
		return ok && re.MatchString(s)
	})
}

// fields compares the properties of two schemas, and whether they allow undeclared fields.
func (c *comparison) fields(path string, a, b *tree.Node) {
	if hasOpenFields(a) && !hasOpenFields(b) && !c.startsPruning {
		c.add(b.At, path, "unknown-fields-dropped", true, nil, "fields that the schema does not declare are now dropped")
	}
	fixed := c.fixed
	for _, name := range a.Names() {
		at := path + "." + name
		f, g := a.Properties[name], b.Properties[name]
		switch {
		case g != nil:
			c.fixed = fixed || fixedByRule(b, g, tree.FieldPath(name))
			c.required(at, name, a, b)
			c.optional(at, name, a, b)
			// If every object has the field, its default has no effect.
			if f.Def != nil || f.Nullable || !slices.Contains(a.Required, name) {
				c.defaults(at, f, g)
			}
			c.schema(at, f, g)
			c.fixed = fixed
		case b.Additional != nil:
			c.schema(at, f, b.Additional)
		case b.AdditionalAllows:
			if holdsFields(f) {
				c.add(b.At.At("additionalProperties"), at, "unknown-fields-dropped", nil, true, "the fields inside this field are now dropped")
			}
		case b.Preserve:
		default:
			c.addRemoved(f.At, at, "field-gone", f.Raw, "the field was removed: the next write of an object drops its value")
		}
	}
	for _, name := range b.Names() {
		if a.Properties[name] == nil {
			c.newField(path, name, a, b)
		}
	}
	for _, name := range b.Required {
		if b.Properties[name] == nil {
			c.required(path+"."+name, name, a, b)
		}
	}
	switch at := path + ".*"; {
	case a.Additional != nil && b.Additional != nil:
		c.defaults(at, a.Additional, b.Additional)
		c.schema(at, a.Additional, b.Additional)
	case b.Additional != nil && hasOpenFields(a):
		c.declared(at, "values", b.Additional)
	case b.AdditionalAllows && !a.AdditionalAllows && (a.Additional == nil && a.Preserve || a.Additional != nil && holdsFields(a.Additional)):
		c.add(b.At.At("additionalProperties"), at, "unknown-fields-dropped", nil, true, "the fields inside the values are now dropped")
	}
}

// newField compares a field that only the new schema declares. The old object can have the field if
// the old schema accepts undeclared fields, or if the storage version declares it.
func (c *comparison) newField(path, name string, a, b *tree.Node) {
	at, g := path+"."+name, b.Properties[name]
	if g.Def != nil {
		stored := "every stored object"
		if path != "" {
			stored += " with " + path
		}
		c.add(g.At.At("default"), at, "new-field-default", nil, g.Def, "the field is new and has the default %s: clients see this value in %s", tree.Flow(g.Def), stored)
	}
	switch s := c.stored[a]; {
	case a.Additional != nil:
		c.schema(at, a.Additional, g)
	case isImplied(b, g):
	case hasOpenFields(a):
		c.declared(at, "field", g)
	case s.schema != nil && s.schema.Properties[name] != nil:
		changes := &comparison{old: c.old, now: c.now, version: c.version, siblings: c.siblings}
		changes.schema(at, s.schema.Properties[name], g)
		for _, l := range changes.changes {
			if concernsStored(l, true) {
				l.Message = fmt.Sprintf("the field is new, but the old storage version %s has it; compared with it, %s", s.version, l.Message)
				c.changes = append(c.changes, l)
			}
		}
	}
	c.required(at, name, a, b)
}

// declared reports that a value had no schema and now has one. The argument what is the word for the
// value in the message, such as "field".
func (c *comparison) declared(path, what string, g *tree.Node) {
	if acceptsAnything(g) {
		return
	}
	have, now, dropped := "has", "the type "+kind(g), ""
	if what != "field" {
		have = "have"
	}
	if kind(g) == "anything" {
		now = "constraints"
	}
	if dropsFields(g) {
		dropped = ", and undeclared fields inside are dropped"
	}
	c.add(g.At, path, "field-declared", nil, kind(g), "the %s had no schema and now %s %s: other values are rejected%s", what, have, now, dropped)
}

// required reports a field that the new schema requires and gives no default, if the old schema accepts
// objects without the field. The old schema accepts them if the field is optional or has a default. The
// schemas need not declare the field.
func (c *comparison) required(path, name string, a, b *tree.Node) {
	at, filled := b.At.At("required"), false
	if g := b.Properties[name]; g != nil {
		at, filled = g.At, g.Def != nil
	}
	f := a.Properties[name]
	if slices.Contains(b.Required, name) && (!slices.Contains(a.Required, name) || f != nil && f.Def != nil) && !filled {
		change := "is now required and has no default"
		if slices.Contains(a.Required, name) {
			change = "is required and no longer has a default"
		}
		c.add(at, path, "field-required", nil, true, "the field %s: objects without it are rejected", change)
	}
}

// optional reports a field that is no longer required. It skips fields that already had a default.
func (c *comparison) optional(path, name string, a, b *tree.Node) {
	if !slices.Contains(a.Required, name) || slices.Contains(b.Required, name) || a.Properties[name].Def != nil {
		return
	}
	g, effect := b.Properties[name], ", so clients may read objects without it"
	if g.Def != nil {
		effect = " and sets the default " + tree.Flow(g.Def)
	}
	c.add(g.At, path, "field-optional", true, nil, "the field is no longer required: the server accepts objects without it%s", effect)
}

// sameDefault reports whether two schemas have the same default.
func sameDefault(a, b *tree.Node) bool {
	return reflect.DeepEqual(a.Def, b.Def) || sameDuration(a.Def, b.Def)
}

func (c *comparison) defaults(path string, a, b *tree.Node) {
	if sameDefault(a, b) {
		return
	}
	switch {
	case c.fixed || fixedByRule(b, b, ""):
		at, text := b.At, func(v any) string {
			if v == nil {
				return "none"
			}
			return tree.Flow(v)
		}
		if b.Def != nil {
			at = at.At("default")
		}
		c.add(at, path, "immutable-default", a.Def, b.Def, "the field is immutable, but its default changed from %s to %s, so the value changes in objects that do not store the field", text(a.Def), text(b.Def))
	case a.Def == nil:
		c.add(b.At.At("default"), path, "default-added", nil, b.Def, "the default %s is new: objects without the field get it when they are read", tree.Flow(b.Def))
	case b.Def == nil:
		c.addRemoved(a.At.At("default"), path, "default-gone", a.Def, "the default %s was removed: stored objects without the field no longer get a value", tree.Flow(a.Def))
	default:
		c.add(b.At.At("default"), path, "default-changed", a.Def, b.Def, "the default changed from %s to %s: the value changes in stored objects and manifests without the field", tree.Flow(a.Def), tree.Flow(b.Def))
	}
}

// sameDuration reports whether two texts denote the same duration, such as 1h and 1h0m0s.
func sameDuration(a, b any) bool {
	s, _ := a.(string)
	t, _ := b.(string)
	before, err := time.ParseDuration(s)
	after, bad := time.ParseDuration(t)
	return err == nil && bad == nil && before == after
}
