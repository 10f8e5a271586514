// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package markers

import (
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"
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
	own, fields := Union{Members: map[string]string{}}, s.Fields(t, owner)
	for _, f := range fields {
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
	tagged := taggedUnions(fields)
	if owner != nil && Has(s.Type(owner).Markers, "union") {
		all = append(all, own)
		// It says the same as one by tags; if it does not, checkUnion says so.
		tagged = slices.DeleteFunc(tagged, func(u taggedUnion) bool { return u.name == "" })
	}
	for _, u := range tagged {
		all = append(all, u.Union)
	}
	for _, f := range embedded {
		inner := Deref(f.Type)
		all = append(all, s.unionsOf(inner.Underlying().(*types.Struct), NameOf(inner), seen)...)
	}
	return all
}

// taggedUnion is a union that tags of declarative validation make. A struct may have
// several, by name.
type taggedUnion struct {
	Union
	name           string
	discriminators []*Marker
	first          *Marker
	fields         []*Field
}

// taggedUnions returns the unions that +k8s:unionMember and +k8s:unionDiscriminator
// make of fields, by name.
func taggedUnions(fields []*Field) (all []taggedUnion) {
	for _, f := range fields {
		for i := range f.Markers {
			m := &f.Markers[i]
			member := m.Name == "k8s:unionMember"
			if f.Name == "" || !member && m.Name != "k8s:unionDiscriminator" {
				continue
			}
			if _, err := m.Decode(); err != nil {
				continue
			}
			name := m.argument("union")
			at := slices.IndexFunc(all, func(u taggedUnion) bool { return u.name == name })
			if at < 0 {
				at = len(all)
				all = append(all, taggedUnion{name: name, first: m, Union: Union{Members: map[string]string{}}})
			}
			u := &all[at]
			if !member {
				u.Discriminator = f.Name
				u.discriminators = append(u.discriminators, m)
				continue
			}
			u.Members[f.Name] = f.Go
			if value := m.argument("memberName"); value != "" {
				u.Members[f.Name] = value
			}
			u.fields = append(u.fields, f)
		}
	}
	slices.SortFunc(all, func(a, b taggedUnion) int { return strings.Compare(a.name, b.name) })
	return all
}

// checkTaggedUnions checks the unions that tags of declarative validation make.
func (s *Source) checkTaggedUnions(t *Type, st *types.Struct) {
	fields := s.Fields(st, t.Object)
	for _, u := range taggedUnions(fields) {
		name := t.Object.Name()
		if u.name != "" {
			name = fmt.Sprintf("the union %s of %s", u.name, name)
		}
		add := func(m *Marker, what, why, how string) {
			s.findings.add(m.pos, UnionMembers, what, why, how)
		}
		if len(u.discriminators) > 1 {
			add(u.discriminators[1], fmt.Sprintf("%s has two discriminators", name), "", "remove one")
		}
		if len(u.fields) == 0 {
			add(u.first, fmt.Sprintf("%s has a discriminator and no members", name), "", "add +k8s:unionMember to its members")
		}
		named := map[string]string{}
		for _, f := range u.fields {
			m, _ := Find(f.Markers, "k8s:unionMember")
			value := u.Members[f.Name]
			if other, ok := named[value]; ok {
				add(m, fmt.Sprintf("%s.%s is named by the value %s, as %s is", t.Object.Name(), f.Go, value, other), "", "give it another one with +k8s:unionMember(memberName: …)")
			}
			named[value] = f.Go
			if f.Name == u.Discriminator {
				add(m, fmt.Sprintf("%s is a member of %s and its discriminator", f, name), "", "remove one of the markers")
			}
			if Has(f.Markers, "required") || !f.optional() && !Has(f.Markers, "optional") {
				add(m, fmt.Sprintf("%s is a member of a union, and required", f), "of the members one is set", "make it optional")
			}
		}
		if m, ok := Find(t.Markers, "union"); ok && u.name == "" {
			for _, whole := range s.Unions(st, t.Object)[:1] {
				if whole.Discriminator != u.Discriminator || !maps.Equal(whole.Members, u.Members) {
					add(u.first, fmt.Sprintf("%s is marked %s, and its fields %s", name, m, u.first),
						"the two contradict each other: the members of the first are all fields but the discriminator", "remove one")
				}
			}
		}
	}
}

// checkUnion checks a type with the marker +union.
func (s *Source) checkUnion(t *Type) {
	st, ok := t.Object.Type().Underlying().(*types.Struct)
	if ok {
		s.checkTaggedUnions(t, st)
	}
	m, marked := Find(t.Markers, "union")
	if !marked {
		return
	}
	name := t.Object.Name()
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
