// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"slices"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/suggest"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// blamed is an object with its owners.
type blamed struct {
	*outcome
	*fieldmanager.Blame
	// against is a config for the object, nil if there is none.
	against *against
}

// against is what a config contradicts.
type against struct {
	manager   string
	conflicts []fieldmanager.Conflict
}

// readLive is the outcome of an object that is live, with its type.
func (t *types) readLive(object *manifest.Object) *outcome {
	o := &outcome{pair: pair{object: object, live: object}, content: object.Content}
	id := object.Identity()
	var err error
	if o.typ, err = t.typeOf(id.APIVersion, id.Kind); err != nil {
		o.errors = manifest.Errors{object.Errorf("", "%v", err)}
		return o
	}
	o.noteReading()
	if metadata, _ := object.Content["metadata"].(map[string]any); metadata["managedFields"] == nil {
		o.warn(".metadata", noManagedFields)
	}
	return o
}

// fieldManager is for what types and managed fields say of live objects. now may
// be nil where the time does not matter.
func (t *types) fieldManager(now func() time.Time) *fieldmanager.FieldManager {
	m, err := fieldmanager.New(fieldmanager.Options{Types: t.find, Untyped: t.untyped, Converter: t.convert, Clock: now, CarryUnknown: true})
	if err != nil {
		panic(err) // nothing that the user gave is in the options
	}
	return m
}

// blame finds the owners of one object; its Blame is nil if there is something
// wrong.
func (t *types) blame(object *manifest.Object) blamed {
	o := t.readLive(object)
	if len(o.errors) > 0 {
		return blamed{outcome: o}
	}
	found, err := t.fieldManager(nil).Blame(object.Content)
	if err != nil {
		o.explain(err)
		return blamed{outcome: o}
	}
	for _, w := range found.Warnings {
		o.warn(w.Path, w.Message)
	}
	return blamed{outcome: o, Blame: found}
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
		b.lacks = &lacks{managers: names}
		return
	}
	var prune func(p *fieldmanager.Place) *fieldmanager.Place
	prune = func(p *fieldmanager.Place) *fieldmanager.Place {
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
		b.Root = &fieldmanager.Place{Value: map[string]any{}}
	}
	b.Lost = slices.DeleteFunc(b.Lost, func(c fieldmanager.Claim) bool { return !wanted[c.Entry] })
}

// withKeys is children of the item p with those that name the item.
func withKeys(p *fieldmanager.Place, children []*fieldmanager.Place) []*fieldmanager.Place {
	isKey := func(c *fieldmanager.Place) bool {
		for _, k := range *p.Element.Key {
			if c.Element.FieldName != nil && *c.Element.FieldName == k.Name {
				return true
			}
		}
		return false
	}
	var all []*fieldmanager.Place
	for _, c := range p.Children {
		at := slices.IndexFunc(children, func(l *fieldmanager.Place) bool { return l.Element.Equals(c.Element) })
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

// noManager says that nobody of a name is among the managers.
func noManager(name string, managers []string) string {
	if len(managers) == 0 {
		return "no manager " + flow(name) + ": there are none"
	}
	slices.Sort(managers)
	hint := didYouMean(suggest.Nearest(name, managers))
	return "no manager " + flow(name) + "; there are " + shortList(slices.Compact(managers)) + hint
}

// sizes are how many paths each entry owns.
func (b *blamed) sizes() []int {
	counts := make([]int, len(b.Entries))
	for i, e := range b.Entries {
		counts[i] = e.Set.Size()
	}
	return counts
}
