// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// duplicates is the flag that says what becomes of list items with one identity.
type duplicates struct {
	policy  string
	allowed []string
}

// The policies, besides those of package typed.
const (
	duplicatesError = "error"
	duplicatesKeep  = "keep"
)

// register adds the flag; the first of the allowed policies is the default, and
// the last two are always first and last.
func (d *duplicates) register(flags *pflag.FlagSet, allowed ...string) {
	d.allowed = append(allowed, string(typed.KeepFirst), string(typed.KeepLast))
	usage := "what to do with list items that have the same identity: "
	for _, a := range d.allowed {
		switch a {
		case duplicatesError:
			usage += "refuse them (error), "
		case duplicatesKeep:
			usage += "leave them in (keep), "
		}
	}
	flags.StringVar(&d.policy, "duplicates", d.allowed[0], usage+"or drop all but the first or last")
}

func (d *duplicates) check() error {
	if !slices.Contains(d.allowed, d.policy) {
		return usagef("--duplicates=%s: want %s", d.policy, shortList(d.allowed))
	}
	return nil
}

// options are those for a validation that follows the flag.
func (d *duplicates) options() []typed.ValidationOptions {
	if d.policy == duplicatesError {
		return nil
	}
	return []typed.ValidationOptions{typed.AllowDuplicates}
}

// single drops what the flag says from the object of o, with a warning for each
// item. What is dropped is dropped before anything is validated.
func (d *duplicates) single(o *outcome) error {
	keep := typed.Duplicates(d.policy)
	if keep.Check() != nil {
		return nil
	}
	all := typed.AsTypedUnvalidated(value.NewValueInterface(o.sent()), o.typ.Schema, o.typ.TypeRef)
	left, dropped, err := all.Deduplicate(keep)
	if err != nil || len(dropped) == 0 {
		return err
	}
	o.single, _ = left.AsValue().Unstructured().(map[string]any) // what was an object stays one
	for i := range dropped {
		g := &dropped[i]
		path := g.Path.String()
		o.warnings = append(o.warnings, warning{
			at:   o.object.Position(o.itemPath(g, g.DroppedAt, g.Dropped)),
			path: path,
			message: fmt.Sprintf("item %d%s is dropped, item %d%s stays (--duplicates=%s)",
				g.DroppedAt, o.itemText(g, g.DroppedAt, g.Dropped), g.KeptAt, o.itemText(g, g.KeptAt, g.Kept), keep),
		})
	}
	return nil
}

// maxMerged bounds how many items that an apply makes one of are told.
const maxMerged = 100

// noteMerged notes which items the live object has several times and an apply made one
// of: it writes the items that it has, once.
func (o *outcome) noteMerged() {
	result := cmp.Or(o.result, o.preview)
	if o.live == nil || result == nil || !hasDuplicates(o.liveType, withoutManagedFields(o.before)) {
		return
	}
	all := typed.AsTypedUnvalidated(value.NewValueInterface(o.before), o.liveType.Schema, o.liveType.TypeRef)
	_, again, err := all.Deduplicate(typed.KeepFirst)
	if err != nil {
		return // it is nested too deep, and is refused
	}
	again = slices.CompactFunc(again, func(a, b typed.DroppedItem) bool { return a.Path.Equals(b.Path) })
	find, told := newFinder(o.liveType), 0
	for _, item := range again {
		was, is := find.itemsAt(o.before, item.Path), find.itemsAt(result.Object, item.Path)
		if len(is) == 0 || len(is) >= len(was) {
			continue
		}
		if told++; told > maxMerged {
			o.warnings = append(o.warnings, warning{o.live.Start(), "", fmt.Sprintf("more than %d items are there several times and become one", maxMerged)})
			return
		}
		path := item.Path.String()
		o.warnings = append(o.warnings, warning{o.live.Position(path), path,
			fmt.Sprintf("the live object has this item %d times, and the apply makes one of them: %s become %s", len(was), flow(was), flow(is[0]))})
	}
}

// itemPath is the path of an item by its index if that leads to the item in the
// file, else that of its list: it may be below an item that is there twice.
func (o *outcome) itemPath(d *typed.DroppedItem, at int, item value.Value) string {
	list := fieldpath.Path(d.Path[:len(d.Path)-1]).String()
	path := list + "[" + strconv.Itoa(at) + "]"
	if found, ok := o.object.Value(path); !ok || !reflect.DeepEqual(found, item.Unstructured()) {
		return list
	}
	return path
}

// itemText says where an item is, if that can be told, and what it says.
func (o *outcome) itemText(d *typed.DroppedItem, at int, item value.Value) string {
	text := " " + flow(item.Unstructured())
	path := o.itemPath(d, at, item)
	if line := o.object.Position(path).Line; line > 0 && path[len(path)-1] == ']' {
		return fmt.Sprintf(" (line %d)", line) + text
	}
	return text
}

// sent is what the request for o carries: the object, without what single lacks.
func (o *outcome) sent() map[string]any {
	if o.single != nil {
		return o.single
	}
	return o.object.Content
}
