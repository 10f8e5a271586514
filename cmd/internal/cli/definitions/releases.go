// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package definitions

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/kube/defaults"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
)

// releaseChanges returns the differences between the kinds of two Kubernetes releases. It
// compares their published types. It also compares the defaults in their Go code, if both are
// known.
func releaseChanges(old, now *sources.Types) (changes []typeChange) {
	at := manifest.Position{File: now.Kubernetes()}
	from, to, whole := releasesWithDefaults(old, now)
	for _, k := range old.Catalog.Kinds() {
		custom := old.FromCRD(k) || now.Definitions == nil && !openapi.IsKubernetes(k.Type)
		if custom || k.Resource == "" {
			continue // a list, or a kind that the release does not define
		}
		still, ok := now.Catalog.Kind(k.APIVersion, k.Kind)
		if !ok || now.FromCRD(still) {
			changes = append(changes, typeChange{
				at: at, apiVersion: k.APIVersion, kind: k.Kind, path: ".", rule: "version-gone", old: k.APIVersion,
				message: "the version is no longer served, so requests for it fail; " + otherVersions(old, now, k),
			})
			continue
		}
		was, _ := old.Catalog.Type(k.APIVersion, k.Kind)
		is, _ := now.Catalog.Type(k.APIVersion, k.Kind)
		c := typeComparison{old: was.Schema, now: is.Schema, seen: map[typePair]bool{}}
		c.data = &dataComparison{fromGo: openapi.IsKubernetes(k.Type), defaults: !whole, old: old.Definitions, now: now.Definitions}
		for _, name := range k.Subresources {
			if still.Resource != "" && !slices.Contains(still.Subresources, name) {
				c.add(".", "subresource-gone", name, nil, "requests to %s fail", name)
			}
		}
		c.refs("", was.TypeRef, is.TypeRef, true)
		if from != nil {
			c.compareGoDefaults(was, is, from.PossibleDefaults(k.Type), to.PossibleDefaults(still.Type))
		}
		for _, change := range c.changes {
			change.at, change.apiVersion, change.kind = at, k.APIVersion, k.Kind
			changes = append(changes, change)
		}
	}
	return changes
}

// checkComplete returns an error if the new types cover only some API groups of a release.
// Otherwise, all kinds of the other groups would be reported as removed.
func checkComplete(old, now *sources.Types) error {
	_, had := old.Catalog.Kind("v1", "Pod")
	if _, has := now.Catalog.Kind("v1", "Pod"); had && !has {
		return command.Usagef("%s does not define v1 Pod, which every release defines: pass the documents of all groups and versions", now.Kubernetes())
	}
	return nil
}

// otherVersions returns a hint for a removed version of a resource. The hint lists other API
// versions that serve the resource.
func otherVersions(old, now *sources.Types, removed openapi.Kind) string {
	var both, later []string
	for _, k := range now.Catalog.Kinds() {
		if now.FromCRD(k) || k.Resource != removed.Resource || unstructured.GroupOf(k.APIVersion) != unstructured.GroupOf(removed.APIVersion) {
			continue
		}
		if _, ok := old.Catalog.Kind(k.APIVersion, k.Kind); ok {
			both = append(both, k.APIVersion)
		} else {
			later = append(later, k.APIVersion)
		}
	}
	switch {
	case len(both) > 0:
		return "use " + strings.Join(both, " or ") + ", which both releases serve"
	case len(later) > 0:
		return "use " + strings.Join(later, ", ") + ", which " + old.Kubernetes() + " does not serve yet"
	}
	return "no other version serves the kind"
}

// dataComparison compares which values two types accept. The methods of a nil dataComparison do
// nothing.
type dataComparison struct {
	// fromGo is set if the schemas were generated from Go types. In such schemas, a default that is
	// a zero value has no effect. A required field can be missing from an object, because each Go
	// field without omitempty is declared as required.
	fromGo bool
	// defaults is set if the comparison includes the declared defaults.
	defaults bool
	// old and now are the schemas of OpenAPI documents, by name. They are set only if both the old
	// and the new types come from documents.
	old, now map[string]map[string]any
}

// values compares the schema keywords that restrict values, such as maximum. It compares OpenAPI
// documents, because types for merging do not contain these keywords.
func (d *dataComparison) values(c *typeComparison, path, old, now string) {
	if d == nil || d.old[old] == nil || d.now[now] == nil {
		return
	}
	for _, x := range narrowedValues(d.old[old], d.now[now]) {
		if x.path = path + strings.TrimSuffix(x.path, "."); x.path == "" {
			x.path = "."
		}
		c.changes = append(c.changes, x)
	}
}

func (d *dataComparison) types(c *typeComparison, path, was, is string) {
	if d != nil && !c.isReported(path, "type-changed") {
		c.add(path, "type-changed", was, is, "the type changed from %s to %s: a write is rejected while the object has a value of the old type", was, is)
	}
}

func (d *dataComparison) scalars(c *typeComparison, path string, was, is schema.Scalar) {
	if d != nil && was != is && is != schema.Untyped && !c.isReported(path, "type-changed") {
		c.add(path, "type-changed", string(was), string(is), "the type changed from %s to %s: a write is rejected while the object has a value of the old type", was, is)
	}
}

func (d *dataComparison) fields(c *typeComparison, path string, old, now *schema.Map) {
	if d == nil {
		return
	}
	for i := range old.Fields {
		f := &old.Fields[i]
		at := path + "." + f.Name
		if g, ok := now.FindField(f.Name); ok && d.defaults {
			c.defaults(at, d.effectiveDefault(f.Default), d.effectiveDefault(g.Default))
		} else if !ok && now.ElementType == (schema.TypeRef{}) {
			c.add(at, "field-gone", f.Name, nil, "the field was removed: the next write of an object drops its value")
		}
	}
	for _, name := range now.Required {
		if g, _ := now.FindField(name); !d.fromGo && g.Default == nil && !slices.Contains(old.Required, name) {
			c.add(path+"."+name, "field-required", nil, true, "the field is now required and has no default: objects without it are rejected")
		}
	}
}

// effectiveDefault returns def, or nil if def is a zero value that has no effect.
func (d *dataComparison) effectiveDefault(def any) any {
	if v := reflect.ValueOf(def); d.fromGo && v.IsValid() && (v.IsZero() || (v.Kind() == reflect.Map || v.Kind() == reflect.Slice) && v.Len() == 0) {
		return nil
	}
	return def
}

func (c *typeComparison) defaults(path string, was, is any) {
	switch {
	case reflect.DeepEqual(was, is):
	case was == nil:
		c.add(path, "default-added", nil, is, "the default %s is new: objects without the field get it when they are read", words.Flow(is))
	case is == nil:
		c.add(path, "default-gone", was, nil, "the default %s was removed: stored objects without the field no longer get a value", words.Flow(was))
	default:
		c.add(path, "default-changed", was, is, "the default changed from %s to %s: the value changes in stored objects and manifests without the field", words.Flow(was), words.Flow(is))
	}
}

// releasesWithDefaults returns two releases whose Go defaults are known. They are the old and the
// new release. If the defaults of one of them are unknown, the nearest release between them
// replaces it. If there is no such release, from and to are nil. The result whole is true if the
// defaults of both the old and the new release are known.
func releasesWithDefaults(old, now *sources.Types) (from, to *defaults.Release, whole bool) {
	all := openapi.Releases()
	known := func(i int) *defaults.Release {
		r, _ := defaults.New(all[i]) // nil if the defaults are unknown
		return r
	}
	i, j := slices.Index(all, old.Catalog.Release()), slices.Index(all, now.Catalog.Release())
	if i < 0 || j < 0 {
		return nil, nil, false // the types come from documents
	}
	step := cmp.Compare(j, i)
	first, last := i, j
	for known(i) == nil && i != j {
		i += step
	}
	for known(j) == nil && j != i {
		j -= step
	}
	return known(i), known(j), i == first && j == last && known(i) != nil
}

// compareGoDefaults compares the defaults that the Go code of two releases fills in. It compares
// only fields that both types declare. A default with a rule applies only under a condition. It is
// reported if it is new, but not if it is removed. So far, only one such default is removed, for
// the resources of a Pod: since 1.37, it applies only when the Pod is created.
func (c *typeComparison) compareGoDefaults(was, is typed.ParseableType, old, now []defaults.PossibleDefault) {
	constants := func(all []defaults.PossibleDefault) map[string]any {
		m := map[string]any{}
		for _, p := range all {
			if p.Rule == "" {
				m[p.Path] = p.Value
			}
		}
		return m
	}
	before, after := constants(old), constants(now)
	shown := strings.NewReplacer("[]", "[*]", "{}", ".*").Replace
	both := func(path string) bool {
		return !c.isReported(shown(path), "default-") && hasField(was, path) && hasField(is, path)
	}
	ruled := func(all []defaults.PossibleDefault, path string) bool {
		return slices.ContainsFunc(all, func(p defaults.PossibleDefault) bool { return p.Path == path && p.Rule != "" })
	}
	for _, p := range now {
		had := slices.ContainsFunc(old, func(q defaults.PossibleDefault) bool { return q.Path == p.Path && q.Rule == p.Rule })
		switch {
		case !both(p.Path):
		case p.Rule == "" && (had || !ruled(old, p.Path)):
			c.defaults(shown(p.Path), before[p.Path], p.Value)
		case p.Rule != "" && !had:
			c.add(shown(p.Path), "default-added", nil, p.Summary, "Go code now fills in a default: %s", p.Summary)
		}
	}
	for _, p := range old {
		if _, still := after[p.Path]; p.Rule == "" && !still && !ruled(now, p.Path) && both(p.Path) {
			c.defaults(shown(p.Path), p.Value, nil)
		}
	}
}

// hasField reports whether a type has the field at path. In path, [] stands for the items of a
// list, and {} for the values of a map.
func hasField(t typed.ParseableType, path string) bool {
	ref := t.TypeRef
	into := func(next func(schema.Atom) schema.TypeRef) bool {
		atom, ok := t.Schema.Resolve(ref)
		if ok {
			ref = next(atom)
		}
		return ok && ref != (schema.TypeRef{})
	}
	for step := range strings.SplitSeq(path[1:], ".") {
		name := strings.TrimRight(step, "[]{}")
		if !into(func(a schema.Atom) (found schema.TypeRef) {
			if a.Map != nil {
				f, _ := a.Map.FindField(name)
				found = f.Type
			}
			return found
		}) {
			return false
		}
		for rest := step[len(name):]; rest != ""; rest = rest[2:] {
			if !into(func(a schema.Atom) (found schema.TypeRef) {
				if rest[0] == '[' && a.List != nil {
					found = a.List.ElementType
				} else if rest[0] == '{' && a.Map != nil {
					found = a.Map.ElementType
				}
				return found
			}) {
				return false
			}
		}
	}
	return true
}

// breaksBuiltin returns the fields of a built-in object that the new release drops, rejects,
// or fills with a different default.
func breaksBuiltin(old, now *sources.Types, o *manifest.Object) (found []objectMove) {
	id := o.Identity()
	was, oldErr := old.Find(id.APIVersion, id.Kind)
	is, newErr := now.Find(id.APIVersion, id.Kind)
	if oldErr != nil || newErr != nil || old.Custom(id) || now.Custom(id) {
		return nil // other findings report missing kinds and custom resources
	}
	add := func(reason, path, format string, args ...any) {
		found = append(found, objectMove{at: o.Position(path), object: id, reason: reason, path: path, why: fmt.Sprintf(format, args...)})
	}
	before, a := prune(was, o.Content)
	after, b := prune(is, o.Content)
	for _, p := range b {
		if !slices.ContainsFunc(a, p.Equals) {
			add("dropped", p.String(), "%s does not declare this field, so the server drops its value", now.Kubernetes())
		}
	}
	_, bad := was.FromUnstructured(before)
	_, worse := is.FromUnstructured(after)
	if bad == nil {
		for _, e := range input.Findings(o, is, worse) {
			add("refused", e.Path, "%s", e.Message)
		}
	}
	from, to, _ := releasesWithDefaults(old, now)
	if from == nil || !old.FromGo(id.APIVersion, id.Kind) {
		return found
	}
	options := defaults.Options{Decoded: true}
	known, _ := prune(was, to.Fill(o.Content, options)) // ignore defaults of new fields, because they break nothing
	for _, d := range changedDefaults(from.Fill(o.Content, options), known, "") {
		add("default", d.at, "a default has changed, so the value changes from %s to %s", text(d.old), text(d.now))
	}
	return found
}

// prune returns the object without the fields that its type does not declare. It also returns
// the paths of the removed fields. If pruning fails, it returns the whole object and no paths.
func prune(t typed.ParseableType, object map[string]any) (any, []fieldpath.Path) {
	paths, err := t.UnknownFields(object)
	if err != nil || len(paths) == 0 {
		return object, nil
	}
	rest, err := t.Prune(data.Clone(object))
	if err != nil {
		return object, nil
	}
	return rest, paths
}
