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

// resolution is one Apply on its way. It applies the config, changes it for the conflicts
// that are to be dropped or matched, and applies it again, round by round, until none of
// those is left; the others are forced at once, or refused.
type resolution struct {
	*Request
	options fieldmanager.Options
	choices *choicesByPath
	out     *Outcome
	// all are the conflicts of the config as it was given, nil if there were none.
	all []fieldmanager.Conflict
	// tried says in how many ways the config was changed for a conflict, resolved
	// whether one that is in out is resolved still.
	tried    map[conflictID]int
	resolved map[conflictID]bool
	// open are the conflicts of the config when the round began; causes is what is known
	// of them.
	open   []conflictID
	causes causes
	// before is nil until the config has to be changed.
	before *before
	// pending are changes at paths of conflicts that the config does not have yet.
	pending changes
	// root is out.Config, and now the conflicts that it has; nil if that is not known.
	root *place.Place
	now  *conflictsLeft
	// warnings are of what made the config single.
	warnings []managedfields.Warning
}

// conflictID tells conflicts of one apply apart.
type conflictID struct{ owner, path string }

func idOf(c *fieldmanager.Conflict) conflictID { return conflictID{c.Owner.ID(), c.Path.String()} }

// conflictsLeft is what resolution.left says of a config.
type conflictsLeft struct {
	left map[conflictID]bool
	ok   bool
}

// before is what there was before the config was changed, as changes need it.
type before struct {
	// t is the type of the config.
	t typed.ParseableType
	// held is what the manager owns.
	held *fieldpath.Set
	// live is the live object in the version of the config, nil if that was not asked
	// yet.
	live *place.Place
}

func newResolution(r *Request, choices Choices) *resolution {
	return &resolution{
		Request: r, options: r.fm.Options(), choices: choices.byPath(), out: &Outcome{Config: r.config},
		tried: map[conflictID]int{}, resolved: map[conflictID]bool{},
	}
}

func (r *resolution) run() (*Outcome, error) {
	apply := r.first
	for {
		result, err := apply()
		apply = r.again
		var conflict *fieldmanager.ConflictError
		if !errors.As(err, &conflict) {
			if left := r.unresolved(nil, nil); err == nil && len(left) > 0 {
				return r.done(nil, &fieldmanager.ConflictError{Conflicts: left})
			}
			return r.done(result, err)
		}
		if r.all == nil {
			r.all = conflict.Conflicts
		}
		forced, refused, err := r.round(conflict.Conflicts)
		if err != nil {
			return nil, err
		}
		if forced == nil && refused == nil {
			continue // the config has changed
		}
		if left := r.unresolved(forced, refused); len(left) > 0 {
			return r.done(nil, &fieldmanager.ConflictError{Conflicts: left})
		}
		for i := range forced {
			r.note(&forced[i], Force)
		}
		return r.done(r.apply(r.out.Config, true))
	}
}

// again applies the config as it is now.
func (r *resolution) again() (*fieldmanager.Result, error) { return r.apply(r.out.Config, false) }

func (r *resolution) done(result *fieldmanager.Result, err error) (*Outcome, error) {
	var (
		conflict *fieldmanager.ConflictError
		fixed    *fieldmanager.ImmutableError
	)
	if err != nil && !errors.As(err, &conflict) && !errors.As(err, &fixed) {
		return nil, err
	}
	if result != nil {
		own := *result // that of the config as it was given is of others, too
		own.Warnings = slices.Concat(r.warnings, result.Warnings)
		r.out.Result = &own
	}
	r.out.Resolutions = slices.DeleteFunc(r.out.Resolutions, func(c Resolution) bool { return !r.resolved[idOf(&c.Conflict)] })
	return r.out, err
}

// unresolved are the conflicts that are refused, and those that are no more though
// nothing was chosen for them, or to force them, in the order of a ConflictError.
func (r *resolution) unresolved(forced, refused []fieldmanager.Conflict) []fieldmanager.Conflict {
	still := make(map[conflictID]bool, len(forced)+len(refused))
	for _, left := range [][]fieldmanager.Conflict{forced, refused} {
		for i := range left {
			still[idOf(&left[i])] = true
		}
	}
	for _, c := range r.all {
		if choice := r.choices.of(&c); choice != Force && choice != Refuse || still[idOf(&c)] {
			continue
		}
		c.Hint = withHint(c.Hint, "it goes with what is dropped or matched elsewhere; choose the same for both")
		refused = append(refused, c)
	}
	slices.SortFunc(refused, func(a, b fieldmanager.Conflict) int {
		return cmp.Or(strings.Compare(a.Owner.ID(), b.Owner.ID()), inOrder(a.Path, b.Path))
	})
	return refused
}

// inOrder compares paths as fieldpath.Set.Iterate has them: those that end at a place come
// before those that go on below it.
func inOrder(a, b fieldpath.Path) int {
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

func (r *resolution) note(c *fieldmanager.Conflict, choice Choice) {
	id := idOf(c)
	if _, noted := r.resolved[id]; !noted {
		r.out.Resolutions = append(r.out.Resolutions, Resolution{*c, choice})
	}
	r.resolved[id] = true
}

// round changes the config for the conflicts that are to be dropped or matched. If
// none is, or the config does not help, it returns all conflicts by what they are.
func (r *resolution) round(conflicts []fieldmanager.Conflict) (forced, refused []fieldmanager.Conflict, err error) {
	changed := false
	r.open, r.causes = nil, causes{of: map[conflictID]fieldpath.Path{}, idle: map[string]bool{}}
	for i := range conflicts {
		r.open = append(r.open, idOf(&conflicts[i]))
	}
	for _, c := range conflicts {
		choice := r.choices.of(&c)
		if choice == Share && !c.HasLive {
			choice = Yield
		}
		switch choice {
		case Force:
			forced = append(forced, c)
			continue
		case Yield, Share:
			ok, err := r.change(&c, choice == Share)
			if err != nil {
				return nil, nil, err
			}
			if ok {
				r.note(&c, choice)
				changed = true
				continue
			}
			r.resolved[idOf(&c)] = false
			reason := "no field of the config causes it that could be left out"
			if choice == Share {
				reason = "no config has the live value"
			}
			c.Hint = withHint(c.Hint, reason)
		}
		refused = append(refused, c)
	}
	r.catchUp()
	if changed {
		return nil, nil, nil
	}
	return forced, refused, nil
}

// change changes the config so that c is no more, and returns whether there is anything to
// change. The first time it changes the path of c, in pending, so that the config is walked
// once for all conflicts; if c is there again, it looks for the place that causes it.
func (r *resolution) change(c *fieldmanager.Conflict, match bool) (bool, error) {
	if err := r.prepare(); err != nil {
		return false, err
	}
	id := idOf(c)
	apiVersion, _ := document.TypeOf(r.out.Config)
	same := c.APIVersion == apiVersion
	r.tried[id]++
	switch r.tried[id] {
	case 1:
		// Whether or not there is something to change: it may be changed for another
		// conflict over the path, or above it.
		switch {
		case same && place.Inexact(c.Path):
			live, err := r.liveInVersionOfConfig()
			if err != nil {
				return false, err
			}
			r.changeAll(&r.pending, live, c.Path, match)
		case same:
			r.pending.add(c.Path, change{set: match, to: c.Live})
		}
		return true, nil
	case 2:
		r.catchUp()
		if r.now == nil {
			left, ok := r.left(r.out.Config)
			r.now = &conflictsLeft{left, ok}
		}
		if r.now.ok && !r.now.left[id] {
			return true, nil // what was changed for another conflict was the cause of this one
		}
		if same && !r.options.Unions {
			return false, nil // no field is called otherwise, or excludes another
		}
		return r.searchCause(c, match)
	}
	return false, nil
}

// changeAll adds to cs the change of all that path names in the config and that has another
// value there than in the live object, each by its own live value, and returns whether there
// is any. Of the items that an inexact path names, those that are live once stay: what they
// have below has paths of its own.
func (r *resolution) changeAll(cs *changes, live *place.Place, path fieldpath.Path, match bool) (some bool) {
	if r.root == nil {
		r.root = place.ObjectOf(r.before.t, r.out.Config)
	}
	several := place.Inexact(path)
	r.root.Each(nil, path, func(path fieldpath.Path, yours place.Place, _ bool) {
		var theirs []any
		live.Each(nil, path, func(_ fieldpath.Path, at place.Place, found bool) {
			if found {
				theirs = append(theirs, at.Plain)
			}
		})
		c := change{set: match && len(theirs) > 0}
		if len(theirs) > 0 {
			c.to = theirs[0]
		}
		if len(theirs) == 1 && (document.Equal(yours.Plain, c.to) || several && yours.Granular() && isContainer(c.to)) {
			return
		}
		cs.add(path, c)
		some = true
	})
	return some
}

// prepare finds out what changes need to know, and makes the config single.
func (r *resolution) prepare() error {
	if r.before != nil {
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
	was := &before{t: t, held: fieldpath.NewSet()}
	if e, ok := managed.Find(managedfields.Owner{Manager: r.manager, Operation: managedfields.OperationApply, Subresource: r.options.Subresource}.ID()); ok {
		was.held = e.Set
	}
	if err := r.makeSingle(t); err != nil {
		return err
	}
	r.before = was
	r.pending = r.noChanges()
	return nil
}

// noChanges are none yet.
func (r *resolution) noChanges() changes {
	return changes{onlyKnown: r.options.CarryUnknown, held: r.before.held}
}

// catchUp makes the pending changes.
func (r *resolution) catchUp() {
	if len(r.pending.edits.names) == 0 {
		return
	}
	config, _ := r.pending.in(r.out.Config, r.before.t)
	r.changeTo(config)
	r.pending = r.noChanges()
}

// changeTo makes config the config.
func (r *resolution) changeTo(config map[string]any) {
	r.out.Config, r.root, r.now = config, nil, nil
}

// makeSingle makes a config of which each path names one place, before it is changed
// at a path: without what Options.Duplicates drops, and with maps of string keys.
func (r *resolution) makeSingle(t typed.ParseableType) error {
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

// withHint adds to what a hint says already.
func withHint(hint, more string) string {
	if hint == "" {
		return more
	}
	return hint + "; " + more
}
