// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"fmt"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/item"
	"github.com/dovetail-ssa/dovetail/internal/place"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/typed"
)

// Extract returns a config with the fields of live that manager applied. These are the fields in
// the manager's Apply entry for the subresource of m. The config has the API version of that entry.
// It also has apiVersion, kind, metadata.name and metadata.namespace. It is nil if the manager has
// no such entry.
//
// With declarative defaults, applying the config changes nothing if live has all fields that the
// manager owns. If another manager removed a field, the config does not contain it, so applying the
// config gives up the ownership of this field.
//
// After Migrate, the first apply of the config can still change the ownership. An Update that
// creates a list or map owns both the list or map itself, for example .spec.ports, and its
// contents. An Apply owns only the contents, so it gives up the list or map itself. Later applies
// change nothing. Without declarative defaults, a map that its owner applied as {} can lose fields
// that other managers have added, as in structured-merge-diff.
//
// If the manager owns the annotation of client-side apply, the config contains the annotation
// unchanged. An apply by the manager "kubectl" updates the annotation.
//
// Extract returns an error if live or its managed fields are invalid, or if live cannot be
// converted to the version of the entry. It does not modify live, but the config shares parts with
// live.
func Extract(m *fieldmanager.FieldManager, live map[string]any, manager string) (map[string]any, error) {
	return ExtractOwner(m, live, managedfields.Owner{Manager: manager, Operation: managedfields.OperationApply, Subresource: m.Options().Subresource})
}

// ExtractOwner is like Extract, but for the entry of the given owner. If owner is an Apply, its
// API version is ignored. If owner is an Update, a manager that applies the config becomes a
// second owner of the fields. That apply changes no field of live, under the conditions in the
// documentation of Extract.
func ExtractOwner(m *fieldmanager.FieldManager, live map[string]any, owner managedfields.Owner) (map[string]any, error) {
	managed, err := managedfields.Decode(live)
	if err != nil {
		return nil, err
	}
	e, ok := managed.Find(owner.ID())
	if !ok {
		return nil, nil
	}
	plain, t, err := m.Convert(document.WithoutManagedFields(live), e.APIVersion)
	if err != nil {
		return nil, fmt.Errorf("live object (%s): %w", document.Describe(live), err)
	}
	tv, err := t.FromUnstructured(plain, typed.AllowDuplicates)
	if m.Options().CarryUnknown && place.OnlyUndeclaredFields(err) != nil {
		tv, err = place.Lenient(t).FromUnstructured(plain, typed.AllowDuplicates)
	}
	if err != nil {
		return nil, fmt.Errorf("live object (%s): %w", document.Describe(live), err)
	}
	set, err := reconcile(e.Set, tv)
	if err != nil {
		return nil, fmt.Errorf("managed fields of %v: %w", e.Owner, err)
	}
	leaves := set.Leaves()
	extracted := tv.ExtractItems(leaves.Union(requiredKeys(leaves, tv)))
	keepEmpty(extracted, tv, leaves)
	config, ok := extracted.AsValue().Unstructured().(map[string]any)
	if !ok && extracted.AsValue().Unstructured() != nil {
		return nil, fmt.Errorf("the extracted config is %s, want an object", document.Kind(extracted.AsValue().Unstructured()))
	}
	config, metadata := document.WithMetadata(config)
	config["apiVersion"], config["kind"] = document.TypeOf(plain)
	for _, name := range []string{"name", "namespace"} {
		if s := document.MetaString(plain, name); s != "" {
			metadata[name] = s
		}
	}
	return config, nil
}

// reconcile converts a stored field set to the type of tv. The schema may have changed since
// the set was stored.
func reconcile(set *fieldpath.Set, tv *typed.TypedValue) (*fieldpath.Set, error) {
	current, err := typed.ReconcileFieldSetWithSchema(set, tv)
	if err != nil || current == nil {
		return set, err
	}
	return current, nil
}

// requiredKeys returns the paths of the keys that identify the list items in set. A config needs these
// keys, because an Update owns the fields that it changed in an item, but not the keys of the item.
// requiredKeys omits keys that have their default.
func requiredKeys(set *fieldpath.Set, tv *typed.TypedValue) *fieldpath.Set {
	root := place.Root(tv)
	root.Indexes = item.ListIndexes{}
	w := keyFinder{}
	w.visit(set, root, nil)
	return fieldpath.NewSet(w.found...)
}

type keyFinder struct{ found []fieldpath.Path }

// visit collects the paths of the keys of all list items in set. The paths in set are relative to path.
// The argument at is the object's value at path.
func (w *keyFinder) visit(set *fieldpath.Set, at place.Place, path fieldpath.Path) {
	list := at.List()
	for element := range set.Members.All() {
		w.item(list, path, element)
	}
	for element := range set.Children.All() {
		if next, ok := at.Step(element); ok {
			w.item(list, path, element)
			below, _ := set.Children.Get(element)
			w.visit(below, next, append(path, element))
		}
	}
}

func (w *keyFinder) item(list *graph.List, path fieldpath.Path, element fieldpath.PathElement) {
	if element.Key == nil {
		return
	}
	for _, k := range *element.Key {
		if place.NeedsKey(list, *element.Key, k.Name) {
			w.found = append(w.found, append(path.Copy(), element, fieldpath.FieldNameElement(k.Name)))
		}
	}
}

// keepEmpty replaces a null in extracted with an empty map or list if the live value is a map or
// list. Such nulls occur if an owner owns a map or list, but nothing inside it. Applying null would
// remove the map or list.
func keepEmpty(extracted, live *typed.TypedValue, leaves *fieldpath.Set) {
	a, b := place.Root(extracted), place.Root(live)
	a.Indexes, b.Indexes = item.ListIndexes{}, item.ListIndexes{}
	keepEmptyBelow(a, b, leaves)
}

func keepEmptyBelow(extracted, live place.Place, leaves *fieldpath.Set) {
	container, _ := extracted.Plain.(map[string]any)
	for element := range leaves.Members.All() {
		if element.FieldName == nil {
			continue
		}
		name := *element.FieldName
		if v, has := container[name]; !has || v != nil {
			continue
		}
		at, _ := live.Step(element)
		switch at.Plain.(type) {
		case map[string]any:
			container[name] = map[string]any{}
		case []any:
			container[name] = []any{}
		}
	}
	for element := range leaves.Children.All() {
		a, ok := extracted.Step(element)
		if !ok {
			continue
		}
		b, _ := live.Step(element)
		below, _ := leaves.Children.Get(element)
		keepEmptyBelow(a, b, below)
	}
}
