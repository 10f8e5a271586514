// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package prediction

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/fields"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// Duplicates is the flag that says what becomes of list items with one identity.
type Duplicates struct {
	policy  string
	allowed []string
}

// The policies, besides those of package typed.
const (
	DuplicatesError = "error"
	DuplicatesKeep  = "keep"
)

// Register adds the flag; the first of the allowed policies is the default, and
// the last two are always first and last.
func (d *Duplicates) Register(flags *pflag.FlagSet, allowed ...string) {
	d.allowed = append(allowed, string(typed.KeepFirst), string(typed.KeepLast))
	usage := "list items with the same identity: "
	for _, a := range d.allowed {
		switch a {
		case DuplicatesError:
			usage += "reject them (error), "
		case DuplicatesKeep:
			usage += "keep them (keep), "
		}
	}
	flags.StringVar(&d.policy, "duplicates", d.allowed[0], usage+"or drop all but the first or last")
}

// Check refuses a policy that the command does not have.
func (d *Duplicates) Check() error {
	if !slices.Contains(d.allowed, d.policy) {
		return command.Usagef("--duplicates=%s: want %s", d.policy, words.ShortList(d.allowed))
	}
	return nil
}

// Options are those for a validation that follows the flag.
func (d *Duplicates) Options() []typed.ValidationOptions {
	if d.policy == DuplicatesError {
		return nil
	}
	return []typed.ValidationOptions{typed.AllowDuplicates}
}

// Single drops what the flag says from the object of o, with a warning for each
// item. What is dropped is dropped before anything is validated.
func (d *Duplicates) Single(o *Outcome) error {
	keep := typed.Duplicates(d.policy)
	if keep.Check() != nil {
		return nil
	}
	all := typed.AsTypedUnvalidated(value.NewValueInterface(o.Sent()), o.Type.Schema, o.Type.TypeRef)
	left, dropped, err := all.Deduplicate(keep)
	if err != nil || len(dropped) == 0 {
		return err
	}
	o.single, _ = left.AsValue().Unstructured().(map[string]any) // what was an object stays one
	for i := range dropped {
		g := &dropped[i]
		path := g.Path.String()
		o.Warnings = append(o.Warnings, warning{
			At:   o.Object.Position(o.itemPath(g, g.DroppedAt, g.Dropped)),
			Path: path,
			Message: fmt.Sprintf("item %d%s is dropped, item %d%s stays (--duplicates=%s)",
				g.DroppedAt, o.itemText(g, g.DroppedAt, g.Dropped), g.KeptAt, o.itemText(g, g.KeptAt, g.Kept), keep),
		})
	}
	return nil
}

// maxMerged bounds how many items that an apply makes one of are told.
const maxMerged = 100

// noteMerged notes which items the live object has several times and an apply made one
// of: it writes the items that it has, once.
func (o *Outcome) noteMerged() {
	result := cmp.Or(o.Result, o.Preview)
	if o.Live == nil || result == nil || !fields.HasDuplicates(o.LiveType, unstructured.WithoutManagedFields(o.Before)) {
		return
	}
	all := typed.AsTypedUnvalidated(value.NewValueInterface(o.Before), o.LiveType.Schema, o.LiveType.TypeRef)
	_, again, err := all.Deduplicate(typed.KeepFirst)
	if err != nil {
		return // it is nested too deep, and is refused
	}
	again = slices.CompactFunc(again, func(a, b typed.DroppedItem) bool { return a.Path.Equals(b.Path) })
	find, told := fields.NewFinder(o.LiveType), 0
	for _, item := range again {
		was, is := find.ItemsAt(o.Before, item.Path), find.ItemsAt(result.Object, item.Path)
		if len(is) == 0 || len(is) >= len(was) {
			continue
		}
		if told++; told > maxMerged {
			o.Warnings = append(o.Warnings, warning{o.Live.Start(), "", fmt.Sprintf("more than %d items are there several times and become one", maxMerged)})
			return
		}
		path := item.Path.String()
		o.Warnings = append(o.Warnings, warning{o.Live.Position(path), path,
			fmt.Sprintf("the live object has this item %d times, and the apply makes one of them: %s become %s", len(was), words.Flow(was), words.Flow(is[0]))})
	}
}

// itemPath is the path of an item by its index if that leads to the item in the
// file, else that of its list: it may be below an item that is there twice.
func (o *Outcome) itemPath(d *typed.DroppedItem, at int, item value.Value) string {
	list := fieldpath.Path(d.Path[:len(d.Path)-1]).String()
	path := list + "[" + strconv.Itoa(at) + "]"
	if found, ok := o.Object.Value(path); !ok || !reflect.DeepEqual(found, item.Unstructured()) {
		return list
	}
	return path
}

// itemText says where an item is, if that can be told, and what it says.
func (o *Outcome) itemText(d *typed.DroppedItem, at int, item value.Value) string {
	text := " " + words.Flow(item.Unstructured())
	path := o.itemPath(d, at, item)
	if line := o.Object.Position(path).Line; line > 0 && path[len(path)-1] == ']' {
		return fmt.Sprintf(" (line %d)", line) + text
	}
	return text
}

// Sent is what the request for o carries: the object, without what single lacks.
func (o *Outcome) Sent() map[string]any {
	if o.single != nil {
		return o.single
	}
	return o.Object.Content
}
