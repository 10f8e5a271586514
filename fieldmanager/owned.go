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

// ownerSets has the field set of each owner, and its time stamp. The keys of both maps are the IDs of
// the owners (see managedfields.Owner.ID). A request changes the maps, but never modifies a
// set in them: it replaces the set.
type ownerSets struct {
	sets  fieldpath.ManagedFields
	times map[string]*time.Time
}

// ownerSetsOf returns the field sets and the time stamps in m, in new maps.
func ownerSetsOf(m *managedfields.Managed) ownerSets {
	return ownerSets{sets: m.Fields(), times: m.Times()}
}

// removePaths removes paths from the field set of the owner ownerID. If no path remains, it removes
// the owner from sets. If there is no such owner, it does nothing.
func removePaths(sets fieldpath.ManagedFields, ownerID string, paths *fieldpath.Set) {
	vs, ok := sets[ownerID]
	if !ok {
		return
	}
	set := vs.Set().Difference(paths)
	if set.Empty() {
		delete(sets, ownerID)
		return
	}
	sets[ownerID] = fieldpath.NewVersionedSet(set, vs.APIVersion(), vs.Applied())
}

// ancientChanges is the manager that gets the fields of the oldest updates if an object has
// too many update managers.
const ancientChanges = "ancient-changes"

// capUpdateManagers limits the number of update managers, as Options.MaxUpdateManagers describes.
// It combines the oldest update managers of each API version into the manager "ancient-changes" of
// that version, and stops when at most limit managers remain. It never combines managers of
// different versions, so more managers can remain. It modifies the maps of o.
//
// An existing "ancient-changes" is usually the oldest manager of its version. But time stamps have
// whole seconds, so it can have the same time as another manager that sorts before it. In this
// case, the API server adds "ancient-changes" to itself, and then deletes it with its fields.
// capUpdateManagers instead adds the other manager to "ancient-changes".
func (o ownerSets) capUpdateManagers(limit int) {
	var updaters []string // the IDs of the update managers, the oldest first after the sort
	for ownerID, vs := range o.sets {
		if !vs.Applied() {
			updaters = append(updaters, ownerID)
		}
	}
	remaining := len(updaters)
	if remaining <= limit {
		return
	}
	slices.SortFunc(updaters, func(a, b string) int {
		return cmp.Or(cmp.Compare(document.Seconds(o.times[a]), document.Seconds(o.times[b])), cmp.Compare(a, b))
	})
	oldest := map[fieldpath.APIVersion]string{} // the ID of the oldest manager of each API version
	setsToAdd := map[string][]*fieldpath.Set{}  // the sets to add to each ancient-changes manager, by its ID
	defer func() {
		for ancientID, sets := range setsToAdd {
			vs := o.sets[ancientID]
			o.sets[ancientID] = fieldpath.NewVersionedSet(stored.Union(append(sets, vs.Set())), vs.APIVersion(), false)
		}
	}()
	for _, ownerID := range updaters {
		if remaining <= limit {
			return
		}
		vs := o.sets[ownerID]
		version := vs.APIVersion()
		oldestID, ok := oldest[version]
		if !ok {
			oldest[version] = ownerID
			continue
		}
		ancientID := managedfields.Owner{Manager: ancientChanges, Operation: managedfields.OperationUpdate, APIVersion: string(version)}.ID()
		if _, ok := o.sets[ancientID]; !ok {
			o.sets[ancientID] = o.sets[oldestID] // rename the oldest manager
			delete(o.sets, oldestID)
		}
		removedID := ownerID
		if ownerID == ancientID {
			// "ancient-changes" already exists, but another manager sorts before it (see the doc
			// comment).
			removedID, vs = oldestID, o.sets[oldestID]
			oldest[version] = ancientID
		} else {
			o.times[ancientID] = o.times[ownerID] // the time of the manager combined last, which is the newest so far
		}
		setsToAdd[ancientID] = append(setsToAdd[ancientID], vs.Set())
		delete(o.sets, removedID)
		remaining--
	}
}
