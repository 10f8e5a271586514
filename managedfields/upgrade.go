// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package managedfields

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/stored"
)

// Upgrade hands what the managers from own by Update over to an Apply by
// manager to, as needed when an object moves from client-side to server-side
// apply. Only entries of subresource are touched. changed is false, and the
// result is m, when there was nothing to hand over.
//
// Fields are joined with what to already applies when they are in the same
// API version; entries of from in other versions are dropped, as kubectl's
// own migration does. Migrate of package ownership, which knows the schema, loses none of
// them; its package comment says which is for what.
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
	gone := make([]bool, len(entries))
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
			if gone[i] = true; entries[i].APIVersion == entries[target].APIVersion {
				joined = append(joined, entries[i].Set)
			}
		}
	}
	if !changed {
		return m, false, nil
	}
	entries[target].Set = stored.Union(append(joined, entries[target].Set))
	left := entries[:0]
	for i, e := range entries {
		if !gone[i] {
			left = append(left, e)
		}
	}
	upgraded, err = New(left)
	return upgraded, err == nil, err
}
