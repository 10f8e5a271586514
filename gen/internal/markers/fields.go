// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package markers

import (
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"
)

// Field is a field of a struct, as it is in Go.
type Field struct {
	// Go is its name in Go, Name that in JSON. Name is empty where the fields of an
	// embedded struct stand in for it.
	Go, Name string
	Type     types.Type
	Var      *types.Var
	// Owner is the type that it is declared in, nil for a struct without a name.
	Owner *types.TypeName
	// Doc are the lines of its comment, markers included.
	Doc     []string
	Markers []Marker

	Embedded, OmitEmpty, OmitZero bool
	// Quoted is the option string: a scalar that is in quotes.
	Quoted bool
	// Tagged says whether there is a json tag.
	Tagged bool

	options []string
	tag     *tagPlace
}

// tagPlace is where the tag of a field is.
type tagPlace struct {
	pos, end token.Pos
	text     string
}

// optional says whether a Go client leaves the field out if it is zero.
func (f *Field) optional() bool {
	return f.OmitZero || f.OmitEmpty && !isStruct(f.Type) && !isArray(f.Type)
}

// Fields returns the fields of a struct that JSON has, in order, those of
// embedded structs as one field without a name. owner is its name, or nil.
func (s *Source) Fields(t *types.Struct, owner *types.TypeName) (all []*Field) {
	for i := range t.NumFields() {
		v := t.Field(i)
		f := &Field{Go: v.Name(), Var: v, Type: v.Type(), Owner: owner, Embedded: v.Embedded()}
		tag, tagged := reflect.StructTag(t.Tag(i)).Lookup("json")
		if tag == "-" {
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		f.Tagged, f.options = tagged, strings.Split(options, ",")
		f.OmitEmpty = slices.Contains(f.options, "omitempty")
		f.OmitZero = slices.Contains(f.options, "omitzero")
		f.Quoted = slices.Contains(f.options, "string") && isQuotable(f.Type)
		inner := f.Type
		if p, ok := types.Unalias(inner).(*types.Pointer); ok {
			inner = p.Elem()
		}
		switch {
		case f.Embedded && name == "" && isStruct(inner):
		case !v.Exported():
			continue
		case name == "":
			f.Name = f.Go
		default:
			f.Name = name
		}
		c := s.fieldComments(v)
		f.Doc, f.Markers = c.doc, c.markers
		if c.tag != nil {
			f.tag = &tagPlace{c.tag.Pos(), c.tag.End(), c.tag.Value}
		}
		all = append(all, f)
	}
	return all
}

// Flat returns the fields of a struct as JSON has them: those of embedded structs
// are among its own. Of fields with one name those count that are declared
// nearest, of these the one with a tag; where several are left, none does, as in
// package encoding/json.
func (s *Source) Flat(t *types.Struct, owner *types.TypeName) []*Field {
	type found struct {
		*Field
		depth int
	}
	var all []found
	seen := map[*types.Struct]bool{}
	var walk func(t *types.Struct, owner *types.TypeName, depth int)
	walk = func(t *types.Struct, owner *types.TypeName, depth int) {
		if seen[t] {
			return
		}
		seen[t] = true
		for _, f := range s.Fields(t, owner) {
			if f.Name != "" {
				all = append(all, found{f, depth})
				continue
			}
			inner := Deref(f.Type)
			walk(inner.Underlying().(*types.Struct), NameOf(inner), depth+1)
		}
		delete(seen, t)
	}
	walk(t, owner, 0)
	var out []*Field
	for i, f := range all {
		wins := true
		for j, g := range all {
			if i == j || f.Name != g.Name {
				continue
			}
			same := g.depth == f.depth && f.named() == g.named()
			if g.depth < f.depth || g.depth == f.depth && g.named() && !f.named() || same {
				wins = false
			}
		}
		if wins {
			out = append(out, f.Field)
		}
	}
	return out
}

func (f *Field) named() bool {
	return f.Tagged && f.Name != f.Go || f.Tagged && f.tag != nil && strings.Contains(f.tag.text, `"`+f.Name)
}

// Deref returns what a type is without pointers, named ones included, and aliases;
// an invalid type for a pointer to itself.
func Deref(t types.Type) types.Type {
	for range maxPointers {
		t = types.Unalias(t)
		p, ok := t.Underlying().(*types.Pointer)
		if !ok {
			return t
		}
		t = p.Elem()
	}
	return types.Typ[types.Invalid]
}

const maxPointers = 20

// NameOf returns the name that a type was declared with, nil if it has none or is
// predeclared.
func NameOf(t types.Type) *types.TypeName {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if t.Obj().Pkg() == nil {
			return nil
		}
		return t.Obj()
	}
	return nil
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

func isStruct(t types.Type) bool {
	_, ok := t.Underlying().(*types.Struct)
	return ok
}

func isArray(t types.Type) bool {
	_, ok := t.Underlying().(*types.Array)
	return ok
}

// isQuotable says whether the option string has a meaning for a type.
func isQuotable(t types.Type) bool {
	b, ok := Deref(t).Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsBoolean|types.IsNumeric|types.IsString) != 0
}
