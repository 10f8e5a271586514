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

// Leftover is a member of a union (schema.Union) that is set though another one has
// been chosen.
type Leftover struct {
	Path  fieldpath.Path
	Value value.Value
	// Discriminator is the name of the field that chose, and Chosen its value. Of a
	// union without one, Discriminator is empty and Chosen the name of the member
	// that was added.
	Discriminator string
	Chosen        value.Value
	// Written says that whoever chose wrote this member, too, which contradicts it.
	Written bool
}

// Why says in words what left the member behind.
func (l Leftover) Why() string {
	name := ""
	if f := l.Path[len(l.Path)-1].FieldName; f != nil {
		name = *f
	}
	if l.Discriminator == "" {
		return fmt.Sprintf("%v is set now, which excludes %s", l.Chosen.Unstructured(), name)
	}
	return fmt.Sprintf("%s is %s now, which excludes %s", l.Discriminator, brief(l.Chosen), name)
}

// HasUnions says whether the type, or one that can be reached from it, has a union
// that SettleUnions looks at.
func (p ParseableType) HasUnions() bool { return compiled.Node(p.Schema, p.TypeRef).HasUnions }

// SettleUnions returns the value, which is to take the place of before, without the
// members of unions that it has left behind: where a discriminator differs from
// before, defaults counted, the members that it does not name; where a union has no
// discriminator and one member is new, the others. left has them all, sorted by path.
//
// What was written on purpose stays, and is Written in left: what config has, the
// configuration that was applied; for an update, which has none (nil), what differs
// from before. Unions that before does not have, that are in atomic maps or lists, or
// whose discriminator is absent without a default, are not looked at.
// schema.Union.DeduceInvalidDiscriminator is not acted upon.
//
// The result is tv itself if nothing goes, and shares with tv. All must be of one
// type of one schema. Nothing else in this package and nothing in package merge
// knows of unions.
func (tv *TypedValue) SettleUnions(before, config *TypedValue) (settled *TypedValue, left []Leftover, err error) {
	if found := tv.in().SameType(before.in()); found != nil {
		return nil, nil, errorsOf(found)
	}
	var applied any
	if config != nil {
		if found := tv.in().SameType(config.in()); found != nil {
			return nil, nil, errorsOf(found)
		}
		_, applied, _ = config.in().Plain()
	}
	n := compiled.Node(tv.Schema(), tv.TypeRef())
	if !n.HasUnions {
		return tv, nil, nil
	}
	_, was, _ := before.in().Plain()
	_, is, _ := tv.in().Plain()
	out, found := engine.NormalizeUnions(n, was, is, applied, config == nil)
	gone := false
	for _, l := range found {
		gone = gone || !l.Written
		left = append(left, Leftover{
			Path: l.Path, Value: value.NewValueInterface(l.Value), Discriminator: l.Discriminator,
			Chosen: value.NewValueInterface(l.Chosen), Written: l.Written,
		})
	}
	if !gone {
		return tv, left, nil
	}
	return of(tv.in().With(out)), left, nil
}
