// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package stored

import (
	"maps"
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/intern"
	"github.com/dovetail-ssa/dovetail/internal/ownedset"
	"github.com/dovetail-ssa/dovetail/value"
)

// Written is a set and the fieldsV1 that Write makes of it.
type Written struct {
	Set    *fieldpath.Set
	Fields map[string]any // nil if nothing was made
}

// Write is the decoded fieldsV1 of a set. It shares with that of before, if there is one,
// what both have in common.
func Write(set *fieldpath.Set, before Written) (map[string]any, error) {
	return write(ownedset.Place{Below: set}, before)
}

// write is what is below a place, with a mark if the place is owned itself.
func write(pl ownedset.Place, before Written) (map[string]any, error) {
	if pl.Below == nil {
		return map[string]any{}, nil
	}
	size := pl.Below.Members.Size() + len(pl.Below.Children.Sorted())
	d := draft{fields: before.Fields}
	if before.Fields == nil {
		before.Set = nil
		d = draft{fields: make(map[string]any, size+1), own: true}
	}
	const mark = "."
	_, marked := before.Fields[mark]
	if pl.Below != before.Set {
		places := len(d.fields)
		if marked {
			places--
		}
		switch ok, err := d.become(pl.Below, before.Set, places); {
		case err != nil:
			return nil, err
		case !ok:
			return write(pl, Written{})
		}
	}
	switch {
	case pl.Member && size > 0 && !marked:
		d.put(mark, map[string]any{})
	case marked && !(pl.Member && size > 0):
		d.drop(mark)
	}
	return d.fields, nil
}

// draft is fieldsV1 that are shared until they are written to.
type draft struct {
	fields map[string]any
	own    bool
}

func (d *draft) put(key string, v map[string]any) {
	d.copy()
	d.fields[key] = v
}

func (d *draft) drop(key string) {
	d.copy()
	delete(d.fields, key)
}

func (d *draft) copy() {
	if !d.own {
		d.fields, d.own = maps.Clone(d.fields), true
	}
}

// become makes of the fields of a set, nil if they are none, those of another one. What
// both have needs no key. It fails where two elements have one key, as those do that are
// not UTF-8: places is how many keys the fields have.
func (d *draft) become(set, before *fieldpath.Set, places int) (ok bool, err error) {
	now, then := ownedset.WalkOver(set), ownedset.WalkOver(before)
	p, is := now.Next()
	q, was := then.Next()
	for is || was {
		order := 0
		switch {
		case !was:
			order = -1
		case !is:
			order = 1
		case !alike(&p.Element, &q.Element):
			if order = p.Element.Compare(q.Element); order == 0 {
				order = 1 // written otherwise, as -0 is for 0: the old key goes, then the new one comes
			}
		}
		if order > 0 {
			key, err := elementKey(q.Element)
			if err != nil {
				return false, err
			}
			d.drop(key)
			q, was = then.Next()
			places--
			continue
		}
		if order < 0 || p.Member != q.Member || p.Below != q.Below {
			key, err := elementKey(p.Element)
			if err != nil {
				return false, err
			}
			if _, taken := d.fields[key]; taken && order < 0 && before != nil {
				return false, nil
			}
			old := Written{}
			if order == 0 && q.Below != nil {
				old.Set = q.Below
				old.Fields, _ = d.fields[key].(map[string]any)
			}
			below, err := write(p, old)
			if err != nil {
				return false, within(key, err)
			}
			d.put(key, below)
		}
		if p, is = now.Next(); order == 0 {
			q, was = then.Next()
			places--
		}
	}
	return before == nil || places == 0, nil
}

// alike says whether two elements are the same, and are written alike. It may say no.
func alike(a, b *fieldpath.PathElement) bool {
	switch {
	case a.Key != nil && b.Key != nil:
		return a.Key == b.Key || slices.EqualFunc(*a.Key, *b.Key, func(f, g value.Field) bool {
			return f.Name == g.Name && intern.SamePlain(f.Value.Unstructured(), g.Value.Unstructured())
		})
	case a.Value != nil && b.Value != nil:
		return intern.SamePlain((*a.Value).Unstructured(), (*b.Value).Unstructured())
	}
	return ownedset.SameElement(a, b)
}

func elementKey(e fieldpath.PathElement) (string, error) {
	if e.FieldName != nil {
		return "f:" + *e.FieldName, nil
	}
	return fieldpath.SerializePathElement(e)
}
