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

// typeChange is one difference between two states of a type that makes managed
// fields mean something else, or one between two CRDs that is not allowed; path
// is in the type, or in the CRD.
type typeChange struct {
	at               manifest.Position
	apiVersion, kind string
	path, rule       string
	old, now         any
	message          string
}

// severity is that of the rule; what an API server refuses of a definition has rules of lint.
func (c *typeChange) severity() rules.Severity {
	if r, ok := rules.Lookup(c.rule); ok {
		return r.Severity
	}
	return rules.Error
}

// changedTypes finds what differs between the kinds that both sets have.
func changedTypes(old, now *sources.Types) (changes []typeChange) {
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
		if k.Resource != "" { // it is no list, which would say all of it again
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

type typeComparison struct {
	old, now *schema.Schema
	// data is what is compared besides how types are merged, nil where definitions tell more of
	// that than these schemas.
	data *dataComparison
	// seen are the pairs of named types that were compared, each once.
	seen    map[typePair]bool
	changes []typeChange
}

// typePair is a pair of named types, and whether parts of them have owners.
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

// told says whether a change of a rule, or of one whose id begins so, is there for a path.
func (c *typeComparison) told(path, rule string) bool {
	return slices.ContainsFunc(c.changes, func(x typeChange) bool { return x.path == path && strings.HasPrefix(x.rule, rule) })
}

// refs compares two types at one place. owned says that parts of it have owners: it is in
// nothing atomic.
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
		return // anything goes, or nothing does
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

// atomicity notes that a container whose parts may have owners is atomic in one state only.
// It says whether the parts have owners in both.
func (c *typeComparison) atomicity(path string, old, now, owned bool) bool {
	switch {
	case !owned || old == now:
	case now:
		c.add(path, string(typed.MoveBecameAtomic), "granular", "atomic", "was merged piece by piece and is atomic: whoever owns a piece owns it all")
	default:
		c.add(path, string(typed.MoveBecameGranular), "atomic", "granular", "was atomic and is merged piece by piece: its owner owns no piece unless its entry is carried over")
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

// keys compares the keys of two lists, and their defaults.
func (c *typeComparison) keys(path string, old, now *schema.List) {
	was, is := slices.Sorted(slices.Values(old.Keys)), slices.Sorted(slices.Values(now.Keys))
	if !slices.Equal(was, is) {
		c.add(path, "list-keys", old.Keys, now.Keys, "had the keys [%s] and has [%s]: every item is called otherwise", strings.Join(was, ", "), strings.Join(is, ", "))
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
		c.add(path, rule, old, now, "key %s had no default and now has %s: items without it are called otherwise", key, words.Flow(now))
	case now == nil:
		c.add(path, rule, old, now, "key %s had the default %s and now has none: items without it are called otherwise", key, words.Flow(old))
	default:
		c.add(path, rule, old, now, "key %s had the default %s and now has %s: a manifest that leaves it out names another item", key, words.Flow(old), words.Flow(now))
	}
}

// transitions compares what two states of a type say of immutability, and the defaults of
// what is immutable: nobody can change such a field, but a new default does.
type transitions struct {
	*typeComparison
	seen map[transitionPair]bool
}

// transitionPair is a pair of named types, and whether the second stands in something
// immutable.
type transitionPair struct {
	old, now string
	fixed    bool
}

// refs compares two types at one place. fixed says that the place is immutable in
// the new state.
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

// transitionOf returns what a schema says of the place of ref.
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
		m.add(path, rule, nil, now, "is %s from now on: objects keep what they have, and updates that change it are refused", is)
	case is == schema.NoTransition:
		m.add(path, rule, old, nil, "was %s and may change from now on", was)
	default:
		m.add(path, rule, old, now, "was %s and is %s", was, is)
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
	m.add(path, "immutable-default", old, now, "is immutable, and its default was %s and is %s: objects without a stored value change, though nobody may change them", text(old), text(now))
}
