// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package owners

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/prediction"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/report"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/ownership"
)

// blamed is an object with its owners.
type blamed struct {
	*prediction.Outcome
	*ownership.BlameResult
	// against is a config for the object, nil if there is none.
	against *against
	// told, text and owning are what is told of it, its text or report, and how many fields
	// each owner has.
	told   *report.Told
	text   []byte
	owning map[managedfields.Owner]int
	err    error
}

// against is what a config contradicts.
type against struct {
	manager   string
	conflicts []fieldmanager.Conflict
}

// blame finds the owners of one object; its Blame is nil if there is something
// wrong.
func blame(t *sources.Types, object *manifest.Object) blamed {
	o := prediction.ReadLive(t, object)
	if len(o.Errors) > 0 {
		return blamed{Outcome: o}
	}
	found, err := ownership.Blame(t.FieldManager(nil), object.Content)
	if err != nil {
		o.Explain(err)
		return blamed{Outcome: o}
	}
	for _, w := range found.Warnings {
		o.Warn(w.Path, w.Message)
	}
	return blamed{Outcome: o, BlameResult: found}
}

// only leaves what one manager owns, in what holds it. List items keep the
// fields that name them.
func (b *blamed) only(manager string) {
	wanted := map[int]bool{}
	var names []string
	for i, e := range b.Entries {
		wanted[i] = e.Manager == manager
		names = append(names, e.Manager)
	}
	if !slices.Contains(names, manager) {
		b.Lacks = &prediction.Lacks{Managers: names}
		return
	}
	var prune func(p *ownership.Place) *ownership.Place
	prune = func(p *ownership.Place) *ownership.Place {
		if p.Whole && slices.ContainsFunc(p.Owners, func(i int) bool { return wanted[i] }) {
			return p
		}
		left := *p
		left.Children = nil
		for _, c := range p.Children {
			if c := prune(c); c != nil {
				left.Children = append(left.Children, c)
			}
		}
		if len(left.Children) == 0 && !slices.ContainsFunc(p.Owners, func(i int) bool { return wanted[i] }) {
			return nil
		}
		if len(left.Children) == 0 && len(p.Children) > 0 {
			left.Value = emptied(p.Value)
		}
		if p.Element.Key != nil {
			left.Children = withKeys(p, left.Children)
		}
		return &left
	}
	if root := prune(b.Root); root != nil {
		b.Root = root
	} else {
		b.Root = &ownership.Place{Value: map[string]any{}}
	}
	b.Lost = slices.DeleteFunc(b.Lost, func(c ownership.Claim) bool { return !wanted[c.Entry] })
}

// withKeys is children of the item p with those that name the item.
func withKeys(p *ownership.Place, children []*ownership.Place) []*ownership.Place {
	isKey := func(c *ownership.Place) bool {
		for _, k := range *p.Element.Key {
			if c.Element.FieldName != nil && *c.Element.FieldName == k.Name {
				return true
			}
		}
		return false
	}
	var all []*ownership.Place
	for _, c := range p.Children {
		at := slices.IndexFunc(children, func(l *ownership.Place) bool { return l.Element.Equals(c.Element) })
		switch {
		case at >= 0:
			all = append(all, children[at])
		case isKey(c):
			all = append(all, c)
		}
	}
	return all
}

// emptied is a map or list like v with nothing in it.
func emptied(v any) any {
	if isList(v) {
		return []any{}
	}
	return map[string]any{}
}

// fields are how many paths each owner owns.
func (b *blamed) fields() map[managedfields.Owner]int {
	all := map[managedfields.Owner]int{}
	if b.BlameResult != nil {
		for i, n := range b.sizes() {
			all[b.Entries[i].Owner] += n
		}
	}
	return all
}

// sizes are how many paths each entry owns.
func (b *blamed) sizes() []int {
	counts := make([]int, len(b.Entries))
	for i, e := range b.Entries {
		counts[i] = e.Set.Size()
	}
	return counts
}
