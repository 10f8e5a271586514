// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"fmt"
	"slices"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/internal/suggest"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// Lacks is why the manager that was asked for owns nothing in an object: which
// managers there are, and, if it is among them, what it owns otherwise.
type Lacks struct {
	Managers []string
	Why      string
}

// OnlyOwned leaves out the outcomes of objects in which the manager owns nothing, with
// a note of how many they are. If that is all of them, it is an error: the name may be
// misspelt.
func OnlyOwned(r *command.Run, f input.Files, manager string, outcomes []*Outcome) []*Outcome {
	var kept, left []*Outcome
	owned := false
	for _, o := range outcomes {
		if o.Lacks != nil {
			left = append(left, o)
			continue
		}
		kept = append(kept, o)
		owned = owned || len(o.Errors) == 0
	}
	switch {
	case len(left) == 0:
	case owned:
		r.Notef("%s owns nothing in %d of %d objects, which are passed over", words.OneLine(words.Flow(manager)), len(left), len(outcomes))
	case len(left) == 1:
		left[0].Errors = manifest.Errors{left[0].Object.Errorf(".metadata.managedFields", "%s", left[0].Lacks.reason(manager))}
		return outcomes
	default:
		all := Lacks{}
		for _, o := range left {
			all.Managers = append(all.Managers, o.Lacks.Managers...)
			if all.Why == "" && o.Lacks.Why != "" {
				all.Why = fmt.Sprintf("%v: %s", o.Object.Identity(), o.Lacks.Why)
			}
		}
		message := fmt.Sprintf("in none of %d objects: %s", len(left), all.reason(manager))
		kept = append(kept, &Outcome{Errors: manifest.Errors{{File: words.ShortList(f.Names), Message: message}}})
	}
	return kept
}

func (l *Lacks) reason(manager string) string {
	if l.Why != "" {
		return l.Why
	}
	return NoManager(manager, l.Managers)
}

// NoManager says that nobody of a name is among the managers.
func NoManager(name string, managers []string) string {
	if len(managers) == 0 {
		return "no manager " + words.Flow(name) + ": there are none"
	}
	slices.Sort(managers)
	hint := words.DidYouMean(suggest.Nearest(name, managers))
	return "no manager " + words.Flow(name) + "; there are " + words.ShortList(slices.Compact(managers)) + hint
}
