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

// causes is what searches of a round have found out about other conflicts than their own.
type causes struct {
	// of are fields without which a conflict was no more, idle those, by their
	// paths, without which all were there still.
	of   map[conflictID]fieldpath.Path
	idle map[string]bool
}

// searchCause tries for each field of the config whether it is the cause of c. It is needed
// where the owner uses another API version, in which the field is called otherwise, and
// where the choice of one member of a union excludes another. What was in vain for another
// conflict is tried last: it can be a cause only together with what has changed since.
func (r *resolution) searchCause(c *fieldmanager.Conflict, match bool) (bool, error) {
	live, err := r.liveInVersionOfConfig()
	if err != nil {
		return false, err
	}
	config, err := r.before.t.FromUnstructured(document.WithoutManagedFields(r.out.Config))
	if err != nil {
		return false, err
	}
	s := search{resolution: r, live: live, id: idOf(c), match: match, tried: map[string]bool{}}
	if s.try(c.Path) || s.try(r.causes.of[s.id]) { // most often it is called the same
		return true, nil
	}
	set, err := config.ToFieldSet()
	if err != nil {
		return false, err
	}
	leaves := set.Leaves().Difference(document.NeverOwned)
	for _, idle := range []bool{false, true} {
		for path := range leaves.All() {
			if r.causes.idle[path.String()] == idle && s.try(path) {
				return true, nil
			}
		}
	}
	return false, nil
}

// liveInVersionOfConfig is the live object as the config has it.
func (r *resolution) liveInVersionOfConfig() (*place.Place, error) {
	if r.before.live == nil {
		apiVersion, _ := document.TypeOf(r.out.Config)
		live, _, err := r.fm.Convert(document.WithoutManagedFields(r.live), apiVersion)
		if err != nil {
			return nil, err
		}
		r.before.live = place.ObjectOf(r.before.t, document.WithStringKeys(live).(map[string]any))
	}
	return r.before.live, nil
}

// search is the search for the cause of one conflict.
type search struct {
	*resolution
	live  *place.Place
	id    conflictID
	match bool
	tried map[string]bool
}

// try makes the change at path if the conflict is no more then.
func (s *search) try(path fieldpath.Path) bool {
	name := path.String()
	if len(path) == 0 || s.tried[name] {
		return false
	}
	s.tried[name] = true
	cs := s.noChanges()
	if !s.changeAll(&cs, s.live, path, s.match) {
		return false
	}
	changed, ok := cs.in(s.out.Config, s.before.t)
	if !ok {
		return false
	}
	left, ok := s.left(changed)
	if !ok {
		return false
	}
	if !left[s.id] {
		s.changeTo(changed)
		return true
	}
	idle := true
	for _, id := range s.open {
		if !left[id] {
			s.causes.of[id] = path.Copy()
			idle = false
		}
	}
	s.causes.idle[name] = idle
	return false
}

// left are the conflicts that there are with a config; ok is false if it cannot be
// applied for another reason.
func (r *resolution) left(config map[string]any) (left map[conflictID]bool, ok bool) {
	_, err := r.apply(config, false)
	var (
		conflict *fieldmanager.ConflictError
		fixed    *fieldmanager.ImmutableError
	)
	if !errors.As(err, &conflict) {
		return nil, err == nil || errors.As(err, &fixed)
	}
	left = make(map[conflictID]bool, len(conflict.Conflicts))
	for i := range conflict.Conflicts {
		left[idOf(&conflict.Conflicts[i])] = true
	}
	return left, true
}
