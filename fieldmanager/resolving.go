// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/place"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/typed"
)

// conflictID tells conflicts of one apply apart.
type conflictID struct{ owner, path string }

func (c *Conflict) id() conflictID { return conflictID{c.Owner.ID(), c.Path.String()} }

// resolving is one Resolve on its way.
type resolving struct {
	m       *FieldManager
	live    map[string]any
	manager string
	choices *chooser
	out     *Resolved
	// first has all conflicts that there were, nil if none.
	first *ConflictError
	// tried says in how many ways the config was changed for a conflict, settled
	// whether one that is in out is settled still.
	tried   map[conflictID]int
	settled map[conflictID]bool
	causes
	// ground is nil until the config has to be changed.
	*ground
	// pending are changes at paths of conflicts that the config does not have yet.
	pending rewrite
	// root is out.Config, and now the conflicts that it has; nil if that is not known.
	root *place.Place
	now  *conflictsLeft
	// warnings are of what made the config single.
	warnings []managedfields.Warning
}

// conflictsLeft is what resolving.left says of a config.
type conflictsLeft struct {
	left map[conflictID]bool
	ok   bool
}

// ground is what changes of a config are made by.
type ground struct {
	// t is the type of the config.
	t typed.ParseableType
	// held is what the manager owns before.
	held *fieldpath.Set
	// converted is the live object in the version of the config, nil if that was not
	// asked yet.
	converted *place.Place
}

func (r *resolving) done(result *Result, err error) (*Resolved, error) {
	var (
		conflict *ConflictError
		fixed    *ImmutableError
	)
	if err != nil && !errors.As(err, &conflict) && !errors.As(err, &fixed) {
		return nil, err
	}
	if result != nil {
		result.Warnings = append(r.warnings, result.Warnings...)
	}
	r.out.Settled = slices.DeleteFunc(r.out.Settled, func(s Settled) bool { return !r.settled[s.Conflict.id()] })
	r.out.Result = result
	return r.out, err
}

// unresolved are the conflicts that are refused, and those that are no more though
// nothing was chosen for them, or to force them, in the order of a ConflictError.
func (r *resolving) unresolved(forced, refused []Conflict) []Conflict {
	if r.first == nil {
		return refused
	}
	still := make(map[conflictID]bool, len(forced)+len(refused))
	for _, left := range [][]Conflict{forced, refused} {
		for i := range left {
			still[left[i].id()] = true
		}
	}
	for _, c := range r.first.Conflicts {
		if choice := r.choices.of(&c); choice != Force && choice != Refuse || still[c.id()] {
			continue
		}
		c.Hint = joinHints(c.Hint, "it goes with what is dropped or matched elsewhere; choose the same for both")
		refused = append(refused, c)
	}
	slices.SortFunc(refused, func(a, b Conflict) int {
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

func (r *resolving) note(c *Conflict, choice Choice) {
	id := c.id()
	if _, noted := r.settled[id]; !noted {
		r.out.Settled = append(r.out.Settled, Settled{*c, choice})
	}
	r.settled[id] = true
}

// round changes the config for the conflicts that are to be dropped or matched. If
// none is, or the config does not help, it returns all conflicts by what they are.
func (r *resolving) round(conflict *ConflictError) (forced, refused []Conflict, err error) {
	changed := false
	r.causes = causes{of: map[conflictID]fieldpath.Path{}, idle: map[string]bool{}}
	for i := range conflict.Conflicts {
		r.open = append(r.open, conflict.Conflicts[i].id())
	}
	for _, c := range conflict.Conflicts {
		choice := r.choices.of(&c)
		if choice == Match && !c.HasLive {
			choice = Drop
		}
		switch choice {
		case Force:
			forced = append(forced, c)
			continue
		case Drop, Match:
			ok, err := r.change(&c, choice == Match)
			if err != nil {
				return nil, nil, err
			}
			if ok {
				r.note(&c, choice)
				changed = true
				continue
			}
			r.settled[c.id()] = false
			reason := "no field of the config causes it that could be left out"
			if choice == Match {
				reason = "no config has the live value"
			}
			c.Hint = joinHints(c.Hint, reason)
		}
		refused = append(refused, c)
	}
	r.catchUp()
	if changed {
		return nil, nil, nil
	}
	return forced, refused, nil
}

// change changes the config so that c is no more: at its path, which is done when the
// config is asked for, or, where that did not help, by what turns out to. It returns
// whether there is anything to change.
func (r *resolving) change(c *Conflict, match bool) (bool, error) {
	if err := r.prepare(); err != nil {
		return false, err
	}
	id := c.id()
	apiVersion, _ := document.TypeOf(r.out.Config)
	same := c.APIVersion == apiVersion
	r.tried[id]++
	switch r.tried[id] {
	case 1:
		// Another conflict over the path, or above it, may see to it.
		switch {
		case same && place.Inexact(c.Path):
			live, err := r.liveInConfigsVersion()
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
		if same && !r.m.o.Unions {
			return false, nil // no field is called otherwise, or excludes another
		}
		return r.search(c, match)
	}
	return false, nil
}

// changeAll adds to w the change of all that path names in the config and that has another
// value there than in the live object, each by its own live value, and returns whether there
// is any. Of the items that an inexact path names, those that are live once stay: what they
// have below has paths of its own.
func (r *resolving) changeAll(w *rewrite, live *place.Place, path fieldpath.Path, match bool) (some bool) {
	if r.root == nil {
		r.root = place.ObjectOf(r.t, r.out.Config)
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
		w.add(path, c)
		some = true
	})
	return some
}

// prepare finds out what changes need to know, and makes the config single.
func (r *resolving) prepare() error {
	if r.ground != nil {
		return nil
	}
	t, err := r.m.Type(document.TypeOf(r.out.Config))
	if err != nil {
		return err
	}
	managed, err := managedfields.Decode(r.live)
	if err != nil {
		return err
	}
	g := &ground{t: t, held: fieldpath.NewSet()}
	if e, ok := managed.Find(managedfields.Owner{Manager: r.manager, Operation: managedfields.OperationApply, Subresource: r.m.o.Subresource}.ID()); ok {
		g.held = e.Set
	}
	if err := r.makeSingle(t); err != nil {
		return err
	}
	r.ground = g
	r.pending = r.changes()
	return nil
}

// changes are none yet.
func (r *resolving) changes() rewrite { return rewrite{known: r.m.o.CarryUnknown, held: r.held} }

// catchUp makes the changes that are pending.
func (r *resolving) catchUp() {
	if len(r.pending.edits.names) == 0 {
		return
	}
	config, _ := r.pending.of(r.out.Config, r.t)
	r.changeTo(config)
	r.pending = r.changes()
}

// changeTo makes config the config.
func (r *resolving) changeTo(config map[string]any) {
	r.out.Config, r.root, r.now = config, nil, nil
}

// makeSingle makes a config of which each path names one place, before it is changed
// at a path: without what Options.Duplicates drops, and with maps of string keys.
func (r *resolving) makeSingle(t typed.ParseableType) error {
	r.out.Config = document.WithStringKeys(r.out.Config).(map[string]any)
	if r.m.o.Duplicates == typed.RefuseDuplicates {
		return nil
	}
	made := &request{m: r.m}
	config, err := made.checkConfig(r.out.Config)
	if err != nil {
		return err
	}
	config, _, err = made.single(t, config)
	if err != nil {
		return err
	}
	r.out.Config, r.warnings = config, made.warnings
	return nil
}
