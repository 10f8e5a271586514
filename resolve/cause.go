// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package resolve

import (
	"errors"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/place"
)

// causes caches the results of searchCause during one round of a resolver. A search for the cause
// of one conflict can also find the causes of other conflicts.
type causes struct {
	// byConflict maps a conflict to the path of a field of the config. Changing this field
	// resolves the conflict.
	byConflict map[conflictID]fieldpath.Path
	// unrelated has the paths, as text, of the fields that a search changed. The value is true if
	// changing the field resolved no open conflict.
	unrelated map[string]bool
}

// searchCause searches the config for the field that causes the conflict c. It changes one field
// after another until the conflict disappears. It returns true if it found and changed such a
// field.
//
// A search is needed if the cause is not the field at the path of the conflict. There are two such
// cases. In the first case, the owner uses an API version in which the field has a different name.
// In the second case, a union member in the config removes another member, and so conflicts with
// the owner of that member.
//
// The search begins with the most likely fields. Fields that resolved no open conflict in an
// earlier search of this round come last, because they may still resolve c together with other
// changes.
func (r *resolver) searchCause(c *fieldmanager.Conflict, share bool) (bool, error) {
	live, err := r.liveInVersionOfConfig()
	if err != nil {
		return false, err
	}
	config, err := r.baseline.t.FromUnstructured(document.WithoutManagedFields(r.out.Config))
	if err != nil {
		return false, err
	}
	s := search{resolver: r, live: live, id: idOf(c), share: share, tried: map[string]bool{}}
	if s.try(c.Path) || s.try(r.causes.byConflict[s.id]) { // most fields have the same name in all versions
		return true, nil
	}
	set, err := config.ToFieldSet()
	if err != nil {
		return false, err
	}
	leaves := set.Leaves().Difference(document.NeverOwned)
	for _, unrelated := range []bool{false, true} {
		for path := range leaves.All() {
			if r.causes.unrelated[path.String()] == unrelated && s.try(path) {
				return true, nil
			}
		}
	}
	return false, nil
}

// liveInVersionOfConfig returns the live object in the API version of the config.
func (r *resolver) liveInVersionOfConfig() (*place.Place, error) {
	if r.baseline.live == nil {
		apiVersion, _ := document.TypeOf(r.out.Config)
		live, _, err := r.fm.Convert(document.WithoutManagedFields(r.live), apiVersion)
		if err != nil {
			return nil, err
		}
		r.baseline.live = place.ObjectOf(r.baseline.t, document.WithStringKeys(live).(map[string]any))
	}
	return r.baseline.live, nil
}

// search is the search for the cause of one conflict.
type search struct {
	*resolver
	live  *place.Place
	id    conflictID
	share bool
	tried map[string]bool
}

// try changes the field at path, and keeps the change if it resolves the conflict. If it does not,
// try records which other open conflicts the change would resolve.
func (s *search) try(path fieldpath.Path) bool {
	name := path.String()
	if len(path) == 0 || s.tried[name] {
		return false
	}
	s.tried[name] = true
	cs := s.newChanges()
	if !s.addChanges(&cs, s.live, path, s.share) {
		return false
	}
	config, ok := cs.apply(s.out.Config, s.baseline.t)
	if !ok {
		return false
	}
	remaining, ok := s.conflictsOf(config)
	if !ok {
		return false
	}
	if !remaining[s.id] {
		s.setConfig(config)
		return true
	}
	unrelated := true
	for _, id := range s.open {
		if !remaining[id] {
			s.causes.byConflict[id] = path.Copy()
			unrelated = false
		}
	}
	s.causes.unrelated[name] = unrelated
	return false
}

// conflictsOf returns the conflicts that an apply of config would have. ok is false if the apply
// fails for any reason other than conflicts or immutable fields.
func (r *resolver) conflictsOf(config map[string]any) (ids map[conflictID]bool, ok bool) {
	_, err := r.apply(config, false)
	var (
		conflict  *fieldmanager.ConflictError
		immutable *fieldmanager.ImmutableError
	)
	if !errors.As(err, &conflict) {
		return nil, err == nil || errors.As(err, &immutable)
	}
	ids = make(map[conflictID]bool, len(conflict.Conflicts))
	for i := range conflict.Conflicts {
		ids[idOf(&conflict.Conflicts[i])] = true
	}
	return ids, true
}
