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
	"github.com/dovetail-ssa/dovetail/internal/place"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// Duplicates is the value of --duplicates. It decides how to handle list items that have the
// same keys, and set items that have the same value.
type Duplicates struct {
	policy  string
	allowed []string
}

// These are the policies of --duplicates that no other package defines.
const (
	DuplicatesError = "error"
	DuplicatesKeep  = "keep"
)

// Register adds the flag --duplicates. allowed lists the policies that are allowed in addition
// to "first" and "last". The first policy in allowed is the default.
func (d *Duplicates) Register(flags *pflag.FlagSet, allowed ...string) {
	d.allowed = append(allowed, string(typed.KeepFirst), string(typed.KeepLast))
	usage := "what to do with list items that have the same keys or value: "
	for _, a := range d.allowed {
		switch a {
		case DuplicatesError:
			usage += "reject them (error), "
		case DuplicatesKeep:
			usage += "keep them (keep), "
		}
	}
	flags.StringVar(&d.policy, "duplicates", d.allowed[0], usage+"or keep only the first or the last")
	command.OneOf(flags, "duplicates", d.allowed...)
}

// Check rejects a policy that the command does not allow.
func (d *Duplicates) Check() error {
	if !slices.Contains(d.allowed, d.policy) {
		return command.Usagef("--duplicates=%s: use one of %s", d.policy, words.ShortList(d.allowed))
	}
	return nil
}

// Options returns the options for validating an object with this policy.
func (d *Duplicates) Options() []typed.ValidationOptions {
	if d.policy == DuplicatesError {
		return nil
	}
	return []typed.ValidationOptions{typed.AllowDuplicates}
}

// Deduplicate removes duplicate list items from the object to send, if the policy is "first" or
// "last". It adds a warning for each removed item. It does not validate the object.
func (d *Duplicates) Deduplicate(o *Outcome) error {
	keep := typed.Duplicates(d.policy)
	if keep.Check() != nil {
		return nil
	}
	all := typed.AsTypedUnvalidated(value.NewValueInterface(o.Sent()), o.Type.Schema, o.Type.TypeRef)
	left, dropped, err := all.Deduplicate(keep)
	if err != nil || len(dropped) == 0 {
		return err
	}
	o.cleaned, _ = left.AsValue().Unstructured().(map[string]any) // an object is always a map
	for i := range dropped {
		g := &dropped[i]
		path := g.Path.String()
		o.Warnings = append(o.Warnings, warning{
			At:   o.Object.Position(o.itemPath(g, g.DroppedAt, g.Dropped)),
			Path: path,
			Message: fmt.Sprintf("item %d%s is removed, because --duplicates=%s keeps item %d%s",
				g.DroppedAt, o.itemText(g, g.DroppedAt, g.Dropped), keep, g.KeptAt, o.itemText(g, g.KeptAt, g.Kept)),
		})
	}
	return nil
}

// maxMerged limits the number of warnings about duplicate items that an apply merges into one.
const maxMerged = 100

// noteMerged warns about duplicate items in the live object that an apply merges into one item.
// This happens to items with the same keys, or the same value, as an item in the config.
func (o *Outcome) noteMerged() {
	result := cmp.Or(o.Result, o.Preview)
	if o.Live == nil || result == nil || !fields.HasDuplicates(o.LiveType, unstructured.WithoutManagedFields(o.Before)) {
		return
	}
	all := typed.AsTypedUnvalidated(value.NewValueInterface(o.Before), o.LiveType.Schema, o.LiveType.TypeRef)
	_, again, err := all.Deduplicate(typed.KeepFirst)
	if err != nil {
		return // another check reports an object that is nested too deeply
	}
	again = slices.CompactFunc(again, func(a, b typed.DroppedItem) bool { return a.Path.Equals(b.Path) })
	before, after, n := place.ObjectOf(o.LiveType, o.Before), place.ObjectOf(o.LiveType, result.Object), 0
	for _, item := range again {
		was, is := before.Items(item.Path), after.Items(item.Path)
		if len(is) == 0 || len(is) >= len(was) {
			continue
		}
		if n++; n > maxMerged {
			o.Warnings = append(o.Warnings, warning{o.Live.Start(), "", fmt.Sprintf("the live object has duplicates of more than %d items, and the apply keeps one of each", maxMerged)})
			return
		}
		path := item.Path.String()
		o.Warnings = append(o.Warnings, warning{o.Live.Position(path), path,
			fmt.Sprintf("the live object has this item %d times, and the apply merges them into one: %s become %s", len(was), words.Flow(was), words.Flow(is[0]))})
	}
}

// itemPath returns the path of a list item in the file, such as .spec.ports[2]. If an outer list
// also contains duplicates, a path with an index may lead to another item. In this case, itemPath
// returns the path of the whole list.
func (o *Outcome) itemPath(d *typed.DroppedItem, at int, item value.Value) string {
	list := fieldpath.Path(d.Path[:len(d.Path)-1]).String()
	path := list + "[" + strconv.Itoa(at) + "]"
	if found, ok := o.Object.Value(path); !ok || !reflect.DeepEqual(found, item.Unstructured()) {
		return list
	}
	return path
}

// itemText describes an item in messages. It shows the value of the item and, if known, its line
// number.
func (o *Outcome) itemText(d *typed.DroppedItem, at int, item value.Value) string {
	text := " " + words.Flow(item.Unstructured())
	path := o.itemPath(d, at, item)
	if line := o.Object.Position(path).Line; line > 0 && path[len(path)-1] == ']' {
		return fmt.Sprintf(" (line %d)", line) + text
	}
	return text
}

// Sent returns the object that the request sends. It is the object in the file without duplicates
// that --duplicates removes, and without a namespace if the kind is cluster-scoped. Callers must
// not change it.
func (o *Outcome) Sent() map[string]any {
	if o.cleaned != nil {
		return o.cleaned
	}
	return o.Object.Content
}
