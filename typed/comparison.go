// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed

import (
	"fmt"
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldpath"
)

// Comparison is the difference between two values. Callers may modify the sets that Compare
// returns.
type Comparison struct {
	// Removed contains the paths that only the left value has.
	Removed *fieldpath.Set
	// Modified contains the leaves that both values have, but with different contents.
	Modified *fieldpath.Set
	// Added contains the paths that only the right value has.
	Added *fieldpath.Set
}

// IsSame reports whether all three sets are empty. The values can still differ (see Compare).
func (c *Comparison) IsSame() bool {
	return c.Removed.Empty() && c.Modified.Empty() && c.Added.Empty()
}

// String returns the differences as text, with one path on each line. It returns "" if
// there are no differences.
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

// ExcludeFields removes the paths in the set fields, and everything below these paths, from
// c. It modifies and returns c.
func (c *Comparison) ExcludeFields(fields *fieldpath.Set) *Comparison {
	if fields == nil || fields.Empty() {
		return c
	}
	return c.each(func(s *fieldpath.Set) *fieldpath.Set { return s.RecursiveDifference(fields) })
}

// FilterFields keeps only the paths that filter selects. It modifies and returns c. A nil
// filter selects everything.
func (c *Comparison) FilterFields(filter fieldpath.Filter) *Comparison {
	if filter == nil {
		return c
	}
	return c.each(filter.Filter)
}

// each replaces each of the three sets of c with the result of f.
func (c *Comparison) each(f func(*fieldpath.Set) *fieldpath.Set) *Comparison {
	c.Removed, c.Modified, c.Added = f(c.Removed), f(c.Modified), f(c.Added)
	return c
}
