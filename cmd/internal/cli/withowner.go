// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"

	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// lacks is why the manager that was asked for owns nothing in an object: which
// managers there are, and, if it is among them, what it owns otherwise.
type lacks struct {
	managers []string
	why      string
}

// withOwner leaves out the outcomes of objects in which the manager owns nothing, with
// a note of how many they are. If that is all of them, it is an error: the name may be
// misspelt.
func (r *run) withOwner(f files, manager string, outcomes []*outcome) []*outcome {
	var kept, left []*outcome
	owned := false
	for _, o := range outcomes {
		if o.lacks != nil {
			left = append(left, o)
			continue
		}
		kept = append(kept, o)
		owned = owned || len(o.errors) == 0
	}
	switch {
	case len(left) == 0:
	case owned:
		fmt.Fprintf(r.env.Stderr, "note: %s owns nothing in %d of %d objects, which are passed over\n", oneLine(flow(manager)), len(left), len(outcomes))
	case len(left) == 1:
		left[0].errors = manifest.Errors{left[0].object.Errorf(".metadata.managedFields", "%s", left[0].lacks.reason(manager))}
		return outcomes
	default:
		all := lacks{}
		for _, o := range left {
			all.managers = append(all.managers, o.lacks.managers...)
			if all.why == "" && o.lacks.why != "" {
				all.why = fmt.Sprintf("%v: %s", o.object.Identity(), o.lacks.why)
			}
		}
		message := fmt.Sprintf("in none of %d objects: %s", len(left), all.reason(manager))
		kept = append(kept, &outcome{errors: manifest.Errors{{File: shortList(f.names), Message: message}}})
	}
	return kept
}

func (l *lacks) reason(manager string) string {
	if l.why != "" {
		return l.why
	}
	return noManager(manager, l.managers)
}
