package fieldmanager

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/engine"
	"github.com/dovetail-ssa/dovetail/merge"
	"github.com/dovetail-ssa/dovetail/typed"
)

// A Choice is what is to become of a conflict.
type Choice int

const (
	// Refuse lets the apply fail.
	Refuse Choice = iota
	// Force takes the field: it gets the value of the config, and the others
	// lose it.
	Force
	// Drop gives way: the field is taken out of the config, stays what it is
	// and belongs to the others.
	Drop
	// Match shares the field: the config gets the live value, so that all own
	// it. Where there is no live value there is nothing to share: it is a Drop.
	Match
)

// String returns the name in lower case.
func (c Choice) String() string {
	names := []string{"refuse", "force", "drop", "match"}
	if c < 0 || int(c) >= len(names) {
		return fmt.Sprintf("choice %d", int(c))
	}
	return names[c]
}

// Choices say what is to become of the conflicts of an apply. The zero value
// refuses all.
type Choices struct {
	// Force, Drop and Match are paths, as conflicts have them: each stands for
	// all conflicts at it and below it. The empty path stands for all conflicts.
	// Of paths that lead to one conflict the longest counts; of equal ones Drop
	// before Match before Force.
	Force, Drop, Match []fieldpath.Path
	// Choose is asked about the conflicts that no path leads to; nil refuses
	// them. It must give the same answer whenever it is asked about a conflict.
	Choose func(*Conflict) Choice
}

// of returns what was chosen for a conflict.
func (c *Choices) of(conflict *Conflict) Choice {
	best, choice := -1, Refuse
	for _, way := range []struct {
		choice Choice
		paths  []fieldpath.Path
	}{{Drop, c.Drop}, {Match, c.Match}, {Force, c.Force}} {
		for _, p := range way.paths {
			if len(p) > best && len(p) <= len(conflict.Path) && conflict.Path[:len(p)].Equals(p) {
				best, choice = len(p), way.choice
			}
		}
	}
	if best < 0 && c.Choose != nil {
		choice = c.Choose(conflict)
	}
	return choice
}

// Resolved is what became of an apply with choices.
type Resolved struct {
	// Result is what is to be stored, nil with an error.
	Result *Result
	// Config is what was applied: the config given, but for what was dropped and
	// matched; if there was any of that, also without the items that
	// Options.Duplicates drops. It shares with the config and with the live object:
	// read-only.
	Config map[string]any
	// Settled are the conflicts that there were and are no more, in order.
	Settled []Settled
}

// Settled is a conflict and what became of it.
type Settled struct {
	Conflict Conflict
	// Choice is never Refuse; of a Match without a live value it is Drop.
	Choice Choice
}

// Resolve is Apply with a choice for each conflict. The outcome is that of
// applying Resolved.Config, by force if any conflict was forced: the API server
// does the same for that config.
//
// The error is a *ConflictError with the conflicts for which there was no choice,
// or otherwise that of Apply: no choice overrides immutability. With an error that
// is about conflicts or immutability, the Resolved says how the config has changed
// until then; otherwise it is nil. Neither live nor config is modified.
func (m *FieldManager) Resolve(live, config map[string]any, manager string, choices Choices) (*Resolved, error) {
	r := &resolving{
		m: m, live: live, manager: manager, choices: choices,
		out: &Resolved{Config: config}, tried: map[conflictID]int{}, settled: map[conflictID]bool{},
	}
	for {
		result, err := m.Apply(live, r.out.Config, manager, false)
		var conflict *ConflictError
		if !errors.As(err, &conflict) {
			return r.done(result, err)
		}
		forced, refused, err := r.round(conflict)
		switch {
		case err != nil:
			return nil, err
		case forced == nil && refused == nil:
			continue // the config has changed
		case refused != nil:
			return r.done(nil, conflict.only(refused, choices))
		}
		for i := range forced {
			r.note(&forced[i], Force)
		}
		return r.done(m.Apply(live, r.out.Config, manager, true))
	}
}

// conflictID tells conflicts of one apply apart.
type conflictID struct{ owner, path string }

func (c *Conflict) id() conflictID { return conflictID{c.Owner.ID(), c.Path.String()} }

// resolving is one Resolve on its way.
type resolving struct {
	m       *FieldManager
	live    map[string]any
	manager string
	choices Choices
	out     *Resolved
	// tried says in how many ways the config was changed for a conflict, settled
	// which ones are in out.
	tried   map[conflictID]int
	settled map[conflictID]bool
	// held is what the manager owns before, nil if that was not asked yet.
	held *fieldpath.Set
	// single says that the config has been made single; warnings are of that.
	single   bool
	warnings []Warning
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
	r.out.Result = result
	return r.out, err
}

func (r *resolving) note(c *Conflict, choice Choice) {
	if id := c.id(); !r.settled[id] {
		r.settled[id] = true
		r.out.Settled = append(r.out.Settled, Settled{*c, choice})
	}
}

// unsettle takes back that a conflict was settled.
func (r *resolving) unsettle(id conflictID) {
	delete(r.settled, id)
	r.out.Settled = slices.DeleteFunc(r.out.Settled, func(s Settled) bool { return s.Conflict.id() == id })
}

// round changes the config for the conflicts that are to be dropped or matched. If
// none is, or the config does not help, it returns all conflicts by what they are.
func (r *resolving) round(conflict *ConflictError) (forced, refused []Conflict, err error) {
	changed := false
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
			r.unsettle(c.id())
			reason := "no field of the config causes it that could be left out"
			if choice == Match {
				reason = "no config has the live value"
			}
			c.Hint = joinHints(c.Hint, reason)
		}
		refused = append(refused, c)
	}
	if changed {
		return nil, nil, nil
	}
	return forced, refused, nil
}

// change changes the config so that c is no more: at its path, or, where that did
// not help, by what turns out to. It returns whether there is anything to change.
func (r *resolving) change(c *Conflict, match bool) (bool, error) {
	apiVersion, kind := typeOf(r.out.Config)
	t, err := r.m.typeFor(apiVersion, kind)
	if err != nil {
		return false, err
	}
	if err := r.makeSingle(t); err != nil {
		return false, err
	}
	id := c.id()
	r.tried[id]++
	if r.tried[id] == 1 {
		// Another conflict over the path, or above it, may have seen to it.
		if c.APIVersion == apiVersion {
			held, err := r.heldBefore()
			if err != nil {
				return false, err
			}
			w := rewrite{path: c.Path, set: match, to: c.Live, known: r.m.o.CarryUnknown, held: held}
			if config, ok := w.of(r.out.Config, t); ok {
				r.out.Config = config
			}
		}
		return true, nil
	}
	if r.tried[id] > 2 {
		return false, nil
	}
	if r.rids(r.out.Config, id) {
		return true, nil // what was changed for another conflict was the cause of this one
	}
	return r.search(c, t, match)
}

// makeSingle makes a config of which each path names one place, before it is changed
// at a path: without what Options.Duplicates drops, and with maps of string keys.
func (r *resolving) makeSingle(t typed.ParseableType) error {
	if r.single {
		return nil
	}
	r.single = true
	if !engine.HasStringKeys(r.out.Config) {
		r.out.Config = stringKeyed(r.out.Config).(map[string]any)
	}
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

// heldBefore is what the manager applies already.
func (r *resolving) heldBefore() (*fieldpath.Set, error) {
	if r.held == nil {
		managed, err := Decode(r.live)
		if err != nil {
			return nil, err
		}
		r.held = fieldpath.NewSet()
		if e := managed.find(Owner{Manager: r.manager, Operation: OperationApply, Subresource: r.m.o.Subresource}.ID()); e != nil {
			r.held = e.Set
		}
	}
	return r.held, nil
}

// search tries for each field of the config whether it is the cause of c. It is
// needed where the owner uses another API version, in which the field is called
// otherwise.
func (r *resolving) search(c *Conflict, t typed.ParseableType, match bool) (bool, error) {
	apiVersion, _ := typeOf(r.out.Config)
	held, err := r.heldBefore()
	if err != nil {
		return false, err
	}
	live, _, err := r.m.convert(withoutManagedFields(r.live), apiVersion)
	if err != nil {
		return false, err
	}
	config, err := t.FromUnstructured(withoutManagedFields(r.out.Config))
	if err != nil {
		return false, err
	}
	set, err := config.ToFieldSet()
	if err != nil {
		return false, err
	}
	liveTyped := typedOf(t, live)
	id := c.id()
	find := finders{}
	candidates := []fieldpath.Path{c.Path} // most often it is called the same
	for path := range set.Leaves().Difference(unowned).All() {
		candidates = append(candidates, path.Copy())
	}
	for _, path := range candidates {
		yours, _ := find.value(config, path)
		v, has := find.value(liveTyped, path)
		if has && equal(yours, v) {
			continue
		}
		w := rewrite{path: path, set: match && has, to: v, known: r.m.o.CarryUnknown, held: held}
		changed, ok := w.of(r.out.Config, t)
		if !ok {
			continue
		}
		if r.rids(changed, id) {
			r.out.Config = changed
			return true, nil
		}
	}
	return false, nil
}

// rids says whether config can be applied without the conflict.
func (r *resolving) rids(config map[string]any, id conflictID) bool {
	_, err := r.m.Apply(r.live, config, r.manager, false)
	var (
		left  *ConflictError
		fixed *ImmutableError
	)
	if errors.As(err, &left) {
		return !slices.ContainsFunc(left.Conflicts, func(c Conflict) bool { return c.id() == id })
	}
	return err == nil || errors.As(err, &fixed)
}

// only is e with some of its conflicts. Their outcomes make the choices too that
// were made for the others.
func (e *ConflictError) only(conflicts []Conflict, choices Choices) *ConflictError {
	some := &ConflictError{Conflicts: conflicts}
	for i := range conflicts {
		some.cause = append(some.cause, merge.Conflict{Manager: conflicts[i].Owner.ID(), Path: conflicts[i].Path})
		if conflicts[i].from != nil {
			from := *conflicts[i].from
			from.choices = choices
			conflicts[i].from = &from
		}
	}
	return some
}
