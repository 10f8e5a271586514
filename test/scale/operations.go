// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/merge"
	"github.com/dovetail-ssa/dovetail/typed"
)

// operation is an operation on objects of a shape. prepare returns the function to measure, or
// nil if the operation does not apply to the shape.
type operation struct {
	name    string
	prepare func(c *sized) func()
}

// sized creates the objects of a shape. typ is the type of these objects.
type sized struct {
	shape
	typ typed.ParseableType
}

func (c *sized) typed(o object) *typed.TypedValue { return noError(c.typ.FromUnstructured(o)) }

// typedStored returns an object, in the form in which a server stores it, as a typed value.
func (c *sized) typedStored(o object) *typed.TypedValue {
	return noError(c.typ.FromUnstructured(c.stored(o), typed.AllowDuplicates))
}

func (c *sized) whole() object   { return c.object("v", c.numbers()) }
func (c *sized) changed() object { return c.object("w", c.numbers()) }

// half returns an object that has only every second element.
func (c *sized) half() object {
	all := c.numbers()
	var some []int
	for i := 0; i < len(all); i += 2 {
		some = append(some, all[i])
	}
	return c.object("v", some)
}

// onlyKeys returns an object whose list items have only their keys, and no values.
func (c *sized) onlyKeys() object {
	o := c.whole()
	for _, item := range o[c.axis].([]any) {
		delete(item.(object), "value")
	}
	return o
}

// reversed returns the object with its elements in reverse order.
func (c *sized) reversed() object {
	all := c.numbers()
	for i, j := 0, len(all)-1; i < j; i, j = i+1, j-1 {
		all[i], all[j] = all[j], all[i]
	}
	return c.object("v", all)
}

// twice returns an object in which the elements of the first half occur twice. This makes a
// difference only if the elements are in a list.
func (c *sized) twice() object {
	all := c.numbers()
	return c.object("v", append(all, all[:len(all)/2]...))
}

func (c *sized) set(o object) *fieldpath.Set {
	set, err := c.typed(o).ToFieldSet()
	must(err)
	return set
}

func check[T any](_ T, err error) { must(err) }

// sameVersion is a converter for objects that have only one version.
type sameVersion struct{}

func (sameVersion) Convert(o *typed.TypedValue, _ fieldpath.APIVersion) (*typed.TypedValue, error) {
	return o, nil
}
func (sameVersion) IsMissingVersionError(error) bool { return false }

func (c *sized) updater() *merge.Updater { return &merge.Updater{Converter: sameVersion{}} }

// owned returns the managed fields of an object that the given manager has created with an apply.
func (c *sized) owned(o object, manager string) fieldpath.ManagedFields {
	_, managed, err := c.updater().Apply(c.typed(object{}), c.typed(o), "example.org/v1", fieldpath.ManagedFields{}, manager, true)
	must(err)
	return managed
}

func (c *sized) applying(config object, manager string, force bool) func() {
	live, next, managed := c.typedStored(c.whole()), c.typed(config), c.owned(c.whole(), "a")
	return func() {
		_, _, err := c.updater().Apply(live, next, "example.org/v1", managed, manager, force)
		if _, conflict := err.(merge.Conflicts); !conflict {
			must(err)
		}
	}
}

func isList(c *sized) bool { return c.order != "" }

// shallow reports whether the paths in the object are short. In a deep object, all paths
// together are much longer than the object itself, so the cost of an operation that writes
// paths cannot grow linearly.
func (c *sized) shallow() bool { return c.axis != "deep" }

// operations has the operations of all packages.
var operations = slices.Concat(packageOperations, managerOperations, crowdOperations)

// packageOperations are the operations of packages typed and merge.
var packageOperations = []operation{
	{"typed/FromUnstructured", func(c *sized) func() { o := c.whole(); return func() { c.typedStored(o) } }},
	{"typed/Validate", func(c *sized) func() {
		tv := c.typedStored(c.whole())
		return func() { must(tv.Validate(typed.AllowDuplicates)) }
	}},
	{"typed/Validate/refused", func(c *sized) func() {
		if !c.hasDuplicates() {
			return nil
		}
		tv := c.typedStored(c.whole())
		return func() { _ = tv.Validate().Error() }
	}},
	{"typed/ToFieldSet", func(c *sized) func() { tv := c.typedStored(c.whole()); return func() { check(tv.ToFieldSet()) } }},
	{"typed/Merge/same", func(c *sized) func() { return c.merging(c.whole(), c.whole()) }},
	{"typed/Merge/changed", func(c *sized) func() { return c.merging(c.whole(), c.changed()) }},
	{"typed/Merge/turned", func(c *sized) func() { return c.merging(c.whole(), c.reversed()) }},
	{"typed/Merge/half", func(c *sized) func() { return c.merging(c.half(), c.whole()) }},
	{"typed/Compare/same", func(c *sized) func() { return c.comparing(c.whole(), c.whole()) }},
	{"typed/Compare/changed", func(c *sized) func() { return c.comparing(c.whole(), c.changed()) }},
	{"typed/Compare/turned", func(c *sized) func() { return c.comparing(c.whole(), c.reversed()) }},
	{"typed/Compare/half", func(c *sized) func() { return c.comparing(c.whole(), c.half()) }},
	{"typed/ExtractItems", func(c *sized) func() {
		tv, set := c.typedStored(c.whole()), c.set(c.half())
		return func() { tv.ExtractItems(set, typed.WithAppendKeyFields()) }
	}},
	{"typed/RemoveItems", func(c *sized) func() {
		tv, set := c.typedStored(c.whole()), c.set(c.half())
		return func() { tv.RemoveItems(set) }
	}},
	{"typed/Prune", func(c *sized) func() { tv := c.typedStored(c.whole()); return func() { check(tv.Prune()) } }},
	{"typed/Default", func(c *sized) func() { tv := c.typedStored(c.whole()); return func() { check(tv.Default()) } }},
	{"typed/CheckTransition", func(c *sized) func() {
		a, b := c.typedStored(c.whole()), c.typedStored(c.reversed())
		return func() { must(a.CheckTransition(b, typed.TransitionOptions{})) }
	}},
	{"typed/Deduplicate", func(c *sized) func() {
		if !isList(c) {
			return nil
		}
		tv := typed.AsTypedUnvalidated(c.typed(c.whole()).AsValue(), c.typ.Schema, c.typ.TypeRef)
		twice, err := c.typ.FromUnstructured(c.twice(), typed.AllowDuplicates)
		must(err)
		return func() {
			_, _, err := tv.Deduplicate(typed.KeepFirst)
			must(err)
			_, _, err = twice.Deduplicate(typed.KeepLast)
			must(err)
		}
	}},
	{"typed/NormalizeUnions", func(c *sized) func() {
		before, config := c.typedStored(c.whole()), c.typed(c.changed())
		return func() {
			_, _, err := config.NormalizeUnions(before, config)
			must(err)
		}
	}},
	{"typed/Rekey", func(c *sized) func() {
		set, o, now := c.set(c.whole()), c.stored(c.whole()), newType(c.gate, c.width(), "C")
		return func() {
			_, _, err := c.typ.Rekeyer(now, o).Rekey(set)
			must(err)
		}
	}},
	{"typed/Reconcile", func(c *sized) func() {
		tv, set := c.typedStored(c.whole()), c.set(c.whole())
		return func() { check(typed.ReconcileFieldSetWithSchema(set, tv)) }
	}},
	{"merge/Apply/noop", func(c *sized) func() { return c.applying(c.whole(), "a", false) }},
	{"merge/Apply/changed", func(c *sized) func() { return c.applying(c.changed(), "a", false) }},
	{"merge/Apply/half", func(c *sized) func() { return c.applying(c.half(), "a", false) }},
	{"merge/Apply/fields", func(c *sized) func() {
		if !isList(c) || c.axis == "set" {
			return nil
		}
		return c.applying(c.onlyKeys(), "a", false)
	}},
	{"merge/Apply/conflicts", func(c *sized) func() {
		if !c.shallow() {
			return nil
		}
		return c.applying(c.changed(), "b", false)
	}},
	{"merge/Apply/force", func(c *sized) func() { return c.applying(c.changed(), "b", true) }},
	{"merge/Update", func(c *sized) func() {
		live, next, managed := c.typedStored(c.whole()), c.typedStored(c.changed()), c.owned(c.whole(), "a")
		return func() {
			_, _, err := c.updater().Update(live, next, "example.org/v1", managed, "u")
			must(err)
		}
	}},
}

func (c *sized) width() int {
	if c.axis == "wide" {
		return c.n
	}
	return 1
}

func (c *sized) merging(a, b object) func() {
	x, y := c.typedStored(a), c.typed(b)
	return func() { check(x.Merge(y)) }
}

func (c *sized) comparing(a, b object) func() {
	x, y := c.typedStored(a), c.typedStored(b)
	return func() { check(x.Compare(y)) }
}
