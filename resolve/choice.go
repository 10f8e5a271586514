// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package resolve

import (
	"fmt"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
)

// A Choice is what is to become of a conflict: Refuse, Force, Yield or Share.
type Choice int

const (
	// Refuse lets the apply fail.
	Refuse Choice = iota
	// Force takes the field: it gets the value of the config, and the others
	// lose it.
	Force
	// Yield gives way: the field is taken out of the config, stays what it is
	// and belongs to the others.
	Yield
	// Share shares the field: the config gets the live value, so that all own
	// it. Where there is no live value there is nothing to share: it is a Yield.
	Share
)

// String returns the name in lower case.
func (c Choice) String() string {
	names := []string{"refuse", "force", "yield", "share"}
	if c < 0 || int(c) >= len(names) {
		return fmt.Sprintf("choice %d", int(c))
	}
	return names[c]
}

// Choices say what is to become of the conflicts of an apply. The zero value
// refuses all.
type Choices struct {
	// Force, Yield and Share are paths, as conflicts have them: each stands for
	// all conflicts at it and below it. The empty path stands for all conflicts.
	// Of paths that lead to one conflict the longest counts; of equal ones Yield
	// before Share before Force. A path that leads to none says nothing.
	Force, Yield, Share []fieldpath.Path
	// Choose is asked about the conflicts that no path leads to; nil refuses
	// them. It must give the same answer whenever it is asked about a conflict, and
	// stand being asked by several goroutines if the Request is used by them.
	Choose func(*fieldmanager.Conflict) Choice
}

// With returns Choices that choose choice for all conflicts over the path of conflict,
// whoever owns it, but for none below it; for the others they choose what c does.
func (c Choices) With(conflict *fieldmanager.Conflict, choice Choice) Choices {
	path, others := conflict.Path, c.byPath()
	return Choices{Choose: func(other *fieldmanager.Conflict) Choice {
		if other.Path.Equals(path) {
			return choice
		}
		return others.of(other)
	}}
}

// Rest returns Choices that choose choice for all that c refuses, and else what c does:
// Choices{}.Rest(Yield) yields to all.
func (c Choices) Rest(choice Choice) Choices {
	first := c.byPath()
	return Choices{Choose: func(conflict *fieldmanager.Conflict) Choice {
		if chosen := first.of(conflict); chosen != Refuse {
			return chosen
		}
		return choice
	}}
}

// choicesByPath are Choices by their paths.
type choicesByPath struct {
	root   choiceAt
	choose func(*fieldmanager.Conflict) Choice
}

// choiceAt is what was chosen for a place, if that is set, and below are those for the
// places below it, by their elements as text.
type choiceAt struct {
	choice Choice
	set    bool
	below  map[string]*choiceAt
}

func (c Choices) byPath() *choicesByPath {
	out := &choicesByPath{choose: c.Choose}
	for _, way := range []struct {
		choice Choice
		paths  []fieldpath.Path
	}{{Force, c.Force}, {Share, c.Share}, {Yield, c.Yield}} { // of equal paths the last counts
		for _, p := range way.paths {
			at := &out.root
			for i := range p {
				if at.below == nil {
					at.below = map[string]*choiceAt{}
				}
				name := p[i].String()
				next := at.below[name]
				if next == nil {
					next = &choiceAt{}
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
func (c *choicesByPath) of(conflict *fieldmanager.Conflict) Choice {
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
