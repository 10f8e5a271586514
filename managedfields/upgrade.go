// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package managedfields

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/stored"
)

// Upgrade moves the fields of some managers from their Update entries to the Apply entry of one
// manager. An object needs this when it moves from client-side to server-side apply. The argument
// from lists the managers that lose their entries, and to is the name of the manager that gets the
// fields. Upgrade changes only entries with the given subresource. If there is nothing to move,
// changed is false, and the result is m itself.
//
// If there is already an Apply entry, this entry gets the fields of all moved entries with the same API
// version. Otherwise, the first moved entry becomes the Apply entry. Like kubectl's own migration,
// Upgrade loses the fields of moved entries with a different version. ownership.Migrate does not lose
// them, because it knows the schema. The documentation of package ownership compares the two functions.
func (m *Managed) Upgrade(from []string, to, subresource string) (upgraded *Managed, changed bool, err error) {
	entries := m.Entries()
	target := slices.IndexFunc(entries, func(e Entry) bool {
		return e.Manager == to && e.Operation == OperationApply && e.Subresource == subresource
	})
	sources := map[string][]int{}
	for i, e := range entries {
		if e.Operation == OperationUpdate && e.Subresource == subresource {
			sources[e.Manager] = append(sources[e.Manager], i)
		}
	}
	removed := make([]bool, len(entries))
	var joined []*fieldpath.Set
	for _, name := range from {
		list := sources[name]
		if len(list) == 0 {
			continue
		}
		delete(sources, name)
		changed = true
		if target < 0 {
			target, list = list[0], list[1:]
			entries[target].Manager, entries[target].Operation = to, OperationApply
		}
		for _, i := range list {
			if removed[i] = true; entries[i].APIVersion == entries[target].APIVersion {
				joined = append(joined, entries[i].Set)
			}
		}
	}
	if !changed {
		return m, false, nil
	}
	entries[target].Set = stored.Union(append(joined, entries[target].Set))
	kept := entries[:0]
	for i, e := range entries {
		if !removed[i] {
			kept = append(kept, e)
		}
	}
	upgraded, err = New(kept)
	return upgraded, err == nil, err
}
