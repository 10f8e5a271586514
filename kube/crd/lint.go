// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apiserver/pkg/cel"

	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// Lint returns findings about schemas that the API server accepts but that are probably
// mistakes. It does not repeat the errors that Validate returns. Lint reports:
//
//   - keys of list items that default to "" or 0 instead of being required
//   - defaults that are never or seldom used, and defaults that are null
//   - sets of objects, and sets whose items are ordered
//   - lists without a list type
//   - lists of conditions with a key other than "type"
//   - value validation of fields that the schema does not declare
//   - unknown keywords
//   - numbers outside the range of their format
//   - bounds that exclude every value
//   - enum values and examples whose type differs from the type of the field
//   - immutability markers that no CEL rule enforces on released API servers
//   - objects that cannot have any fields
//   - required fields that the schema does not declare
//   - printer columns that are always empty, or whose path servers cannot parse
//   - keys of lists with different defaults in two versions
//   - names that YAML 1.1 reads as booleans, such as "y" and "on"
//   - for a CRD of v1beta1, fields that v1 spells differently
//
// It ignores versions that are not served.
func (d *Definition) Lint() Findings {
	r := &report{object: d.object}
	for _, f := range d.malformed {
		if f.Rule == TooDeep || f.Rule == TooLarge {
			return nil // the CRD was not read completely
		}
	}
	if d.doc.Beta {
		d.reportOldVersion(r)
	}
	l := linter{r}
	for _, w := range d.object.Warnings() {
		r.add(BooleanName, placeOf(d.object, w.Path), "%s", w.Message)
	}
	for _, v := range d.Versions {
		if v.Served {
			l.columnPaths(v)
		}
		if v.doc.Schema != nil && v.Served {
			l.schema(v.doc.Schema, true)
			if !d.doc.Preserves() {
				l.requiredFields(v.doc.Schema, v.doc.Schema, true)
			}
			l.defaultsBelowOptional(v.doc.Schema)
			if !d.doc.Beta {
				l.unenforced(v.doc.Schema, false, "", nil, nil)
			}
		}
	}
	l.keyDefaults(d)
	if d.convertsByName() {
		l.mergeTypes(d)
		l.fieldTypes(d)
	}
	return r.findings()
}

// placeOf returns the place in a CRD that a path leads to.
func placeOf(o *manifest.Object, path string) *tree.Place {
	var at *tree.Place
	steps, _ := o.Steps(path)
	for _, step := range steps {
		switch step := step.(type) {
		case string:
			at = at.At(step)
		case int:
			at = at.Nth(step)
		}
	}
	return at
}

// keyDefaults reports list keys that have different defaults in two served versions. A list item
// that omits such a key has a different key value in each version, so it counts as a different item
// in each version.
func (l linter) keyDefaults(d *Definition) {
	first := map[string]keyDefault{}
	for _, v := range d.Versions {
		if v.doc.Schema == nil || !v.Served {
			continue
		}
		walkKeys(v.doc.Schema, "", func(path string, key *tree.Node) {
			at := path
			other, there := first[at]
			switch {
			case !there:
				first[at] = keyDefault{v.Name, key.Def}
			case !reflect.DeepEqual(other.value, key.Def):
				l.add(KeyDefaultDiffers, key.At, "this key defaults to %s here and to %s in version %s, so an item without the key is a different item in each version, and an apply that merges both items fails; use the same default, or require the key",
					defaultText(key.Def), defaultText(other.value), other.version)
			}
		})
	}
}

// keyDefault is the default of a list key in one version. The value is nil if the key has
// no default.
type keyDefault struct {
	version string
	value   any
}

func defaultText(v any) string {
	if v == nil {
		return "none"
	}
	return tree.Flow(v)
}

// walkKeys calls visit for each list key below n, with the path and the schema of the key.
func walkKeys(n *tree.Node, path string, visit func(path string, key *tree.Node)) {
	if n.Items != nil {
		if n.ListType == "map" {
			for _, name := range n.Keys {
				if key := n.Items.Properties[name]; key != nil {
					visit(path+"[]."+name, key)
				}
			}
		}
		walkKeys(n.Items, path+"[]", visit)
	}
	if n.Additional != nil {
		walkKeys(n.Additional, path+"{}", visit)
	}
	for _, name := range slices.Sorted(maps.Keys(n.Properties)) {
		walkKeys(n.Properties[name], path+"."+name, visit)
	}
}

// mergeTypes reports lists and maps that are merged differently in two served versions. It reports
// each place only once. It does not look inside atomic lists and maps, because managers cannot own
// parts of them.
func (l linter) mergeTypes(d *Definition) {
	reported := map[*tree.Node]bool{}
	var compare func(n, other *tree.Node, version string)
	compare = func(n, other *tree.Node, version string) {
		if n == nil || other == nil || n.Kind != other.Kind {
			return
		}
		if a, b := mergeType(n), mergeType(other); a != b {
			if !reported[n] {
				reported[n] = true
				l.add(MergeTypeDiffers, n.At, "this field is %s here and %s in version %s, but servers do not convert managed fields: after applies in both versions, an apply may keep items that it leaves out, or fail because of duplicates; use the same type in all served versions", a, b, version)
			}
			return
		}
		if isAtomic(n) {
			return
		}
		compare(n.Items, other.Items, version)
		compare(n.Additional, other.Additional, version)
		for _, name := range n.Names() {
			compare(n.Properties[name], other.Properties[name], version)
		}
	}
	d.pairServed(compare)
}

// pairServed calls compare for each pair of served versions, with the schemas of both versions and the
// name of the second version.
func (d *Definition) pairServed(compare func(n, other *tree.Node, version string)) {
	var served []*Version
	for _, v := range d.Versions {
		if !v.Served {
			continue
		}
		for _, w := range served {
			compare(v.doc.Schema, w.doc.Schema, w.Name)
		}
		served = append(served, v)
	}
}

// fieldTypes reports fields that have different types in two served versions. It reports each place only
// once.
func (l linter) fieldTypes(d *Definition) {
	typeOf := func(n *tree.Node) string {
		if n.IntString {
			return "integer or string"
		}
		return n.Kind
	}
	reported := map[*tree.Node]bool{}
	var compare func(n, other *tree.Node, version string)
	compare = func(n, other *tree.Node, version string) {
		if n == nil || other == nil {
			return
		}
		if a, b := typeOf(n), typeOf(other); a != b {
			if a != "" && b != "" && !reported[n] {
				reported[n] = true
				l.add(TypeDiffers, n.At, "this field has the type %s here and %s in version %s, but servers convert objects without changing values: a value that is valid in one version may be invalid in the other; use the same type in all served versions, or another name for the field", a, b, version)
			}
			return
		}
		compare(n.Items, other.Items, version)
		compare(n.Additional, other.Additional, version)
		for _, name := range n.Names() {
			compare(n.Properties[name], other.Properties[name], version)
		}
	}
	d.pairServed(compare)
}

// mergeType describes how a server merges a list or map. It returns "" for other values.
func mergeType(n *tree.Node) string {
	switch {
	case n.Kind == "array" && n.ListType == "map":
		return "a list with the keys [" + strings.Join(slices.Sorted(slices.Values(n.Keys)), ", ") + "]"
	case n.Kind == "array" && n.ListType == "set":
		return "a set"
	case n.Kind == "array":
		return "an atomic list"
	case n.Kind == "object" && isAtomic(n):
		return "an atomic map"
	case n.Kind == "object":
		return "a granular map"
	}
	return ""
}

// isAtomic reports whether managers own a list or map only as a whole.
func isAtomic(n *tree.Node) bool {
	return n.Kind == "array" && n.ListType != "map" && n.ListType != "set" || n.Kind == "object" && n.MapType == "atomic"
}

type linter struct{ *report }

// schema checks n and all schemas below it, except those in allOf, anyOf, oneOf and not.
func (l linter) schema(n *tree.Node, root bool) {
	l.keywords(n)
	l.numbers(n)
	l.emptyRanges(n)
	l.enumTypes(n, n)
	l.example(n)
	l.empty(n, root)
	l.markersInSets(n)
	if v, given := n.Raw["default"]; given && v == nil {
		l.add(NullDefault, n.At.At("default"), "null is not a default: the API server drops it, so the field stays absent unless a client sets it; remove the default, or use a value other than null")
	}
	if !root {
		// Validate calls checkDeclared only for the root, as the API server does. Lint also calls
		// it for all other schemas.
		(&checker{l.report}).checkDeclared(n)
	}
	l.list(n)
	if n.Items != nil && n.Items.Nullable && n.Items.Def != nil {
		l.add(openapi.Unreachable, n.Items.At.At("default"), "this default is never used: items are nullable, so a null item stays null; remove the default or nullable")
	}
	if n.Additional != nil && n.Additional.Nullable && n.Additional.Def != nil {
		l.add(openapi.Unreachable, n.Additional.At.At("default"), "this default is never used: values are nullable, so a null value stays null; remove the default or nullable")
	}
	n.Each(func(child *tree.Node) { l.schema(child, false) })
}

// enumTypes reports enum values whose type differs from the type that n declares, because no object
// can have such a value. v is the schema with the enum. It is n itself, or a schema in allOf,
// anyOf, oneOf or not that restricts the same value.
func (l linter) enumTypes(v, n *tree.Node) {
	values, _ := v.Raw["enum"].([]any)
	for i, value := range values {
		if m := mistyped(v.At.At("enum").Nth(i), value, n); m != nil {
			l.add(EnumType, m.at, "want a value of type %s, found %s: no object can have this value; correct or remove it", m.want, tree.Flow(m.value))
		}
	}
	v.Nested(func(branch *tree.Node) { l.enumTypes(branch, n) })
	if v == n {
		return // Lint calls enumTypes separately for the fields and items of n
	}
	for _, name := range v.Names() {
		if p := n.Properties[name]; p != nil {
			l.enumTypes(v.Properties[name], p)
		}
	}
	if v.Items != nil && n.Items != nil {
		l.enumTypes(v.Items, n.Items)
	}
}

// example reports an example whose type differs from the type of n.
func (l linter) example(n *tree.Node) {
	if m := mistyped(n.At.At("example"), n.Raw["example"], n); m != nil {
		l.add(ExampleType, m.at, "want a value of type %s, found %s; correct the example", m.want, tree.Flow(m.value))
	}
}

// typeMistake is a value whose type differs from the type in its schema.
type typeMistake struct {
	at    *tree.Place
	value any
	want  string
}

// mistyped returns the first value inside v whose type differs from its schema, or nil if there is
// none. The value v is part of the CRD, at the given place. n is its schema. mistyped ignores nulls
// and fields that the schema does not declare.
func mistyped(at *tree.Place, v any, n *tree.Node) *typeMistake {
	if v == nil || n == nil || n.Kind == "" && !n.IntString {
		return nil
	}
	kinds, want := []string{n.Kind}, n.Kind
	if n.IntString {
		kinds, want = []string{"integer", "string"}, "integer or string"
	}
	is := ""
	switch v := v.(type) {
	case bool:
		is = "boolean"
	case string:
		is = "string"
	case map[string]any:
		is = "object"
	case []any:
		is = "array"
	default:
		is = "number"
		if f, ok := number(v); ok && f == math.Trunc(f) {
			is = "integer"
		}
	}
	if !slices.Contains(kinds, is) && !(is == "integer" && n.Kind == "number") {
		return &typeMistake{at, v, want}
	}
	switch v := v.(type) {
	case map[string]any:
		for _, name := range tree.SortedKeys(v) {
			below := n.Properties[name]
			if below == nil {
				below = n.Additional
			}
			if m := mistyped(at.At(name), v[name], below); m != nil {
				return m
			}
		}
	case []any:
		for i, item := range v {
			if m := mistyped(at.Nth(i), item, n.Items); m != nil {
				return m
			}
		}
	}
	return nil
}

// coverage describes the markers that a CEL rule with oldSelf enforces at a path and below it. A rule
// that package kube/crd/cel generated enforces one marker. Any other rule may enforce all markers. For
// such a rule, the field marker is "".
type coverage struct{ path, marker string }

func (c coverage) covers(path, marker string) bool {
	below, ok := strings.CutPrefix(path, c.path)
	return ok && (below == "" || below[0] == '.' || below[0] == '[') && (c.marker == "" || c.marker == marker)
}

// unenforced reports immutability markers that no CEL rule with oldSelf enforces. Released API servers
// ignore all these markers. A rule can enforce a marker if it is on the marked schema or on a schema that
// contains it. unenforced skips sets, because markers have no effect in them. It also skips the keys of
// list items, which identify the item and cannot change.
//
// A rule on an optional field runs only if both the old and the new object have the field. Such a rule
// cannot forbid adding or removing the field. If the marker forbids this, unenforced reports the
// marker, except if a schema that contains the field has a rule with oldSelf.
//
// The argument path is the path of n. The argument around has the rules of the schemas that contain n.
// If n is the schema of list items, keys contains the keys of the list.
func (l linter) unenforced(n *tree.Node, optional bool, path string, around []coverage, keys []string) {
	const parent = "add the rule that dovetail cel generates for the object around this field"
	rules := slices.DeleteFunc(slices.Clone(n.Rules), func(r tree.Rule) bool { return !oldSelf.MatchString(r.Text) })
	onCreate := slices.ContainsFunc(rules, func(r tree.Rule) bool { return r.OptionalOldSelf })
	own := slices.Clip(around)
	for _, r := range rules {
		c := coverage{path, tree.GeneratedFrom(r.Text)}
		if c.marker != "" {
			c.path += r.Field
		}
		own = append(own, c)
	}
	for _, m := range n.Marked() {
		covers := func(c coverage) bool { return c.covers(path, m) }
		if slices.ContainsFunc(around, covers) {
			continue
		}
		if slices.ContainsFunc(own, covers) {
			if updates := uncovered(m, onCreate); optional && updates != "" {
				l.add(MarkerUnenforced, n.At.At(m), "the rules of this field do not run when an update %s it, so released API servers accept such an update; %s", updates, parent)
			}
			continue
		}
		advice := "add the rules that dovetail cel generates"
		switch {
		case m != tree.Immutable:
		case optional:
			advice = parent
		case n.IntString: // for a quantity, a rule should compare equal spellings
		default:
			advice = "add a rule such as self == oldSelf, which dovetail cel can generate"
		}
		l.add(MarkerUnenforced, n.At.At(m), "released API servers ignore %s, so they accept every update of this field; %s", m, advice)
	}
	if n.ListType == "set" || n.MarkedWhole() {
		return
	}
	for _, name := range n.Names() {
		if slices.Contains(keys, name) {
			continue
		}
		p := n.Properties[name]
		_, nameable := cel.Escape(name) // a rule of the parent cannot refer to a name that CEL cannot escape
		l.unenforced(p, nameable && p.Def == nil && !slices.Contains(n.Required, name), path+tree.FieldPath(name), own, nil)
	}
	if n.Additional != nil {
		l.unenforced(n.Additional, false, path+"[]", own, nil)
	}
	if n.Items != nil {
		l.unenforced(n.Items, false, path+"[]", own, n.Keys)
	}
}

// uncovered returns the updates of an optional field that the marker forbids and that no rule of the
// field checks: "adds", "removes", "adds or removes" or "". onCreate is true if a rule has
// optionalOldSelf. Such a rule also runs when an update adds the field.
func uncovered(marker string, onCreate bool) string {
	rule := tree.RuleOf(marker)
	adds := !onCreate && (rule.NoneAdded || rule.Whole && !rule.MaySet)
	removes := rule.NoneRemoved || rule.Whole
	switch {
	case adds && removes:
		return "adds or removes"
	case adds:
		return "adds"
	case removes:
		return "removes"
	}
	return ""
}

// oldSelf matches a CEL rule that uses the old value.
var oldSelf = regexp.MustCompile(`\boldSelf\b`)

// empty reports an object schema without fields. The API server drops all fields of such an
// object.
func (l linter) empty(n *tree.Node, root bool) {
	if root || n.Kind != "object" || len(n.Properties) > 0 || n.Additional != nil || n.Preserve || n.Embedded || n.At.Field == "metadata" {
		return
	}
	l.add(EmptyObject, n.At, "this object declares no fields, so the API server drops everything in it; declare properties or additionalProperties, or set x-kubernetes-preserve-unknown-fields: true")
}

// keywords reports unknown keywords in n and in the schemas in its allOf, anyOf, oneOf and not.
func (l linter) keywords(n *tree.Node) {
	for _, k := range n.Unknown {
		l.add(UnknownKeyword, n.At.At(k), "%s is not a keyword of CRDs, so the API server drops it; correct or remove it", tree.Shorten(k, tree.MaxValue))
	}
	n.Nested(l.keywords)
	if n.Kind == "" && !n.IntString && !n.Preserve {
		// A schema without a type is inside allOf, anyOf, oneOf or not, and Lint does not visit its
		// fields separately.
		n.Each(l.keywords)
	}
}

func (l linter) list(n *tree.Node) {
	if n.Kind != "array" || n.Items == nil {
		return
	}
	switch {
	case !n.ListTyped:
		l.add(openapi.NoListType, n.At, "this list has no x-kubernetes-list-type, so it is atomic, and managers cannot own single items; %s", suggestListType(n))
	case n.ListType == "set" && (n.Items.Kind == "object" || n.Items.Kind == "array"):
		l.add(openapi.SetOfObjects, n.At, "the items of this set are of type %s, but a server-side apply fails unless the items of a set are scalars; use the list type map with x-kubernetes-list-map-keys, or atomic", n.Items.Kind)
	case n.ListType == "set" && mentionsOrder(n):
		l.add(OrderedSet, n.At.At("x-kubernetes-list-type"), "the description mentions an order of the items, but in a set, managers cannot control the order; use atomic, or change the description")
	case n.ListType == "map" && strings.HasSuffix(n.At.Field, "onditions") && !slices.Contains(n.Keys, "type") && isString(n.Items.Properties["type"]):
		l.add(ConditionsKey, n.At.At("x-kubernetes-list-map-keys"), "conditions are identified by their type, but this list has other keys, so changing a condition can create another item; use the key [type]")
		fallthrough
	case n.ListType == "map":
		for _, key := range n.Keys {
			p := n.Items.Properties[key]
			if p != nil && slices.Contains(n.Items.Required, key) && isZero(p.Def) {
				l.add(openapi.ZeroKey, p.At, "this key is required but has the default %s, so an item without the key silently gets the default; remove the default", tree.Flow(p.Def))
			}
		}
	}
}

func isString(n *tree.Node) bool { return n != nil && n.Kind == "string" }

// Lint uses these patterns to guess from a description whether the order of a list matters.
var (
	// orderedText matches a description that mentions an order. unorderedText matches a
	// description that says that there is no order.
	orderedText   = regexp.MustCompile(`(?i)\b(ordered|in (the|this|that|their|which) order|in order of|(the|their) order (of|in|is|matters)|order (matters|is (significant|important|preserved|kept)))\b`)
	unorderedText = regexp.MustCompile(`(?i)\b(unordered|(not|never|nor) (be )?ordered|in (no|any) order|order (does not matter|doesn't matter|is not|is (ignored|irrelevant)))\b`)
)

// mentionsOrder reports whether the description of a list says that its items are ordered.
func mentionsOrder(n *tree.Node) bool {
	text, _ := n.Raw["description"].(string)
	return orderedText.MatchString(text) && !unorderedText.MatchString(text)
}

// markersInSets reports immutability markers inside the items of a set. Such markers
// have no effect, because a changed item of a set counts as a different item.
func (l linter) markersInSets(n *tree.Node) {
	if n.Kind != "array" || n.ListType != "set" || n.Items == nil {
		return
	}
	var items func(n *tree.Node)
	items = func(n *tree.Node) {
		for _, m := range n.Marked() {
			l.add(MarkerIdle, n.At.At(m), "this marker has no effect in a set, because changing an item means replacing it by another item; mark the set itself, or remove the marker")
		}
		n.Each(items)
	}
	items(n.Items)
}

// suggestListType returns advice on the list type for a list. It prefers keys that each item has,
// because a key must be required or have a default. A key must also not be nullable.
func suggestListType(n *tree.Node) string {
	if n.Items.Kind != "object" {
		return "use the type set if items must be unique, or the type atomic"
	}
	present := func(name string) bool {
		return n.Items.Properties[name].Def != nil || slices.Contains(n.Items.Required, name)
	}
	always := func(name string) bool {
		p := n.Items.Properties[name]
		return p != nil && !p.Nullable && (p.Kind == "string" || p.Kind == "integer") && present(name)
	}
	var optional string
	for _, key := range []string{"type", "name", "key", "id"} {
		switch p := n.Items.Properties[key]; {
		case p == nil || p.Kind != "string" || key == "type" && !strings.HasSuffix(n.At.Field, "onditions"):
		case always(key):
			return "use the type map with x-kubernetes-list-map-keys [" + key + "] if this key identifies an item, or the type atomic"
		case optional == "":
			optional = key
		}
	}
	for _, port := range []string{"port", "containerPort"} {
		switch {
		case always(port) && always("protocol"):
			return "use the type map with x-kubernetes-list-map-keys [" + port + ", protocol] if these keys identify an item, or the type atomic"
		case always(port):
			return "use the type map with x-kubernetes-list-map-keys [" + port + "] if this key identifies an item, or the type atomic"
		}
	}
	if optional != "" {
		change := "make " + optional + " required"
		switch p := n.Items.Properties[optional]; {
		case p.Nullable && present(optional):
			change = "remove nullable from " + optional
		case p.Nullable:
			change += " and not nullable"
		}
		return "use the type map with x-kubernetes-list-map-keys [" + optional + "] and " + change + " if this key identifies an item, or use the type atomic"
	}
	return "use the type map with the keys that identify an item, or the type atomic"
}

func isZero(v any) bool {
	return v == "" || v == int64(0) || v == 0.0 || v == false
}

// defaultsBelowOptional reports optional fields that have no default but contain fields with defaults.
// The inner defaults apply only to objects that set the optional field. If such optional fields are
// nested, defaultsBelowOptional reports only the outermost one.
func (l linter) defaultsBelowOptional(n *tree.Node) {
	for _, name := range n.Names() {
		p := n.Properties[name]
		if p.Kind == "object" && p.Def == nil && !slices.Contains(n.Required, name) {
			if fields := defaultedBelow(p, nil, ""); len(fields) > 0 && canBeEmpty(p) {
				more := ""
				if len(fields) > 3 {
					fields, more = fields[:3], ", …"
				}
				l.add(openapi.BelowOptional, p.At, "this field is optional and has no default, so the defaults inside it (%s%s) apply only to objects that set the field; add default: {} if they should always apply",
					strings.Join(fields, ", "), more)
				continue
			}
		}
		l.defaultsBelowOptional(p)
	}
	if n.Items != nil {
		l.defaultsBelowOptional(n.Items)
	}
	if n.Additional != nil {
		l.defaultsBelowOptional(n.Additional)
	}
}

// defaultedBelow appends the names of the fields below n that have a default. It skips
// lists and maps, because their items exist only if objects set them.
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

// canBeEmpty reports whether {} is a valid default for n. The API server validates a
// default before it fills in the defaults of fields inside it.
func canBeEmpty(n *tree.Node) bool {
	return len(n.Required) == 0 && len(n.AnyOf)+len(n.OneOf)+len(n.AllOf) == 0 && n.Not == nil && len(n.Rules) == 0 && n.Raw["minProperties"] == nil
}
