// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package resolve

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/place"
	"github.com/dovetail-ssa/dovetail/internal/sent"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/typed"
)

// resolver runs one call of Apply in rounds. Each round applies the config, and then changes the
// config to yield or share conflicts. When no conflict is left to yield or share, it forces or
// refuses all remaining conflicts at once.
type resolver struct {
	*Request
	options fieldmanager.Options
	choices *choicesByPath
	out     *Outcome
	// initial contains the conflicts of the given config, or nil.
	initial []fieldmanager.Conflict
	// attempts counts, for each conflict, the attempts to resolve it by a change of the config.
	// resolved has the conflicts that are recorded in out.Resolutions. The value for a conflict is
	// false if the last attempt to resolve it failed.
	attempts map[conflictID]int
	resolved map[conflictID]bool
	// open contains the conflicts at the start of the round. causes has the results of this
	// round's searches for the causes of conflicts.
	open   []conflictID
	causes causes
	// baseline is the state before the first change of the config. It is nil until then.
	baseline *baseline
	// pending has changes that are not yet made in out.Config.
	pending changes
	// root caches the root of out.Config, and remaining caches the conflicts of out.Config. Both
	// are nil after a change of the config.
	root      *place.Place
	remaining *remainingConflicts
	// warnings contains the warnings that deduplicate returned.
	warnings []managedfields.Warning
}

// conflictID identifies a conflict among all conflicts of one apply.
type conflictID struct{ owner, path string }

func idOf(c *fieldmanager.Conflict) conflictID { return conflictID{c.Owner.ID(), c.Path.String()} }

// remainingConflicts is a cached result of resolver.conflictsOf.
type remainingConflicts struct {
	ids map[conflictID]bool
	ok  bool
}

// baseline is the state before the config is changed.
type baseline struct {
	// t is the type of the config.
	t typed.ParseableType
	// owned is the field set of the manager before the apply.
	owned *fieldpath.Set
	// live is the live object in the API version of the config. It is nil until it is needed.
	live *place.Place
}

func newResolver(r *Request, choices Choices) *resolver {
	return &resolver{
		Request: r, options: r.fm.Options(), choices: choices.byPath(), out: &Outcome{Config: r.config},
		attempts: map[conflictID]int{}, resolved: map[conflictID]bool{},
	}
}

func (r *resolver) run() (*Outcome, error) {
	apply := r.applyUnchanged
	for {
		result, err := apply()
		apply = r.applyCurrent
		var conflict *fieldmanager.ConflictError
		if !errors.As(err, &conflict) {
			if left := r.unresolved(nil, nil); err == nil && len(left) > 0 {
				return r.finish(nil, &fieldmanager.ConflictError{Conflicts: left})
			}
			return r.finish(result, err)
		}
		if r.initial == nil {
			r.initial = conflict.Conflicts
		}
		forced, refused, err := r.runRound(conflict.Conflicts)
		if err != nil {
			return nil, err
		}
		if forced == nil && refused == nil {
			continue // the config changed, so start the next round
		}
		if left := r.unresolved(forced, refused); len(left) > 0 {
			return r.finish(nil, &fieldmanager.ConflictError{Conflicts: left})
		}
		for i := range forced {
			r.record(&forced[i], Force)
		}
		return r.finish(r.apply(r.out.Config, true))
	}
}

// applyCurrent applies the config with all changes made so far.
func (r *resolver) applyCurrent() (*fieldmanager.Result, error) {
	return r.apply(r.out.Config, false)
}

// finish returns the result of Request.Apply. result and err come from the last apply.
func (r *resolver) finish(result *fieldmanager.Result, err error) (*Outcome, error) {
	var (
		conflict  *fieldmanager.ConflictError
		immutable *fieldmanager.ImmutableError
	)
	if err != nil && !errors.As(err, &conflict) && !errors.As(err, &immutable) {
		return nil, err
	}
	if r.options.StripManagedFields {
		r.out.Config = document.WithoutManagedFields(r.out.Config) // a server rejects a config with managed fields
	}
	if result != nil {
		own := *result // copy the result, because other calls of Apply share it
		own.Warnings = slices.Concat(r.warnings, result.Warnings)
		r.out.Result = &own
	}
	r.out.Resolutions = slices.DeleteFunc(r.out.Resolutions, func(c Resolution) bool { return !r.resolved[idOf(&c.Conflict)] })
	return r.out, err
}

// unresolved returns the conflicts to report in a ConflictError, sorted by owner and path. These
// are the refused conflicts. They also include conflicts whose choice is Force or Refuse, but that
// disappeared because of another change of the config.
func (r *resolver) unresolved(forced, refused []fieldmanager.Conflict) []fieldmanager.Conflict {
	still := make(map[conflictID]bool, len(forced)+len(refused))
	for _, conflicts := range [][]fieldmanager.Conflict{forced, refused} {
		for i := range conflicts {
			still[idOf(&conflicts[i])] = true
		}
	}
	for _, c := range r.initial {
		if choice := r.choices.choiceFor(&c); choice != Force && choice != Refuse || still[idOf(&c)] {
			continue
		}
		c.Hint = withHint(c.Hint, "yielding or sharing another field removes this field from your config; choose the same for both")
		refused = append(refused, c)
	}
	slices.SortFunc(refused, func(a, b fieldmanager.Conflict) int {
		return cmp.Or(strings.Compare(a.Owner.ID(), b.Owner.ID()), comparePaths(a.Path, b.Path))
	})
	return refused
}

// comparePaths orders paths like fieldpath.Set.Iterate: a path that ends at an element comes
// before the paths that continue below that element.
func comparePaths(a, b fieldpath.Path) int {
	for i := range min(len(a), len(b)) {
		switch aEnds, bEnds := i+1 == len(a), i+1 == len(b); {
		case aEnds && !bEnds:
			return -1
		case bEnds && !aEnds:
			return 1
		}
		if c := a[i].Compare(b[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a), len(b))
}

// record adds a conflict to the resolutions of the outcome.
func (r *resolver) record(c *fieldmanager.Conflict, choice Choice) {
	id := idOf(c)
	if _, recorded := r.resolved[id]; !recorded {
		r.out.Resolutions = append(r.out.Resolutions, Resolution{*c, choice})
	}
	r.resolved[id] = true
}

// runRound changes the config to yield or share conflicts. If it changed the config, it returns nil
// slices, and the caller starts the next round. If nothing changed, it returns the conflicts to
// force and the conflicts to refuse. The refused conflicts include those that no change of the
// config resolves.
func (r *resolver) runRound(conflicts []fieldmanager.Conflict) (forced, refused []fieldmanager.Conflict, err error) {
	changed := false
	r.open, r.causes = nil, causes{byConflict: map[conflictID]fieldpath.Path{}, unrelated: map[string]bool{}}
	for i := range conflicts {
		r.open = append(r.open, idOf(&conflicts[i]))
	}
	for _, c := range conflicts {
		choice := r.choices.choiceFor(&c)
		if choice == Share && !c.HasLive {
			choice = Yield
		}
		switch choice {
		case Force:
			forced = append(forced, c)
			continue
		case Yield, Share:
			ok, err := r.changeFor(&c, choice == Share)
			if err != nil {
				return nil, nil, err
			}
			if ok {
				r.record(&c, choice)
				changed = true
				continue
			}
			r.resolved[idOf(&c)] = false
			reason := "leaving out a field of your config does not resolve it"
			if choice == Share {
				reason = "no config can apply the live value"
			}
			c.Hint = withHint(c.Hint, reason)
		}
		refused = append(refused, c)
	}
	r.applyPending()
	if changed {
		return nil, nil, nil
	}
	return forced, refused, nil
}

// changeFor changes the config to resolve c. It returns true if it found a change to try.
//
// The first attempt changes the field at the path of c. It only adds the change to pending, so that
// the changes for all conflicts are made in one pass through the config. If the conflict is still
// there in a later round, the second attempt searches for the field that causes it.
func (r *resolver) changeFor(c *fieldmanager.Conflict, share bool) (bool, error) {
	if err := r.prepare(); err != nil {
		return false, err
	}
	id := idOf(c)
	apiVersion, _ := document.TypeOf(r.out.Config)
	sameVersion := c.APIVersion == apiVersion
	r.attempts[id]++
	switch r.attempts[id] {
	case 1:
		// Return true even if the config does not have the path, because a change for another
		// conflict may also resolve c.
		switch {
		case sameVersion && place.Inexact(c.Path):
			live, err := r.liveInVersionOfConfig()
			if err != nil {
				return false, err
			}
			r.addChanges(&r.pending, live, c.Path, share)
		case sameVersion:
			r.pending.add(c.Path, change{replace: share, value: c.Live})
		}
		return true, nil
	case 2:
		r.applyPending()
		if r.remaining == nil {
			ids, ok := r.conflictsOf(r.out.Config)
			r.remaining = &remainingConflicts{ids, ok}
		}
		if r.remaining.ok && !r.remaining.ids[id] {
			return true, nil // a change for another conflict has already resolved c
		}
		if sameVersion && !r.options.Unions {
			return false, nil // without unions, only the field at the same path can be the cause
		}
		return r.searchCause(c, share)
	}
	return false, nil
}

// addChanges adds a change to cs for each field of the config at path, and reports whether it added
// any. It skips fields that already have their live value.
//
// An inexact path can match several items (see place.Inexact). Each of these items gets its own
// live value. addChanges skips a granular item that matches exactly one live item, because each
// conflict inside the item has its own path.
func (r *resolver) addChanges(cs *changes, live *place.Place, path fieldpath.Path, share bool) (added bool) {
	if r.root == nil {
		r.root = place.ObjectOf(r.baseline.t, r.out.Config)
	}
	several := place.Inexact(path)
	r.root.Each(nil, path, func(path fieldpath.Path, yours place.Place, _ bool) {
		var theirs []any
		live.Each(nil, path, func(_ fieldpath.Path, at place.Place, found bool) {
			if found {
				theirs = append(theirs, at.Plain)
			}
		})
		c := change{replace: share && len(theirs) > 0}
		if len(theirs) > 0 {
			c.value = theirs[0]
		}
		if len(theirs) == 1 && (document.Equal(yours.Plain, c.value) || several && yours.Granular() && isContainer(c.value)) {
			return
		}
		cs.add(path, c)
		added = true
	})
	return added
}

// prepare sets r.baseline and removes duplicates from the config. It runs only once, before the
// first change.
func (r *resolver) prepare() error {
	if r.baseline != nil {
		return nil
	}
	t, err := r.fm.Type(document.TypeOf(r.out.Config))
	if err != nil {
		return err
	}
	managed, err := managedfields.Decode(r.live)
	if err != nil {
		return err
	}
	b := &baseline{t: t, owned: fieldpath.NewSet()}
	if e, ok := managed.Find(managedfields.Owner{Manager: r.manager, Operation: managedfields.OperationApply, Subresource: r.options.Subresource}.ID()); ok {
		b.owned = e.Set
	}
	if err := r.deduplicate(t); err != nil {
		return err
	}
	r.baseline = b
	r.pending = r.newChanges()
	return nil
}

// newChanges returns an empty set of changes.
func (r *resolver) newChanges() changes {
	return changes{onlyKnown: r.options.CarryUnknown, owned: r.baseline.owned}
}

// applyPending makes the pending changes in the config.
func (r *resolver) applyPending() {
	if len(r.pending.edits.order) == 0 {
		return
	}
	config, _ := r.pending.apply(r.out.Config, r.baseline.t)
	r.setConfig(config)
	r.pending = r.newChanges()
}

// setConfig replaces the config, and clears the caches that depend on it.
func (r *resolver) setConfig(config map[string]any) {
	r.out.Config, r.root, r.remaining = config, nil, nil
}

// deduplicate removes duplicate items from the config as Options.Duplicates says, and converts
// all maps to maps with string keys. Each path then identifies only one field or item of the
// config.
func (r *resolver) deduplicate(t typed.ParseableType) error {
	r.out.Config = document.WithStringKeys(r.out.Config).(map[string]any)
	if r.options.Duplicates == typed.RefuseDuplicates {
		return nil
	}
	config, stripped := sent.WithoutManagedFields(r.out.Config)
	config, _, dropped, err := sent.Single(t, config, r.options.Duplicates)
	if err != nil {
		return err
	}
	r.out.Config, r.warnings = config, append(stripped, dropped...)
	return nil
}

// withHint appends more text to a hint, and returns the result.
func withHint(hint, more string) string {
	if hint == "" {
		return more
	}
	return hint + "; " + more
}
