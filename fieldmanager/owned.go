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

// owned is ownership while a request changes it. Its sets are read-only.
type owned struct {
	fields fieldpath.ManagedFields
	times  map[string]*time.Time
}

func ownedBy(m *managedfields.Managed) owned { return owned{fields: m.Fields(), times: m.Times()} }

// strip takes the fields nobody owns from the manager that the request wrote
// for, and the manager away when it owns nothing else.
func strip(fields fieldpath.ManagedFields, id string) {
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

// ancientChanges owns what the oldest updates wrote, when there are more
// update managers than an object may have.
const ancientChanges = "ancient-changes"

// foldOldest joins the oldest update managers of each API version into
// ancient-changes until at most limit are left. A version with only one
// manager among them is left as it is: renaming it would save nothing.
//
// Where ancient-changes itself comes after another manager in that order,
// which needs two time stamps of the same second, the API server drops it and
// all it owns; here the other manager is joined into it.
func (o owned) foldOldest(limit int) {
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
	first := map[fieldpath.APIVersion]string{} // the oldest manager of each version
	folded := map[string][]*fieldpath.Set{}    // what is joined into each bucket
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
		gone := id
		if id == bucket {
			gone, vs = oldest, o.fields[oldest]
			first[version] = bucket
		} else {
			o.times[bucket] = o.times[id]
		}
		folded[bucket] = append(folded[bucket], vs.Set())
		delete(o.fields, gone)
		left--
	}
}
