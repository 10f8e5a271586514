package fieldmanager

import (
	"fmt"
	"slices"

	"github.com/dovetail-ssa/dovetail/typed"
)

// Extract returns what manager owns in live by applying through this
// endpoint's subresource, as a config in the API version it last applied:
// apiVersion, kind, metadata.name and namespace, and its fields. Applying it
// again changes nothing. The config is nil when the manager owns nothing.
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
	extracted := tv.ExtractItems(e.Set.Leaves()).AsValue().Unstructured()
	config, ok := extracted.(map[string]any)
	if !ok && extracted != nil {
		return nil, fmt.Errorf("extracted %s, want an object", kindOf(extracted))
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
