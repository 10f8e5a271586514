// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build !js

package owners

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/cmd/internal/page"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/ownership"
)

// owner identifies a manager and an operation, regardless of version and subresource.
type owner struct {
	manager   string
	operation managedfields.Operation
}

// totals counts the owned fields of objects.
type totals struct {
	managers      map[owner]*page.Total
	shares        map[owner]map[string]int
	kinds, spaces map[string]*page.Total
	hasConfig     bool
}

// totalsOf counts the owned fields of several objects by manager, kind and namespace.
func totalsOf(found []blamedObject) []page.Totals {
	t := &totals{managers: map[owner]*page.Total{}, shares: map[owner]map[string]int{}, kinds: map[string]*page.Total{}, spaces: map[string]*page.Total{}}
	for i := range found {
		t.add(&found[i])
	}
	for o, others := range t.shares {
		row := t.managers[o]
		for name, n := range others {
			row.Shares = append(row.Shares, page.Share{Name: words.Visible(name), Fields: n})
		}
		slices.SortFunc(row.Shares, func(a, b page.Share) int {
			return cmp.Or(cmp.Compare(b.Fields, a.Fields), strings.Compare(a.Name, b.Name))
		})
	}
	return []page.Totals{
		{By: "manager", Rows: rows(t.managers), ByManager: true, Conflicts: t.hasConfig},
		{By: "kind", Rows: rows(t.kinds), Conflicts: t.hasConfig},
		{By: "namespace", Rows: rows(t.spaces), Conflicts: t.hasConfig},
	}
}

// rows returns the totals, sorted by number of fields, largest first.
func rows[K comparable](all map[K]*page.Total) []page.Total {
	var list []page.Total
	for _, t := range all {
		list = append(list, *t)
	}
	slices.SortFunc(list, func(a, b page.Total) int {
		return cmp.Or(cmp.Compare(b.Fields, a.Fields), strings.Compare(a.Name, b.Name), strings.Compare(a.Operation, b.Operation))
	})
	return list
}

func (t *totals) add(b *blamedObject) {
	id := b.Object.Identity()
	fields, conflicts := b.ownedPaths(), 0
	if b.comparison != nil {
		t.hasConfig = true
		conflicts = len(b.comparison.conflicts)
	}
	for _, row := range []*page.Total{entry(t.kinds, id.Kind, id.Kind), entry(t.spaces, id.Namespace, id.Namespace)} {
		row.Objects++
		row.Fields += fields
		row.Conflicts += conflicts
	}
	seen := map[owner]bool{}
	for i, n := range b.sizes() {
		o := b.ownerAt(i)
		row := t.manager(o)
		row.Fields += n
		if !seen[o] {
			row.Objects++
		}
		seen[o] = true
	}
	if b.comparison != nil {
		for _, c := range b.comparison.conflicts {
			t.manager(owner{c.Manager, c.Operation}).Conflicts++
		}
	}
	for _, p := range b.All() {
		if p.State == ownership.Owned && len(p.Owners) > 1 {
			t.share(b, p.Owners)
		}
	}
}

// share counts a field that has several owners: for each owner, it counts each of the other owners.
func (t *totals) share(b *blamedObject, owners []int) {
	all := map[owner]bool{}
	for _, i := range owners {
		all[b.ownerAt(i)] = true
	}
	for o := range all {
		for other := range all {
			if other == o {
				continue
			}
			if t.shares[o] == nil {
				t.shares[o] = map[string]int{}
			}
			t.shares[o][other.manager]++
		}
	}
}

func (t *totals) manager(o owner) *page.Total {
	row := entry(t.managers, o, o.manager)
	row.Operation = string(o.operation)
	return row
}

func entry[K comparable](all map[K]*page.Total, key K, name string) *page.Total {
	if all[key] == nil {
		all[key] = &page.Total{Name: words.Visible(name)}
	}
	return all[key]
}

func (b *blamedObject) ownerAt(i int) owner {
	return owner{b.Entries[i].Manager, b.Entries[i].Operation}
}

// ownedPaths returns the number of paths that at least one manager owns.
func (b *blamedObject) ownedPaths() int {
	all := fieldpath.NewSet()
	for i := range b.Entries {
		all = all.Union(b.Entries[i].Set)
	}
	return all.Size()
}
