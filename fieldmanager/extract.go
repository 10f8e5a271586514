package fieldmanager

import (
	"fmt"
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/typed"
)

// Extract returns what manager owns in live by applying through this
// endpoint's subresource, as a config in the API version it last applied:
// apiVersion, kind, metadata.name and namespace, and its fields. The config is
// nil when the manager owns nothing.
//
// With declarative defaults, applying it again changes nothing as long as live holds
// all that the manager owns: what somebody else took out is not in the config,
// and applying it gives that up. (Without, an object that is owned as empty can
// lose what others put into it, as in structured-merge-diff.) With manager
// kubectl, the annotation of client-side apply is brought up to date.
//
// live is not modified, but the config shares parts with it.
func (m *FieldManager) Extract(live map[string]any, manager string) (map[string]any, error) {
	managed, err := Decode(live)
	if err != nil {
		return nil, err
	}
	owner := Owner{Manager: manager, Operation: OperationApply, Subresource: m.o.Subresource}
	e := managed.find(owner.ID())
	if e == nil {
		return nil, nil
	}
	plain, t, err := m.convert(withoutManagedFields(live), e.APIVersion)
	if err != nil {
		return nil, fmt.Errorf("live object (%s): %w", describe(live), err)
	}
	tv, err := t.FromUnstructured(plain, typed.AllowDuplicates)
	if err != nil {
		return nil, fmt.Errorf("live object (%s): %w", describe(live), err)
	}
	leaves := e.Set.Leaves()
	extracted := tv.ExtractItems(leaves)
	keepEmpty(extracted, tv, leaves)
	config, ok := extracted.AsValue().Unstructured().(map[string]any)
	if !ok && extracted.AsValue().Unstructured() != nil {
		return nil, fmt.Errorf("extracted %s, want an object", kindOf(extracted.AsValue().Unstructured()))
	}
	config, metadata := withMetadata(config)
	config["apiVersion"], config["kind"] = typeOf(plain)
	for _, name := range []string{"name", "namespace"} {
		if s := metaString(plain, name); s != "" {
			metadata[name] = s
		}
	}
	return config, nil
}

// keepEmpty makes empty objects of the nulls in extracted that stand for
// objects of which only the object itself is owned: null would remove them.
func keepEmpty(extracted, live *typed.TypedValue, leaves *fieldpath.Set) {
	leaves.Iterate(func(p fieldpath.Path) {
		last := p[len(p)-1]
		if last.FieldName == nil {
			return
		}
		parent, _ := valueAt(extracted, p[:len(p)-1])
		container, ok := parent.(map[string]any)
		if v, has := container[*last.FieldName]; !ok || !has || v != nil {
			return
		}
		v, _ := valueAt(live, p)
		if _, isMap := v.(map[string]any); isMap {
			container[*last.FieldName] = map[string]any{}
		}
	})
}

// Upgrade hands what the managers from own by Update over to an Apply by
// manager to, as needed when an object moves from client-side to server-side
// apply. Only entries of subresource are touched. changed is false, and the
// result is m, when there was nothing to hand over.
//
// Fields are joined with what to already applies when they are in the same
// API version; entries of from in other versions are dropped, as kubectl's
// own migration does.
func (m *Managed) Upgrade(from []string, to, subresource string) (upgraded *Managed, changed bool, err error) {
	entries := m.Entries()
	target := slices.IndexFunc(entries, func(e Entry) bool {
		return e.Manager == to && e.Operation == OperationApply && e.Subresource == subresource
	})
	for _, name := range from {
		isSource := func(e Entry) bool {
			return e.Manager == name && e.Operation == OperationUpdate && e.Subresource == subresource
		}
		first := slices.IndexFunc(entries, isSource)
		if first < 0 {
			continue
		}
		changed = true
		if target < 0 {
			target = first
			entries[target].Manager, entries[target].Operation = to, OperationApply
		}
		i := slices.IndexFunc(entries, func(e Entry) bool {
			return isSource(e) && e.APIVersion == entries[target].APIVersion
		})
		if i >= 0 {
			entries[target].Set = entries[target].Set.Union(entries[i].Set)
		}
		owner := entries[target].Owner
		entries = slices.DeleteFunc(entries, isSource)
		target = slices.IndexFunc(entries, func(e Entry) bool { return e.Owner == owner })
	}
	if !changed {
		return m, false, nil
	}
	upgraded, err = NewManaged(entries)
	return upgraded, err == nil, err
}
