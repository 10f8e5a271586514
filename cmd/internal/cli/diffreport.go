// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"strings"
)

// differenceReport is a line of a diff in a report: a place, and what it holds before
// and after an apply. Values are null where there is none.
type differenceReport struct {
	Path   string `json:"path"`
	Old    any    `json:"old"`
	New    any    `json:"new"`
	HasOld bool   `json:"hasOld"`
	HasNew bool   `json:"hasNew"`
	// Owners own the place, or part of it, before.
	Owners    []ownerReport `json:"owners"`
	Conflict  bool          `json:"conflict"`
	Immutable bool          `json:"immutable"`
	Note      string        `json:"note"`
}

// report is the difference as data, an empty list if there is none. Of an object that is
// new it is that: all of it is in the report.
func (d *difference) report() *[]differenceReport {
	list := []differenceReport{}
	for i := range d.changes {
		c := &d.changes[i]
		r := differenceReport{
			Path: c.path.String(), Old: c.old, New: c.new, HasOld: c.hasOld, HasNew: c.hasNew,
			Owners: []ownerReport{}, Conflict: c.conflict, Immutable: c.immutable, Note: strings.Join(c.notes(), "; "),
		}
		for _, e := range c.owners {
			r.Owners = append(r.Owners, reportOwner(e.Owner))
		}
		list = append(list, r)
	}
	return &list
}

// notes say what the values do not.
func (c *change) notes() (notes []string) {
	if c.respelled {
		notes = append(notes, respelledNote)
	}
	if c.times > 1 {
		notes = append(notes, fmt.Sprintf("the live object has it %d times", c.times))
	}
	if c.encoded {
		notes = append(notes, stringDataNote)
	}
	return notes
}
