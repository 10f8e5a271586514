// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed

import (
	"fmt"
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldpath"
)

// Comparison is how one value differs from another.
type Comparison struct {
	// Removed are the paths that only the left value has.
	Removed *fieldpath.Set
	// Modified are the leaves that both have and that differ.
	Modified *fieldpath.Set
	// Added are the paths that only the right value has.
	Added *fieldpath.Set
}

// IsSame returns whether there is no difference.
func (c *Comparison) IsSame() bool {
	return c.Removed.Empty() && c.Modified.Empty() && c.Added.Empty()
}

// String returns the differences in lines, empty if there are none.
func (c *Comparison) String() string {
	var b strings.Builder
	for _, part := range []struct {
		name string
		set  *fieldpath.Set
	}{{"Modified", c.Modified}, {"Added", c.Added}, {"Removed", c.Removed}} {
		if !part.set.Empty() {
			fmt.Fprintf(&b, "- %s Fields:\n%v\n", part.name, part.set)
		}
	}
	return b.String()
}

// ExcludeFields takes fields, and what is below them, out of c, which it
// changes and returns.
func (c *Comparison) ExcludeFields(fields *fieldpath.Set) *Comparison {
	if fields == nil || fields.Empty() {
		return c
	}
	return c.each(func(s *fieldpath.Set) *fieldpath.Set { return s.RecursiveDifference(fields) })
}

// FilterFields leaves in c what filter lets through. It changes and returns c.
// A nil filter lets everything through.
func (c *Comparison) FilterFields(filter fieldpath.Filter) *Comparison {
	if filter == nil {
		return c
	}
	return c.each(filter.Filter)
}

func (c *Comparison) each(f func(*fieldpath.Set) *fieldpath.Set) *Comparison {
	c.Removed, c.Modified, c.Added = f(c.Removed), f(c.Modified), f(c.Added)
	return c
}
