// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"errors"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/place"
)

// causes is what searches have found out about other conflicts than their own.
type causes struct {
	// open are the conflicts of the config when the round began.
	open []conflictID
	// of are fields without which a conflict was no more, idle those, by their
	// paths, without which all were there still.
	of   map[conflictID]fieldpath.Path
	idle map[string]bool
}

// search tries for each field of the config whether it is the cause of c. It is needed
// where the owner uses another API version, in which the field is called otherwise, and
// where the choice of one member of a union excludes another. What was in vain for another
// conflict is tried last: it can be a cause only together with what has changed since.
func (r *resolving) search(c *Conflict, match bool) (bool, error) {
	live, err := r.liveInConfigsVersion()
	if err != nil {
		return false, err
	}
	config, err := r.t.FromUnstructured(document.WithoutManagedFields(r.out.Config))
	if err != nil {
		return false, err
	}
	s := searching{resolving: r, live: live, id: c.id(), match: match, tried: map[string]bool{}}
	if s.try(c.Path) || s.try(r.of[s.id]) { // most often it is called the same
		return true, nil
	}
	set, err := config.ToFieldSet()
	if err != nil {
		return false, err
	}
	leaves := set.Leaves().Difference(document.Unowned)
	for _, idle := range []bool{false, true} {
		for path := range leaves.All() {
			if r.idle[path.String()] == idle && s.try(path) {
				return true, nil
			}
		}
	}
	return false, nil
}

// liveInConfigsVersion is the live object as the config has it.
func (r *resolving) liveInConfigsVersion() (*place.Place, error) {
	if r.converted == nil {
		apiVersion, _ := document.TypeOf(r.out.Config)
		live, _, err := r.m.Convert(document.WithoutManagedFields(r.live), apiVersion)
		if err != nil {
			return nil, err
		}
		r.converted = place.ObjectOf(r.t, document.WithStringKeys(live).(map[string]any))
	}
	return r.converted, nil
}

// searching is the search for the cause of one conflict.
type searching struct {
	*resolving
	live  *place.Place
	id    conflictID
	match bool
	tried map[string]bool
}

// try makes the change at path if the conflict is no more then.
func (s *searching) try(path fieldpath.Path) bool {
	name := path.String()
	if len(path) == 0 || s.tried[name] {
		return false
	}
	s.tried[name] = true
	w := s.changes()
	if !s.changeAll(&w, s.live, path, s.match) {
		return false
	}
	changed, ok := w.of(s.out.Config, s.t)
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
			s.of[id] = path.Copy()
			idle = false
		}
	}
	s.idle[name] = idle
	return false
}

// left are the conflicts that there are with a config; ok is false if it cannot be
// applied for another reason.
func (r *resolving) left(config map[string]any) (left map[conflictID]bool, ok bool) {
	_, err := r.m.Apply(r.live, config, r.manager, false)
	var (
		conflict *ConflictError
		fixed    *ImmutableError
	)
	if !errors.As(err, &conflict) {
		return nil, err == nil || errors.As(err, &fixed)
	}
	left = make(map[conflictID]bool, len(conflict.Conflicts))
	for i := range conflict.Conflicts {
		left[conflict.Conflicts[i].id()] = true
	}
	return left, true
}
