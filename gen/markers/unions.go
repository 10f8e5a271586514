// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package markers

import (
	"fmt"
	"go/types"
)

// Union is a group of fields of which one is meant to be set: those of a struct with
// the marker +union.
type Union struct {
	// Discriminator is the name in JSON of the field with +unionDiscriminator, empty if
	// there is none.
	Discriminator string
	// Members are the other fields, by their names in JSON, with the value of the
	// discriminator that names each: that of +unionMember=VALUE, or else the name of the
	// field in Go, as openapi-gen has it.
	Members map[string]string
}

// Unions returns the unions of a struct, its own before those of the structs that it
// embeds; nil if there are none.
func (s *Source) Unions(t *types.Struct, owner *types.TypeName) (all []Union) {
	return s.unionsOf(t, owner, map[*types.Struct]bool{})
}

func (s *Source) unionsOf(t *types.Struct, owner *types.TypeName, seen map[*types.Struct]bool) (all []Union) {
	if seen[t] {
		return nil
	}
	seen[t] = true
	var embedded []*Field
	own := Union{Members: map[string]string{}}
	for _, f := range s.Fields(t, owner) {
		switch {
		case f.Name == "":
			embedded = append(embedded, f)
		case Has(f.Markers, "unionDiscriminator"):
			own.Discriminator = f.Name
		default:
			own.Members[f.Name] = f.Go
			if m, ok := Find(f.Markers, "unionMember"); ok && m.Value != "" {
				own.Members[f.Name] = unquoted(m.Value)
			}
		}
	}
	if owner != nil && Has(s.Type(owner).Markers, "union") {
		all = append(all, own)
	}
	for _, f := range embedded {
		inner := Deref(f.Type)
		all = append(all, s.unionsOf(inner.Underlying().(*types.Struct), NameOf(inner), seen)...)
	}
	return all
}

// checkUnion checks a type with the marker +union.
func (s *Source) checkUnion(t *Type) {
	m, ok := Find(t.Markers, "union")
	if !ok {
		return
	}
	name := t.Object.Name()
	st, ok := t.Object.Type().Underlying().(*types.Struct)
	if !ok {
		s.findings.add(m.pos, UnionMembers, fmt.Sprintf("%s is a union and no struct", name), "the members of a union are fields", "remove +union")
		return
	}
	var discriminator *Field
	members := map[string]string{} // by the value that names them
	for _, f := range s.Fields(st, t.Object) {
		d, is := Find(f.Markers, "unionDiscriminator")
		switch {
		case is && discriminator != nil:
			s.findings.add(d.pos, UnionMembers, fmt.Sprintf("%s has two discriminators, %s and %s", name, discriminator.Go, f.Go), "", "remove one")
		case is:
			discriminator = f
		case f.Name != "":
			value := f.Go
			if m, ok := Find(f.Markers, "unionMember"); ok && m.Value != "" {
				value = unquoted(m.Value)
			}
			if other, ok := members[value]; ok {
				s.findings.add(f.Var.Pos(), UnionMembers, fmt.Sprintf("%s.%s is named by the value %s, as %s is", name, f.Go, value, other), "", "give it another one with +unionMember")
			}
			members[value] = f.Go
			if Has(f.Markers, "required") || !f.optional() && !Has(f.Markers, "optional") {
				s.findings.add(f.Var.Pos(), UnionMembers, fmt.Sprintf("%s.%s is a member of a union, and required", name, f.Go), "of the members one is set", "make it optional")
			}
		}
	}
	if len(members) == 0 {
		s.findings.add(m.pos, UnionMembers, fmt.Sprintf("%s is a union without members", name), "", "remove +union")
	}
}
