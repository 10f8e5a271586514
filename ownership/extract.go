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

// Extract returns what manager owns in live by applying through this
// endpoint's subresource, as a config in the API version it last applied:
// apiVersion, kind, metadata.name and namespace, and its fields. The config is
// nil when the manager owns nothing.
//
// With declarative defaults, applying it again changes nothing as long as live holds
// all that the manager owns: what somebody else took out is not in the config,
// and applying it gives that up. An Update owns the lists and maps that it makes beside
// what is in them, and an Apply does not: the first one after Migrate gives these up,
// and the next changes nothing. (Without, an object that is owned as empty can
// lose what others put into it, as in structured-merge-diff.) If the manager owns the
// annotation of client-side apply, the config has it as it is; applying it as kubectl
// brings it up to date.
//
// live is not modified, but the config shares parts with it.
func Extract(m *fieldmanager.FieldManager, live map[string]any, manager string) (map[string]any, error) {
	return ExtractOwner(m, live, managedfields.Owner{Manager: manager, Operation: managedfields.OperationApply, Subresource: m.Options().Subresource})
}

// ExtractOwner is Extract for one entry of managed fields, whichever it is. The
// API version of an Apply is not asked for. Applying the config of an Update
// changes no field of live as Extract has it; whoever applies it becomes an
// owner.
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
	if m.Options().CarryUnknown && place.Unknown(err) != nil {
		tv, err = place.Lenient(t).FromUnstructured(plain, typed.AllowDuplicates)
	}
	if err != nil {
		return nil, fmt.Errorf("live object (%s): %w", document.Describe(live), err)
	}
	set, err := reconciled(e.Set, tv)
	if err != nil {
		return nil, fmt.Errorf("managed fields of %v: %w", e.Owner, err)
	}
	leaves := set.Leaves()
	extracted := tv.ExtractItems(leaves.Union(namingFields(leaves, tv)))
	keepEmpty(extracted, tv, leaves)
	config, ok := extracted.AsValue().Unstructured().(map[string]any)
	if !ok && extracted.AsValue().Unstructured() != nil {
		return nil, fmt.Errorf("extracted %s, want an object", document.Kind(extracted.AsValue().Unstructured()))
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

// reconciled is set as the type of tv reads it: the schema may have changed
// since it was stored.
func reconciled(set *fieldpath.Set, tv *typed.TypedValue) (*fieldpath.Set, error) {
	today, err := typed.ReconcileFieldSetWithSchema(set, tv)
	if err != nil || today == nil {
		return set, err
	}
	return today, nil
}

// namingFields are the keys of the items in set without which they would be
// others: an update owns what it changed of an item, not what names it. Keys
// that have their default are left out, which need not be written.
func namingFields(set *fieldpath.Set, tv *typed.TypedValue) *fieldpath.Set {
	root := place.Root(tv)
	root.Indexes = item.ListIndexes{}
	w := naming{}
	w.below(set, root, nil)
	return fieldpath.NewSet(w.found...)
}

type naming struct{ found []fieldpath.Path }

// below finds those in the part of a set that is below path, where at is.
func (w *naming) below(set *fieldpath.Set, at place.Place, path fieldpath.Path) {
	list := at.List()
	for element := range set.Members.All() {
		w.item(list, path, element)
	}
	for element := range set.Children.All() {
		if next, ok := at.Step(element); ok {
			w.item(list, path, element)
			below, _ := set.Children.Get(element)
			w.below(below, next, append(path, element))
		}
	}
}

func (w *naming) item(list *graph.List, path fieldpath.Path, element fieldpath.PathElement) {
	if element.Key == nil {
		return
	}
	for _, k := range *element.Key {
		if place.NeedsKey(list, *element.Key, k.Name) {
			w.found = append(w.found, append(path.Copy(), element, fieldpath.FieldNameElement(k.Name)))
		}
	}
}

// keepEmpty makes empty maps and lists of the nulls in extracted that stand for
// those of which only the map or list itself is owned: null would remove it.
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
