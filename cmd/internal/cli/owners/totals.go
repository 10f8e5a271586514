// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

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

// applier is a manager by one operation, whatever the version and the subresource.
type applier struct {
	manager   string
	operation managedfields.Operation
}

// totals add up what is found in objects.
type totals struct {
	managers      map[applier]*page.Total
	shares        map[applier]map[string]int
	kinds, spaces map[string]*page.Total
	configured    bool // there is a config
}

// totalsOf adds up what the managers of several objects own, by manager, kind and namespace.
func totalsOf(found []blamed) []page.Totals {
	t := &totals{managers: map[applier]*page.Total{}, shares: map[applier]map[string]int{}, kinds: map[string]*page.Total{}, spaces: map[string]*page.Total{}}
	for i := range found {
		t.add(&found[i])
	}
	for who, with := range t.shares {
		row := t.managers[who]
		for name, n := range with {
			row.Shares = append(row.Shares, page.Share{Name: words.Visible(name), Fields: n})
		}
		slices.SortFunc(row.Shares, func(a, b page.Share) int {
			return cmp.Or(cmp.Compare(b.Fields, a.Fields), strings.Compare(a.Name, b.Name))
		})
	}
	return []page.Totals{
		{By: "manager", Rows: rows(t.managers), ByManager: true, Conflicts: t.configured},
		{By: "kind", Rows: rows(t.kinds), Conflicts: t.configured},
		{By: "namespace", Rows: rows(t.spaces), Conflicts: t.configured},
	}
}

// rows are totals, those of the most fields first.
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

func (t *totals) add(b *blamed) {
	id := b.Object.Identity()
	fields, conflicts := b.owned(), 0
	if b.against != nil {
		t.configured = true
		conflicts = len(b.against.conflicts)
	}
	for _, row := range []*page.Total{entry(t.kinds, id.Kind, id.Kind), entry(t.spaces, id.Namespace, id.Namespace)} {
		row.Objects++
		row.Fields += fields
		row.Conflicts += conflicts
	}
	here := map[applier]bool{}
	for i, n := range b.sizes() {
		who := b.applier(i)
		row := t.manager(who)
		row.Fields += n
		if !here[who] {
			row.Objects++
		}
		here[who] = true
	}
	if b.against != nil {
		for _, c := range b.against.conflicts {
			t.manager(applier{c.Manager, c.Operation}).Conflicts++
		}
	}
	for _, p := range b.All() {
		if p.State == ownership.Owned && len(p.Owners) > 1 {
			t.share(b, p.Owners)
		}
	}
}

// share counts a field that several own for each of them.
func (t *totals) share(b *blamed, owners []int) {
	all := map[applier]bool{}
	for _, i := range owners {
		all[b.applier(i)] = true
	}
	for who := range all {
		for other := range all {
			if other == who {
				continue
			}
			if t.shares[who] == nil {
				t.shares[who] = map[string]int{}
			}
			t.shares[who][other.manager]++
		}
	}
}

func (t *totals) manager(who applier) *page.Total {
	row := entry(t.managers, who, who.manager)
	row.Operation = string(who.operation)
	return row
}

func entry[K comparable](all map[K]*page.Total, key K, name string) *page.Total {
	if all[key] == nil {
		all[key] = &page.Total{Name: words.Visible(name)}
	}
	return all[key]
}

func (b *blamed) applier(i int) applier {
	return applier{b.Entries[i].Manager, b.Entries[i].Operation}
}

// owned is how many paths anybody owns.
func (b *blamed) owned() int {
	all := fieldpath.NewSet()
	for i := range b.Entries {
		all = all.Union(b.Entries[i].Set)
	}
	return all.Size()
}
