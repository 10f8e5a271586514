// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package diff

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/fields"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/prediction"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/report"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/managedfields"
)

// shortDifference writes the difference of an object for a terminal. It writes one line for
// the object, and one line for each field that changes, conflicts or is immutable. If there is
// no difference, it writes nothing.
func shortDifference(s *report.Short, o *prediction.Outcome, d *difference) {
	if d.isNew {
		s.Object(o.Object.Identity(), "(new)")
		return
	}
	now := o.Maker.Now()
	for i := range d.changes {
		c := &d.changes[i]
		s.Change(c, changeRemark(o, c, now))
	}
	changed := d.changedPaths()
	for i := range o.Conflicts {
		if c := &o.Conflicts[i]; !fields.Overlaps(changed, c.Path) {
			s.Conflict(c, report.ShortOwner(o.Manager, c.Owner, c.Time, now)+onlyOwner(o))
		}
	}
	kept := 0 // the number of lines about resolved conflicts
	if len(o.Conflicts) == 0 {
		kept = s.Resolved(o, changed)
	}
	for _, l := range d.defaults {
		sign, colour := "=", words.Dim
		if !l.Same {
			sign, colour = "!", words.Yellow
		}
		s.Line(sign, colour, fmt.Sprint(l))
	}
	if len(d.changes)+len(o.Conflicts)+len(d.defaults)+kept > 0 {
		s.Object(o.Object.Identity(), "")
	}
}

// changeRemark returns the remark that ends the line of a change. It names the other owners and
// reports whether the change takes the field from them. It also includes notes such as
// "immutable".
func changeRemark(o *prediction.Outcome, c *fields.Change, now time.Time) string {
	var remarks []string
	if others := otherOwners(o, c.Owners); len(others) > 0 {
		text := report.ShortOwners(o.Manager, others, now)
		switch {
		case c.Conflict:
		case c.Forced:
			text = "forced from " + text
		default:
			text = "owned by " + text
		}
		remarks = append(remarks, text)
	}
	if c.Immutable {
		remarks = append(remarks, report.ImmutableRemark(c.Proposal))
	}
	return strings.Join(append(remarks, c.Notes()...), "; ")
}

// otherOwners removes the manager that applies from a list of owners.
func otherOwners(o *prediction.Outcome, owners []managedfields.Entry) []managedfields.Entry {
	return slices.DeleteFunc(slices.Clone(owners), func(e managedfields.Entry) bool {
		return e.Manager == o.Manager && e.Operation == managedfields.OperationApply
	})
}
