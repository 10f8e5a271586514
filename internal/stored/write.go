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

// Written holds a set and the fieldsV1 that Write returned for it.
type Written struct {
	Set    *fieldpath.Set
	Fields map[string]any // nil if Write was not called for the set
}

// Write returns a set as decoded fieldsV1. The argument previous is an earlier set with its fields,
// or the zero Written. If the two sets have equal parts, the result shares these parts with
// previous.Fields.
func Write(set *fieldpath.Set, previous Written) (map[string]any, error) {
	return write(ownedset.Entry{Below: set}, previous)
}

// write returns the part of a FieldsV1 document below the path element of e. It has the key "." if the
// element is a member of the set and has paths below it.
func write(e ownedset.Entry, previous Written) (map[string]any, error) {
	if e.Below == nil {
		return map[string]any{}, nil
	}
	size := e.Below.Members.Size() + len(e.Below.Children.Sorted())
	d := draft{fields: previous.Fields}
	if previous.Fields == nil {
		previous.Set = nil
		d = draft{fields: make(map[string]any, size+1), own: true}
	}
	const mark = "."
	_, marked := previous.Fields[mark]
	if e.Below != previous.Set {
		keys := len(d.fields)
		if marked {
			keys--
		}
		switch ok, err := d.become(e.Below, previous.Set, keys); {
		case err != nil:
			return nil, err
		case !ok:
			return write(e, Written{})
		}
	}
	switch {
	case e.Member && size > 0 && !marked:
		d.put(mark, map[string]any{})
	case marked && !(e.Member && size > 0):
		d.drop(mark)
	}
	return d.fields, nil
}

// draft is a map in the format of FieldsV1. Its methods put and drop change the map. Before the
// first change, they copy the map, unless own is true.
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

// become changes the fields of d so that they describe set. The argument previous is the set that
// they describe now, or nil if there are no fields yet. become computes keys only for elements that
// differ. keys is the number of keys in the fields, without ".". ok is false if two elements have
// the same key, which is possible if they are not UTF-8.
func (d *draft) become(set, previous *fieldpath.Set, keys int) (ok bool, err error) {
	now, then := ownedset.WalkOver(set), ownedset.WalkOver(previous)
	p, is := now.Next()
	q, was := then.Next()
	for is || was {
		order := 0
		switch {
		case !was:
			order = -1
		case !is:
			order = 1
		case !writtenAlike(&p.Element, &q.Element):
			if order = p.Element.Compare(q.Element); order == 0 {
				order = 1 // equal, but with a different key: remove the old key first
			}
		}
		if order > 0 {
			key, err := elementKey(q.Element)
			if err != nil {
				return false, err
			}
			d.drop(key)
			q, was = then.Next()
			keys--
			continue
		}
		if order < 0 || p.Member != q.Member || p.Below != q.Below {
			key, err := elementKey(p.Element)
			if err != nil {
				return false, err
			}
			if _, taken := d.fields[key]; taken && order < 0 && previous != nil {
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
			keys--
		}
	}
	return previous == nil || keys == 0, nil
}

// writtenAlike reports whether two elements are equal and have the same key in fieldsV1. For
// example, -0 and 0 are equal, but have different keys. writtenAlike may return false
// negatives.
func writtenAlike(a, b *fieldpath.PathElement) bool {
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

// elementKey returns the fieldsV1 key of an element.
func elementKey(e fieldpath.PathElement) (string, error) {
	if e.FieldName != nil {
		return "f:" + *e.FieldName, nil
	}
	return fieldpath.SerializePathElement(e)
}
