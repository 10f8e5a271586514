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

// Union is a group of fields of which only one may be set. The members are the fields of a
// struct with the marker +union, or fields with +k8s:unionMember.
type Union struct {
	// Discriminator is the JSON name of the discriminator field, or "" if there is none.
	Discriminator string
	// Members maps the JSON name of each member to the discriminator value that selects it. A
	// marker can set this value. By default, it is the Go name of the field, as in openapi-gen.
	Members map[string]string
}

// Unions returns the unions of a struct, followed by the unions of its embedded structs.
// It returns nil if there are none.
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
		// A tag without a union name describes the same union as the +union marker. That union is
		// already in the result, and checkUnion checks that the two agree.
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

// taggedUnion is a union that tags of declarative validation declare. A struct can have several
// such unions, with different names.
type taggedUnion struct {
	Union
	name           string
	discriminators []*Marker
	first          *Marker
	fields         []*Field
}

// taggedUnions returns the unions declared by +k8s:unionMember and +k8s:unionDiscriminator, sorted by
// name.
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

// checkTaggedUnions checks the unions that a struct declares with tags such as
// "+k8s:unionMember".
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
			add(u.discriminators[1], fmt.Sprintf("%s has two discriminators", name), "", "remove one of the markers")
		}
		if len(u.fields) == 0 {
			add(u.first, fmt.Sprintf("%s has a discriminator but no members", name), "", "add +k8s:unionMember to its members")
		}
		named := map[string]string{}
		for _, f := range u.fields {
			m, _ := Find(f.Markers, "k8s:unionMember")
			value := u.Members[f.Name]
			if other, ok := named[value]; ok {
				add(m, fmt.Sprintf("%s.%s has the same discriminator value %s as %s", t.Object.Name(), f.Go, value, other), "", "give it another value with +k8s:unionMember(memberName: …)")
			}
			named[value] = f.Go
			if f.Name == u.Discriminator {
				add(m, fmt.Sprintf("%s is both a member and the discriminator of %s", f, name), "", "remove one of the markers")
			}
			if !Has(f.Markers, "optional") && (Has(f.Markers, "required") || !f.optional()) {
				add(m, fmt.Sprintf("%s is a required member of a union", f), "only one member may be set", "make it optional")
			}
		}
		if m, ok := Find(t.Markers, "union"); ok && u.name == "" {
			for _, whole := range s.Unions(st, t.Object)[:1] {
				if whole.Discriminator != u.Discriminator || !maps.Equal(whole.Members, u.Members) {
					add(u.first, fmt.Sprintf("%s is marked %s, and its fields %s", name, m, u.first),
						"the two contradict each other: with +union, all fields except the discriminator are members", "remove one of the markers")
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
		s.findings.add(m.pos, UnionMembers, fmt.Sprintf("%s is marked +union but is not a struct", name), "the members of a union are fields, so it has no effect", "remove +union").warning()
		return
	}
	var discriminator *Field
	members := map[string]string{} // maps discriminator values to the Go names of members
	for _, f := range s.Fields(st, t.Object) {
		d, is := Find(f.Markers, "unionDiscriminator")
		switch {
		case is && discriminator != nil:
			s.findings.add(d.pos, UnionMembers, fmt.Sprintf("%s has two discriminators, %s and %s", name, discriminator.Go, f.Go), "", "remove one of the markers")
		case is:
			discriminator = f
		case f.Name != "":
			value := f.Go
			if m, ok := Find(f.Markers, "unionMember"); ok && m.Value != "" {
				value = unquoted(m.Value)
			}
			if other, ok := members[value]; ok {
				s.findings.add(f.Var.Pos(), UnionMembers, fmt.Sprintf("%s.%s has the same discriminator value %s as %s", name, f.Go, value, other), "", "give it another value with +unionMember")
			}
			members[value] = f.Go
			if !Has(f.Markers, "optional") && (Has(f.Markers, "required") || !f.optional()) {
				s.findings.add(f.Var.Pos(), UnionMembers, fmt.Sprintf("%s.%s is a required member of a union", name, f.Go), "only one member may be set", "make it optional, or remove +union").warning()
			}
		}
	}
	if len(members) == 0 {
		s.findings.add(m.pos, UnionMembers, fmt.Sprintf("%s is a union without members", name), "all fields of a union except the discriminator are members", "add fields, or remove +union").warning()
	}
}
