// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/place"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// defaults finds the fields that only an Update owns, and that have their default,
// or could have one.
func (x *examination) defaults() error {
	managed, err := x.managed()
	if err != nil {
		return err
	}
	b, err := x.m.Blame(managed.Into(x.plain))
	if err != nil {
		return err
	}
	t, err := x.m.typeFor(document.TypeOf(x.live))
	if err != nil {
		return err
	}
	applied := slices.ContainsFunc(x.entries, func(e examinedEntry) bool {
		return e.Operation == managedfields.OperationApply && e.Subresource == ""
	})
	tv := typed.AsTypedUnvalidated(value.NewValueInterface(x.plain), t.Schema, t.TypeRef)
	find := place.Finders{}
	for path, p := range b.All() {
		if p.Standing != Owned || len(p.Children) > 0 && !p.Whole || !mayHaveDefault(path) {
			continue
		}
		byUpdate := func(i int) bool {
			e := &b.Entries[i]
			return e.Operation == managedfields.OperationUpdate && e.Subresource == "" && !isClientSide(e)
		}
		if slices.ContainsFunc(p.Owners, func(i int) bool { return !byUpdate(i) }) {
			continue
		}
		at, ok := find.Place(tv, path)
		if !ok || !applied && !at.IsDefault() {
			continue
		}
		for _, i := range p.Owners {
			e := &x.entries[x.find(b.Entries[i].Owner)]
			switch {
			case at.IsDefault():
				x.found(OwnedDefault, e, path.Copy(), "", "has its default, which nobody need have written; it is owned yet, and whoever applies another value conflicts: apply it with force once, or have it migrated")
			case at.Declared() != nil:
				x.found(WrittenByUpdate, e, path.Copy(), "", "written by an update, has another value than its default, and nobody applies it: whoever applies another one conflicts; if all objects are to have it, make it the default of the schema, which nobody owns")
			default:
				x.found(WrittenByUpdate, e, path.Copy(), "", "written by an update, has no default in the schema, and nobody applies it: whoever applies another value conflicts; if all objects are to have it, make it the default of the schema, which nobody owns")
			}
		}
	}
	return nil
}

// mayHaveDefault tells whether a field is one that users write: not of metadata or
// status, no item, and no key that names one.
func mayHaveDefault(path fieldpath.Path) bool {
	last := path[len(path)-1].FieldName
	if last == nil || path[0].FieldName == nil {
		return false
	}
	switch *path[0].FieldName {
	case "apiVersion", "kind", "metadata", "status":
		return false
	}
	if len(path) < 2 || path[len(path)-2].Key == nil {
		return true
	}
	return !slices.ContainsFunc(*path[len(path)-2].Key, func(k value.Field) bool { return k.Name == *last })
}
