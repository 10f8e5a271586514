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

// blamedObject is an object together with the owners of its fields.
type blamedObject struct {
	*prediction.Outcome
	*ownership.BlameResult
	// comparison holds the conflicts that an apply of a config to the object would cause. It
	// is nil if there is no config.
	comparison *comparison
	// rendered holds the messages and the report of the object.
	rendered *report.Rendered
	// text is the output for users.
	text []byte
	// owned is the number of fields that each owner owns.
	owned map[managedfields.Owner]int
}

// comparison holds the conflicts with a live object if the given manager applies a config.
type comparison struct {
	manager   string
	conflicts []fieldmanager.Conflict
}

// blame finds the owners of the fields of one object. If there are errors, BlameResult is nil.
func blame(t *sources.Types, object *manifest.Object) blamedObject {
	o := prediction.ReadLive(t, object)
	if len(o.Errors) > 0 {
		return blamedObject{Outcome: o}
	}
	found, err := ownership.Blame(t.FieldManager(nil), object.Content)
	if err != nil {
		o.Explain(err)
		return blamedObject{Outcome: o}
	}
	for _, w := range found.Warnings {
		o.Warn(w.Path, w.Message)
	}
	return blamedObject{Outcome: o, BlameResult: found}
}

// keepOnly removes all fields that the manager does not own. It does not remove the maps and lists
// that contain owned fields, or the keys of list items that contain owned fields.
func (b *blamedObject) keepOnly(manager string) {
	wanted := map[int]bool{}
	var names []string
	for i, e := range b.Entries {
		wanted[i] = e.Manager == manager
		names = append(names, e.Manager)
	}
	if !slices.Contains(names, manager) {
		b.OwnsNothing = &prediction.OwnsNothing{Managers: names}
		return
	}
	var prune func(p *ownership.Place) *ownership.Place
	prune = func(p *ownership.Place) *ownership.Place {
		if p.Whole && slices.ContainsFunc(p.Owners, func(i int) bool { return wanted[i] }) {
			return p
		}
		pruned := *p
		pruned.Children = nil
		for _, c := range p.Children {
			if c := prune(c); c != nil {
				pruned.Children = append(pruned.Children, c)
			}
		}
		if len(pruned.Children) == 0 && !slices.ContainsFunc(p.Owners, func(i int) bool { return wanted[i] }) {
			return nil
		}
		if len(pruned.Children) == 0 && len(p.Children) > 0 {
			pruned.Value = emptyLike(p.Value)
		}
		if p.Element.Key != nil {
			pruned.Children = withKeys(p, pruned.Children)
		}
		return &pruned
	}
	if root := prune(b.Root); root != nil {
		b.Root = root
	} else {
		b.Root = &ownership.Place{Value: map[string]any{}}
	}
	b.Lost = slices.DeleteFunc(b.Lost, func(c ownership.Claim) bool { return !wanted[c.Entry] })
}

// withKeys returns the given children of the list item p, and also the children that are keys of p.
// They are in the order of p.Children.
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

// emptyLike returns an empty list if v is a list, and an empty map otherwise.
func emptyLike(v any) any {
	if isList(v) {
		return []any{}
	}
	return map[string]any{}
}

// fieldsByOwner returns the number of paths that each owner owns.
func (b *blamedObject) fieldsByOwner() map[managedfields.Owner]int {
	all := map[managedfields.Owner]int{}
	if b.BlameResult != nil {
		for i, n := range b.sizes() {
			all[b.Entries[i].Owner] += n
		}
	}
	return all
}

// sizes returns the number of paths in each entry.
func (b *blamedObject) sizes() []int {
	counts := make([]int, len(b.Entries))
	for i, e := range b.Entries {
		counts[i] = e.Set.Size()
	}
	return counts
}
