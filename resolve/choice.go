// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package resolve

import (
	"fmt"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
)

// A Choice selects how to resolve a conflict: Refuse, Force, Yield or Share.
type Choice int

const (
	// Refuse leaves the conflict unresolved, so the apply fails.
	Refuse Choice = iota
	// Force overwrites the field with the value of the config. The other managers lose the
	// field.
	Force
	// Yield leaves the field out of the config. The field keeps its live value, and the other
	// managers keep the field.
	Yield
	// Share sets the field in the config to its live value, so that all managers own
	// it. If the live object does not have the field, Share does the same as Yield.
	Share
)

// String returns the name of the choice in lower case.
func (c Choice) String() string {
	names := []string{"refuse", "force", "yield", "share"}
	if c < 0 || int(c) >= len(names) {
		return fmt.Sprintf("choice %d", int(c))
	}
	return names[c]
}

// Choices select how to resolve the conflicts of an apply. The zero value refuses all
// conflicts.
type Choices struct {
	// Force, Yield and Share list paths, written like Conflict.Path. Each path selects the
	// choice for all conflicts at the path and below it. The empty path covers all conflicts. If
	// several paths cover a conflict, the longest path decides. If the same path is in several
	// lists, Yield wins over Share, and Share wins over Force. A path that covers no conflict is
	// ignored.
	Force, Yield, Share []fieldpath.Path
	// Choose returns the choice for a conflict that no path covers. If Choose is nil, such
	// conflicts are refused. Apply may call Choose several times for the same conflict; Choose
	// must then return the same choice each time. Choose must be safe for concurrent use if
	// several goroutines use the Request.
	Choose func(*fieldmanager.Conflict) Choice
}

// With returns Choices that select the given choice for all conflicts at the path of the given
// conflict, regardless of which manager owns the field. For all other conflicts, including conflicts
// below that path, they select the same as c.
func (c Choices) With(conflict *fieldmanager.Conflict, choice Choice) Choices {
	path, others := conflict.Path, c.byPath()
	return Choices{Choose: func(other *fieldmanager.Conflict) Choice {
		if other.Path.Equals(path) {
			return choice
		}
		return others.choiceFor(other)
	}}
}

// Rest returns Choices that select the given choice for all conflicts that c refuses. For all other
// conflicts, they select the same as c. For example, Choices{}.Rest(Yield) yields to every other
// manager.
func (c Choices) Rest(choice Choice) Choices {
	first := c.byPath()
	return Choices{Choose: func(conflict *fieldmanager.Conflict) Choice {
		if chosen := first.choiceFor(conflict); chosen != Refuse {
			return chosen
		}
		return choice
	}}
}

// choicesByPath has the same choices as Choices, with the paths in a tree for fast lookups.
type choicesByPath struct {
	root   choiceNode
	choose func(*fieldmanager.Conflict) Choice
}

// A choiceNode stands for a path. If set is true, the path has a choice. The keys of children
// are path elements as text.
type choiceNode struct {
	choice   Choice
	set      bool
	children map[string]*choiceNode
}

func (c Choices) byPath() *choicesByPath {
	out := &choicesByPath{choose: c.Choose}
	for _, list := range []struct {
		choice Choice
		paths  []fieldpath.Path
	}{{Force, c.Force}, {Share, c.Share}, {Yield, c.Yield}} { // if a path is in several lists, the last list wins
		for _, p := range list.paths {
			node := &out.root
			for i := range p {
				if node.children == nil {
					node.children = map[string]*choiceNode{}
				}
				name := p[i].String()
				next := node.children[name]
				if next == nil {
					next = &choiceNode{}
					node.children[name] = next
				}
				node = next
			}
			node.choice, node.set = list.choice, true
		}
	}
	return out
}

// choiceFor returns the choice for a conflict.
func (c *choicesByPath) choiceFor(conflict *fieldmanager.Conflict) Choice {
	choice, found := Refuse, false
	for node, i := &c.root, 0; node != nil; i++ {
		if node.set {
			choice, found = node.choice, true
		}
		if i == len(conflict.Path) || node.children == nil {
			break
		}
		node = node.children[conflict.Path[i].String()]
	}
	if !found && c.choose != nil {
		choice = c.choose(conflict)
	}
	return choice
}
