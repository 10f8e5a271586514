// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed

import (
	"fmt"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/compiled"
	"github.com/dovetail-ssa/dovetail/internal/engine"
	"github.com/dovetail-ssa/dovetail/value"
)

// Leftover is a member of a union (schema.Union) that is still set although another member is
// now selected.
type Leftover struct {
	Path  fieldpath.Path
	Value value.Value
	// Discriminator is the name of the discriminator field, and Chosen is its value. In a union
	// without a discriminator, Discriminator is empty, and Chosen is the name of the member that
	// was added.
	Discriminator string
	Chosen        value.Value
	// Written is true if the same request sets this member and also selects another member.
	Written bool
}

// Why explains, as text, why the member is a leftover.
func (l Leftover) Why() string {
	name := ""
	if f := l.Path[len(l.Path)-1].FieldName; f != nil {
		name = *f
	}
	if l.Discriminator == "" {
		return fmt.Sprintf("%v is now set, which excludes %s", l.Chosen.Unstructured(), name)
	}
	return fmt.Sprintf("%s is now %s, which excludes %s", l.Discriminator, brief(l.Chosen), name)
}

// HasUnions reports whether the type, or a type reachable from it, has a union. If it returns
// false, NormalizeUnions changes nothing.
func (p ParseableType) HasUnions() bool { return compiled.Node(p.Schema, p.TypeRef).HasUnions }

// NormalizeUnions returns the value without leftovers, and a list of all leftovers, sorted by path.
// A leftover is a member of a union that is still set, although another member is now selected. To
// find leftovers, NormalizeUnions compares the value with before, the stored value that it
// replaces. If the discriminator has changed, all members that it no longer selects are leftovers.
// An absent discriminator counts as its default. In a union without a discriminator, all other
// members are leftovers if exactly one member was added.
//
// NormalizeUnions does not remove leftovers that the request itself sets; their Written is true.
// For an apply, pass the applied configuration as config: the request sets the members in config.
// For an update, pass nil: the request sets the members that differ from before.
//
// NormalizeUnions ignores three kinds of unions: unions in maps that the argument before does not
// contain, unions in atomic maps or lists, and unions whose discriminator is absent and has no default.
// It also ignores schema.Union.DeduceInvalidDiscriminator.
//
// The result is tv itself if nothing is removed, and otherwise shares memory with tv. All values
// must have the same type of the same schema. NormalizeUnions returns ValidationErrors if their
// types differ, or if a value is nested too deep. No other function in this package or in package
// merge handles unions.
func (tv *TypedValue) NormalizeUnions(before, config *TypedValue) (settled *TypedValue, left []Leftover, err error) {
	if findings := tv.operand().SameType(before.operand()); findings != nil {
		return nil, nil, errorsOf(findings)
	}
	var applied any
	if config != nil {
		if findings := tv.operand().SameType(config.operand()); findings != nil {
			return nil, nil, errorsOf(findings)
		}
		_, applied, _ = config.operand().Plain()
	}
	n := compiled.Node(tv.Schema(), tv.TypeRef())
	if !n.HasUnions {
		return tv, nil, nil
	}
	for _, v := range []*TypedValue{before, tv, config} {
		if v == nil {
			continue
		}
		if findings := v.operand().CheckDepth(); findings != nil {
			return nil, nil, errorsOf(findings)
		}
	}
	_, was, _ := before.operand().Plain()
	_, is, _ := tv.operand().Plain()
	out, leftovers := engine.NormalizeUnions(n, was, is, applied, config == nil)
	gone := false
	for _, l := range leftovers {
		gone = gone || !l.Written
		left = append(left, Leftover{
			Path: l.Path, Value: value.NewValueInterface(l.Value), Discriminator: l.Discriminator,
			Chosen: value.NewValueInterface(l.Selected), Written: l.Written,
		})
	}
	if !gone {
		return tv, left, nil
	}
	return typedOf(tv.operand().With(out)), left, nil
}
