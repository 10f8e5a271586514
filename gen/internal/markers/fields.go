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

// Field is a field of a Go struct.
type Field struct {
	// Go is the Go name, and Name the JSON name. Name is empty for an embedded struct whose
	// fields are inlined.
	Go, Name string
	Type     types.Type
	Var      *types.Var
	// Owner is the type that declares the field, or nil for a struct without a name.
	Owner *types.TypeName
	// Doc has the lines of the comment, including markers.
	Doc                           []string
	Markers                       []Marker
	Embedded, OmitEmpty, OmitZero bool
	// Quoted is true for the json option string: the scalar is in quotes.
	Quoted bool
	// Tagged is true if the field has a json tag.
	Tagged  bool
	options []string
	tag     *tagPlace
}

// tagPlace is the position of the tag of a field.
type tagPlace struct {
	pos, end token.Pos
	text     string
}

// optional reports whether Go clients omit the field if it is zero.
func (f *Field) optional() bool {
	return f.OmitZero || f.OmitEmpty && !isStruct(f.Type) && !isArray(f.Type)
}

// Fields returns the serialised fields of a struct in order. An inlined struct is one field with
// an empty Name. owner is the named type of the struct, or nil.
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

// Flat returns the JSON fields of a struct, including those of inlined structs. If several fields
// have one name, the rules of encoding/json apply: the least nested one wins, among these the
// one with a tag. If there are still several, none is returned.
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

// Deref removes aliases and pointers, including named pointer types, from a type. It returns an
// invalid type for a pointer to itself.
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

// NameOf returns the name with which a type was declared, or nil if it has none or is predeclared.
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

// isQuotable reports whether the json option string has an effect on a type.
func isQuotable(t types.Type) bool {
	b, ok := Deref(t).Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsBoolean|types.IsNumeric|types.IsString) != 0
}
