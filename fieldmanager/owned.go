// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"cmp"
	"slices"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/stored"
	"github.com/dovetail-ssa/dovetail/managedfields"
)

// ownership is the ownership that a request reads and changes. Its sets are never modified,
// only replaced.
type ownership struct {
	fields fieldpath.ManagedFields
	times  map[string]*time.Time
}

func ownershipOf(m *managedfields.Managed) ownership {
	return ownership{fields: m.Fields(), times: m.Times()}
}

// removeNeverOwned removes the fields that never have owners from the field set of a
// manager. It removes a manager that then owns nothing.
func removeNeverOwned(fields fieldpath.ManagedFields, id string) {
	vs, ok := fields[id]
	if !ok {
		return
	}
	set := vs.Set().Difference(document.NeverOwned)
	if set.Empty() {
		delete(fields, id)
		return
	}
	fields[id] = fieldpath.NewVersionedSet(set, vs.APIVersion(), vs.Applied())
}

// ancientChanges is the manager that gets the fields of the oldest updates if an object has
// too many update managers.
const ancientChanges = "ancient-changes"

// foldOldest replaces the oldest update managers of each API version by ancient-changes,
// until at most limit update managers remain. If it would replace only one manager of a
// version, it keeps that manager, because renaming one manager saves nothing.
//
// If two time stamps are in the same second, ancient-changes can come after another manager
// in the order by time. The API server then loses ancient-changes and its fields. To avoid
// this, foldOldest combines the other manager with ancient-changes.
func (o ownership) foldOldest(limit int) {
	var updaters []string
	for id, vs := range o.fields {
		if !vs.Applied() {
			updaters = append(updaters, id)
		}
	}
	left := len(updaters)
	if left <= limit {
		return
	}
	slices.SortFunc(updaters, func(a, b string) int {
		return cmp.Or(cmp.Compare(document.Seconds(o.times[a]), document.Seconds(o.times[b])), cmp.Compare(a, b))
	})
	first := map[fieldpath.APIVersion]string{} // the oldest manager of each API version
	folded := map[string][]*fieldpath.Set{}    // the sets to add to each ancient-changes manager, by its identifier
	defer func() {
		for bucket, sets := range folded {
			vs := o.fields[bucket]
			o.fields[bucket] = fieldpath.NewVersionedSet(stored.Union(append(sets, vs.Set())), vs.APIVersion(), false)
		}
	}()
	for _, id := range updaters {
		if left <= limit {
			return
		}
		vs := o.fields[id]
		version := vs.APIVersion()
		oldest, ok := first[version]
		if !ok {
			first[version] = id
			continue
		}
		bucket := managedfields.Owner{Manager: ancientChanges, Operation: managedfields.OperationUpdate, APIVersion: string(version)}.ID()
		if _, ok := o.fields[bucket]; !ok {
			o.fields[bucket] = o.fields[oldest]
			delete(o.fields, oldest)
		}
		removed := id
		if id == bucket {
			removed, vs = oldest, o.fields[oldest]
			first[version] = bucket
		} else {
			o.times[bucket] = o.times[id]
		}
		folded[bucket] = append(folded[bucket], vs.Set())
		delete(o.fields, removed)
		left--
	}
}
