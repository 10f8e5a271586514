// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/scratch"
)

// Conflict is a field that an applier wants to change and another manager owns.
type Conflict struct {
	// Manager is the manager that owns the field.
	Manager string
	Path    fieldpath.Path
}

var _ error = Conflict{}

// Error returns the conflict in one line.
func (c Conflict) Error() string { return fmt.Sprintf("conflict with %q: %v", c.Manager, c.Path) }

// Equals returns whether both are about the same field of the same manager.
func (c Conflict) Equals(c2 Conflict) bool {
	return c.Manager == c2.Manager && c.Path.Equals(c2.Path)
}

// Conflicts are all conflicts of an apply, sorted by manager and, for each
// manager, in the order of its field set.
type Conflicts []Conflict

var _ error = Conflicts{}

// Error returns the one conflict in one line, or several as a list for each
// manager.
func (conflicts Conflicts) Error() string {
	if len(conflicts) == 1 {
		return conflicts[0].Error()
	}
	paths := map[string][]fieldpath.Path{}
	for _, c := range conflicts {
		paths[c.Manager] = append(paths[c.Manager], c.Path)
	}
	var lines []string
	for _, manager := range slices.Sorted(maps.Keys(paths)) {
		lines = append(lines, fmt.Sprintf("conflicts with %q:", manager))
		for _, p := range paths[manager] {
			lines = append(lines, fmt.Sprintf("- %v", p))
		}
	}
	return strings.Join(lines, "\n")
}

// Equals returns whether both are the same conflicts in the same order.
func (c Conflicts) Equals(c2 Conflicts) bool {
	return slices.EqualFunc(c, c2, Conflict.Equals)
}

// ToSet returns the fields of all conflicts.
func (c Conflicts) ToSet() *fieldpath.Set {
	set := fieldpath.NewSet()
	for _, conflict := range c {
		set.Insert(conflict.Path)
	}
	return set
}

// ConflictsFromManagers returns a conflict for every field of every manager in
// sets.
func ConflictsFromManagers(sets fieldpath.ManagedFields) Conflicts {
	n := 0
	for _, set := range sets {
		n += set.Set().Size()
	}
	c := conflicting{found: make(Conflicts, 0, n)}
	for _, manager := range slices.Sorted(maps.Keys(sets)) {
		c.add(manager, sets[manager].Set(), make(fieldpath.Path, 0, 16))
	}
	return c.found
}

type conflicting struct {
	found Conflicts
	paths scratch.Slab[fieldpath.PathElement]
}

// add adds the paths of set, all behind prefix, in the order of Set.Iterate. It writes
// behind the end of prefix.
func (c *conflicting) add(manager string, set *fieldpath.Set, prefix fieldpath.Path) {
	for _, element := range set.Members.Sorted() {
		path := c.paths.Take(len(prefix) + 1)
		path[copy(path, prefix)] = element
		c.found = append(c.found, Conflict{Manager: manager, Path: path})
	}
	for _, child := range set.Children.Sorted() {
		c.add(manager, child.Set, append(prefix, child.PathElement))
	}
}
