package fieldmanager

import "slices"

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
