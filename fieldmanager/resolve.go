// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"errors"
	"fmt"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/merge"
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

// chooser is Choices by their paths.
type chooser struct {
	root   chosen
	choose func(*Conflict) Choice
}

// chosen is what was chosen for a place, if that is set, and below are those for the
// places below it, by their elements as text.
type chosen struct {
	choice Choice
	set    bool
	below  map[string]*chosen
}

func (c Choices) chooser() *chooser {
	out := &chooser{choose: c.Choose}
	for _, way := range []struct {
		choice Choice
		paths  []fieldpath.Path
	}{{Force, c.Force}, {Match, c.Match}, {Drop, c.Drop}} { // of equal paths the last counts
		for _, p := range way.paths {
			at := &out.root
			for i := range p {
				if at.below == nil {
					at.below = map[string]*chosen{}
				}
				name := p[i].String()
				next := at.below[name]
				if next == nil {
					next = &chosen{}
					at.below[name] = next
				}
				at = next
			}
			at.choice, at.set = way.choice, true
		}
	}
	return out
}

// of returns what was chosen for a conflict.
func (c *chooser) of(conflict *Conflict) Choice {
	choice, found := Refuse, false
	for at, i := &c.root, 0; at != nil; i++ {
		if at.set {
			choice, found = at.choice, true
		}
		if i == len(conflict.Path) || at.below == nil {
			break
		}
		at = at.below[conflict.Path[i].String()]
	}
	if !found && c.choose != nil {
		choice = c.choose(conflict)
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
// The error is a *ConflictError with the conflicts for which there was no choice, and
// those that cannot be forced since they go with what is dropped or matched, such as
// the fields of an item that goes with its key; or otherwise that of Apply: no choice
// overrides immutability. With an error that
// is about conflicts or immutability, the Resolved says how the config has changed
// until then; otherwise it is nil. Neither live nor config is modified.
func (m *FieldManager) Resolve(live, config map[string]any, manager string, choices Choices) (*Resolved, error) {
	return m.resolve(live, config, manager, choices, nil)
}

// resolve is Resolve with the conflicts of applying config, nil if that was not tried.
func (m *FieldManager) resolve(live, config map[string]any, manager string, choices Choices, known *ConflictError) (*Resolved, error) {
	r := &resolving{
		m: m, live: live, manager: manager, choices: choices.chooser(),
		out: &Resolved{Config: config}, tried: map[conflictID]int{}, settled: map[conflictID]bool{},
	}
	for {
		conflict := known
		if known = nil; conflict == nil {
			result, err := m.Apply(live, r.out.Config, manager, false)
			if !errors.As(err, &conflict) {
				if left := r.unresolved(nil, nil); err == nil && len(left) > 0 {
					return r.done(nil, r.first.only(left, r.choices))
				}
				return r.done(result, err)
			}
		}
		if r.first == nil {
			r.first = conflict
		}
		forced, refused, err := r.round(conflict)
		switch {
		case err != nil:
			return nil, err
		case forced == nil && refused == nil:
			continue // the config has changed
		}
		if left := r.unresolved(forced, refused); len(left) > 0 {
			return r.done(nil, conflict.only(left, r.choices))
		}
		for i := range forced {
			r.note(&forced[i], Force)
		}
		return r.done(m.Apply(live, r.out.Config, manager, true))
	}
}

// only is e with some of its conflicts. Their outcomes make the choices too that
// were made for the others.
func (e *ConflictError) only(conflicts []Conflict, choices *chooser) *ConflictError {
	some := &ConflictError{Conflicts: conflicts}
	for i := range conflicts {
		some.cause = append(some.cause, merge.Conflict{Manager: conflicts[i].Owner.ID(), Path: conflicts[i].Path})
		from := *conflicts[i].from // they are all of an apply
		from.choices = choices
		conflicts[i].from = &from
	}
	return some
}
