// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package definitions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/rules"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// typeChange is a difference between an old and a new type that may break stored objects,
// requests or managed fields. path is a path in the type or in the CRD.
type typeChange struct {
	at               manifest.Position
	apiVersion, kind string
	// crd is the name of the CRD if the change is about the CRD itself, and not about its kind.
	crd        string
	path, rule string
	old, now   any
	message    string
}

// subject returns the type or the CRD that changes.
func (c *typeChange) subject() string {
	return strings.TrimSuffix(c.apiVersion+" "+c.kind+" "+c.crd, " ")
}

// severity returns the severity of a change. If the table of rules does not contain the rule of the
// change, the severity is error. Such a rule is a check that API servers make on CRDs.
func (c *typeChange) severity() rules.Severity {
	if r, ok := rules.Lookup(c.rule); ok {
		return r.Severity
	}
	return rules.Error
}

// mergeChanges compares the CRDs that exist in both the old and the new types. It returns the
// changes that affect how servers merge objects, and the changes that affect immutable fields.
func mergeChanges(old, now *sources.Types) (changes []typeChange) {
	for _, k := range now.Catalog.Kinds() {
		if !now.FromCRD(k) {
			continue
		}
		was, ok := old.Catalog.Type(k.APIVersion, k.Kind)
		if !ok {
			continue
		}
		is, _ := now.Catalog.Type(k.APIVersion, k.Kind)
		c := typeComparison{old: was.Schema, now: is.Schema, seen: map[typePair]bool{}}
		c.refs("", was.TypeRef, is.TypeRef, true)
		if k.Resource != "" { // not for a list kind, whose items would repeat the changes
			m := transitions{&c, map[transitionPair]bool{}}
			m.refs("", was.TypeRef, is.TypeRef, false)
		}
		for _, change := range c.changes {
			change.at, change.apiVersion, change.kind = manifest.Position{File: k.Source}, k.APIVersion, k.Kind
			changes = append(changes, change)
		}
	}
	return changes
}

// newVersion is a version of a CRD that only the new types serve, or a new storage version. To
// convert a stored object to this version, servers change only its apiVersion.
type newVersion struct {
	kind string
	// stored is the apiVersion of the old storage version. apiVersion is the apiVersion of the new
	// version.
	stored, apiVersion string
	// served is true if only the new types serve the version. storage is true if it is the new
	// storage version.
	served, storage bool
}

// mergeChangesInNewVersions compares the old storage version of each CRD with its new versions. It
// returns the changes that affect how servers merge objects.
func mergeChangesInNewVersions(old, now *sources.Types, versions []newVersion) (changes []typeChange) {
	for _, v := range versions {
		was, ok := old.Catalog.Type(v.stored, v.kind)
		is, serves := now.Catalog.Type(v.apiVersion, v.kind)
		k, _ := now.Catalog.Kind(v.apiVersion, v.kind)
		if !v.served || !ok || !serves {
			continue
		}
		c := typeComparison{old: was.Schema, now: is.Schema, seen: map[typePair]bool{}}
		c.refs("", was.TypeRef, is.TypeRef, true)
		before, after := versionName(v.stored), versionName(v.apiVersion)
		for _, change := range c.changes {
			switch change.rule {
			case string(typed.MoveBecameAtomic):
				change.message = fmt.Sprintf("granular in the old storage version %s, but atomic in %s: each manager that applies in %[2]s owns the whole value", before, after)
			case string(typed.MoveBecameGranular):
				change.message = fmt.Sprintf("atomic in the old storage version %s, but granular in %s: until a manager applies its unchanged manifest once in %[2]s, its applies do not remove fields or items", before, after)
			default:
				change.message = fmt.Sprintf("compared with the old storage version %s, %s", before, change.message)
			}
			change.at, change.apiVersion, change.kind = manifest.Position{File: k.Source}, v.apiVersion, v.kind
			changes = append(changes, change)
		}
	}
	return changes
}

// versionName returns the version in an apiVersion, such as v1 in example.com/v1.
func versionName(apiVersion string) string {
	return apiVersion[strings.LastIndex(apiVersion, "/")+1:]
}

type typeComparison struct {
	old, now *schema.Schema
	// data compares which values the types accept. It is nil for CRDs. The types in old and now lack
	// some validation rules of a CRD, so other code compares the values that CRDs accept.
	data *dataComparison
	// seen holds the pairs of named types that have already been compared.
	seen    map[typePair]bool
	changes []typeChange
}

// typePair is a pair of named types that were compared. Managers cannot own single fields inside an
// atomic list or map. If the types were used inside one, owned is false.
type typePair struct {
	old, now string
	owned    bool
}

func (c *typeComparison) add(path, rule string, old, now any, format string, args ...any) {
	if path == "" {
		path = "."
	}
	c.changes = append(c.changes, typeChange{path: path, rule: rule, old: old, now: now, message: fmt.Sprintf(format, args...)})
}

// isReported reports whether a change at path is already known. It considers only changes whose
// rule starts with the given prefix.
func (c *typeComparison) isReported(path, rule string) bool {
	return slices.ContainsFunc(c.changes, func(x typeChange) bool { return x.path == path && strings.HasPrefix(x.rule, rule) })
}

// refs compares two types at path. If path is inside an atomic list or map, owned is false, because
// the fields below path then cannot have owners of their own.
func (c *typeComparison) refs(path string, old, now schema.TypeRef, owned bool) {
	if old.NamedType != nil && now.NamedType != nil {
		pair := typePair{*old.NamedType, *now.NamedType, owned}
		if c.seen[pair] {
			return
		}
		c.seen[pair] = true
		c.data.values(c, path, *old.NamedType, *now.NamedType)
	}
	was, ok := c.old.Resolve(old)
	is, still := c.now.Resolve(now)
	if !ok || !still {
		return
	}
	a, b := kindsOf(was), kindsOf(is)
	switch {
	case len(a) > 1 || len(b) > 1 || len(a) == 0 || len(b) == 0:
		return // a type for several kinds of values, or for none
	case a[0] != b[0]:
		c.data.types(c, path, a[0], b[0])
	case was.List != nil:
		c.lists(path, was.List, is.List, owned)
	case was.Map != nil:
		c.maps(path, was.Map, is.Map, owned)
	default:
		c.data.scalars(c, path, *was.Scalar, *is.Scalar)
	}
}

func kindsOf(a schema.Atom) (kinds []string) {
	if a.Map != nil {
		kinds = append(kinds, "map")
	}
	if a.List != nil {
		kinds = append(kinds, "list")
	}
	if a.Scalar != nil {
		kinds = append(kinds, "scalar")
	}
	return kinds
}

func (c *typeComparison) maps(path string, old, now *schema.Map, owned bool) {
	owned = c.atomicity(path, old.ElementRelationship.IsAtomic(), now.ElementRelationship.IsAtomic(), owned)
	if !owned && c.data == nil {
		return
	}
	c.data.fields(c, path, old, now)
	for i := range old.Fields {
		f := &old.Fields[i]
		if g, ok := now.FindField(f.Name); ok {
			c.refs(path+"."+f.Name, f.Type, g.Type, owned)
		}
	}
	if old.ElementType != (schema.TypeRef{}) && now.ElementType != (schema.TypeRef{}) {
		c.refs(path+".*", old.ElementType, now.ElementType, owned)
	}
}

// atomicity adds a change if a list or map is atomic in only one of the two types. It returns true
// if managers can own single items or fields inside the list or map, both before and after the
// change.
func (c *typeComparison) atomicity(path string, old, now, owned bool) bool {
	switch {
	case !owned || old == now:
	case now:
		c.add(path, string(typed.MoveBecameAtomic), "granular", "atomic", "changed from granular to atomic: each owner of a field or item in it will own the whole value")
	default:
		c.add(path, string(typed.MoveBecameGranular), "atomic", "granular", "changed from atomic to granular: the owner of the whole value will not own the fields or items in it, unless you migrate the managed fields after the upgrade (dovetail migrate --old-crd) or apply the unchanged manifest once more")
	}
	return owned && !old && !now
}

func (c *typeComparison) lists(path string, old, now *schema.List, owned bool) {
	owned = c.atomicity(path, old.ElementRelationship.IsAtomic(), now.ElementRelationship.IsAtomic(), owned)
	if owned {
		c.keys(path, old, now)
	}
	if owned || c.data != nil {
		c.refs(path+"[*]", old.ElementType, now.ElementType, owned)
	}
}

// keys compares the keys of two list types, and the defaults of these keys.
func (c *typeComparison) keys(path string, old, now *schema.List) {
	was, is := slices.Sorted(slices.Values(old.Keys)), slices.Sorted(slices.Values(now.Keys))
	if !slices.Equal(was, is) {
		c.add(path, "list-keys", old.Keys, now.Keys, "the keys changed from [%s] to [%s]: every item now has a different identity", strings.Join(was, ", "), strings.Join(is, ", "))
	}
	a, ok := c.old.Resolve(old.ElementType)
	b, still := c.now.Resolve(now.ElementType)
	if ok && still && a.Map != nil && b.Map != nil {
		for _, key := range is {
			if slices.Contains(was, key) {
				f, _ := a.Map.FindField(key)
				g, _ := b.Map.FindField(key)
				c.keyDefault(path, key, f.Default, g.Default)
			}
		}
	}
}

func (c *typeComparison) keyDefault(path, key string, old, now any) {
	if value.Equals(value.NewValueInterface(old), value.NewValueInterface(now)) {
		return
	}
	const rule = "key-default"
	switch {
	case old == nil:
		c.add(path, rule, old, now, "the key %s now has the default %s: items without the key now have a different identity", key, words.Flow(now))
	case now == nil:
		c.add(path, rule, old, now, "the key %s no longer has the default %s: items without the key now have a different identity", key, words.Flow(old))
	default:
		c.add(path, rule, old, now, "the default of the key %s changed from %s to %s: a manifest without the key now refers to a different item", key, words.Flow(old), words.Flow(now))
	}
}

// transitions compares the immutability rules of two types, and the defaults of immutable fields.
// If such a default changes, an object that does not store the field gets the new default,
// although the field is immutable.
type transitions struct {
	*typeComparison
	seen map[transitionPair]bool
}

// transitionPair is a pair of named types that were compared. If the new type was used inside an
// immutable value, fixed is true.
type transitionPair struct {
	old, now string
	fixed    bool
}

// refs compares two types at path. If path is inside an immutable value of the new type, fixed is
// true.
func (m *transitions) refs(path string, old, now schema.TypeRef, fixed bool) {
	was, is := transitionOf(m.old, old), transitionOf(m.now, now)
	if was != is {
		m.changed(path, was, is)
	}
	fixed = fixed || isFixed(is)
	if old.NamedType != nil && now.NamedType != nil {
		pair := transitionPair{*old.NamedType, *now.NamedType, fixed}
		if m.seen[pair] {
			return
		}
		m.seen[pair] = true
	}
	a, ok := m.old.Resolve(old)
	b, still := m.now.Resolve(now)
	if !ok || !still {
		return
	}
	if a.List != nil && b.List != nil {
		m.refs(path+"[*]", a.List.ElementType, b.List.ElementType, fixed)
	}
	if a.Map == nil || b.Map == nil {
		return
	}
	for i := range a.Map.Fields {
		f := &a.Map.Fields[i]
		g, ok := b.Map.FindField(f.Name)
		if !ok {
			continue
		}
		at := path + "." + f.Name
		if fixed || isFixed(transitionOf(m.now, g.Type)) {
			m.fixedDefault(at, f.Default, g.Default)
		}
		m.refs(at, f.Type, g.Type, fixed)
	}
	if a.Map.ElementType != (schema.TypeRef{}) && b.Map.ElementType != (schema.TypeRef{}) {
		m.refs(path+".*", a.Map.ElementType, b.Map.ElementType, fixed)
	}
}

func isFixed(t schema.Transition) bool { return graph.Transition(t).Rule().Whole }

// transitionOf returns the immutability rule of ref. If ref has no rule, it returns the rule
// of the named type to which ref refers.
func transitionOf(s *schema.Schema, ref schema.TypeRef) schema.Transition {
	if ref.Transition != schema.NoTransition || ref.NamedType == nil {
		return ref.Transition
	}
	t, _ := s.FindNamedType(*ref.NamedType)
	return t.Transition
}

func (m *transitions) changed(path string, was, is schema.Transition) {
	const rule = "immutability"
	old, now := any(was.String()), any(is.String())
	switch {
	case was == schema.NoTransition:
		m.add(path, rule, nil, now, "the field is now marked %s: servers that implement KEP-1101, a proposal, enforce the marker, but released API servers ignore it", is)
	case is == schema.NoTransition:
		m.add(path, rule, old, nil, "the field is no longer marked %s: updates may change it", was)
	default:
		m.add(path, rule, old, now, "the marker of the field changed from %s to %s", was, is)
	}
}

func (m *transitions) fixedDefault(path string, old, now any) {
	if value.Equals(value.NewValueInterface(old), value.NewValueInterface(now)) {
		return
	}
	text := func(v any) string {
		if v == nil {
			return "none"
		}
		return words.Flow(v)
	}
	m.add(path, "immutable-default", old, now, "the field is immutable, but its default changed from %s to %s, so the value changes in objects that do not store the field", text(old), text(now))
}
