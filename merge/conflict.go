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

// Conflict is a field that an apply changes and that another manager owns.
type Conflict struct {
	// Manager is the manager that owns the field.
	Manager string
	// Path is the path of the field in the API version of the manager's field set. The apply can have a
	// different version.
	Path fieldpath.Path
}

var _ error = Conflict{}

// Error returns the conflict on one line.
func (c Conflict) Error() string { return fmt.Sprintf("conflict with %q: %v", c.Manager, c.Path) }

// Equals reports whether both conflicts have the same manager and path.
func (c Conflict) Equals(c2 Conflict) bool {
	return c.Manager == c2.Manager && c.Path.Equals(c2.Path)
}

// Conflicts are all conflicts of an apply, sorted by manager. The conflicts with one manager
// are in the order of its field set.
//
// A Conflict does not contain the two values of the field. To get them, extract the
// conflicting fields from the live object and from the config:
//
//	live.ExtractItems(conflicts.ToSet(), typed.WithAppendKeyFields())
//	config.ExtractItems(conflicts.ToSet(), typed.WithAppendKeyFields())
//
// If a manager's field set has another API version, first convert both objects to that version. From
// the converted objects, extract only the conflicts with managers of that version.
//
// The conflicts of package fieldmanager have both values.
type Conflicts []Conflict

var _ error = Conflicts{}

// Error returns a single conflict on one line. For several conflicts, it returns a text
// with a list for each manager.
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

// Equals reports whether c and c2 have equal conflicts in the same order.
func (c Conflicts) Equals(c2 Conflicts) bool {
	return slices.EqualFunc(c, c2, Conflict.Equals)
}

// ToSet returns the paths of all conflicts as a set.
func (c Conflicts) ToSet() *fieldpath.Set {
	set := fieldpath.NewSet()
	for _, conflict := range c {
		set.Insert(conflict.Path)
	}
	return set
}

// ConflictsFromManagers returns one conflict for each path in each of the field sets.
func ConflictsFromManagers(sets fieldpath.ManagedFields) Conflicts {
	n := 0
	for _, set := range sets {
		n += set.Set().Size()
	}
	c := conflictCollector{all: make(Conflicts, 0, n)}
	for _, manager := range slices.Sorted(maps.Keys(sets)) {
		c.add(manager, sets[manager].Set(), make(fieldpath.Path, 0, 16))
	}
	return c.all
}

// conflictCollector turns field sets into conflicts.
type conflictCollector struct {
	all   Conflicts
	paths scratch.Slab[fieldpath.PathElement]
}

// add appends a conflict for each path of set, in the order of Set.Iterate. It prepends prefix
// to each path. It may overwrite the spare capacity of prefix.
func (c *conflictCollector) add(manager string, set *fieldpath.Set, prefix fieldpath.Path) {
	for _, element := range set.Members.Sorted() {
		path := c.paths.Take(len(prefix) + 1)
		path[copy(path, prefix)] = element
		c.all = append(c.all, Conflict{Manager: manager, Path: path})
	}
	for _, child := range set.Children.Sorted() {
		c.add(manager, child.Set, append(prefix, child.PathElement))
	}
}
