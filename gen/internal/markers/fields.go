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
	// Go is the Go name of the field, and Name is its JSON name. Name is empty for an embedded
	// struct whose fields are inlined.
	Go, Name string
	Type     types.Type
	Var      *types.Var
	// Owner is the type that declares the field, or nil if the struct has no name.
	Owner *types.TypeName
	// Doc contains the lines of the comment above the field, including markers.
	Doc                           []string
	Markers                       []Marker
	Embedded, OmitEmpty, OmitZero bool
	// Quoted is true if the option ",string" of the json tag puts the field, a scalar, in
	// quotes.
	Quoted bool
	// Tagged is true if the field has a json tag.
	Tagged  bool
	refused []Marker
	options []string
	tag     *tagPlace
	start   token.Pos
}

// tagPlace is a struct tag with its position in the source.
type tagPlace struct {
	pos, end token.Pos
	text     string
}

// optional reports whether Go clients omit the field when it is zero.
func (f *Field) optional() bool {
	return f.OmitZero || f.OmitEmpty && !isStruct(f.Type) && !isArray(f.Type)
}

// Fields returns the JSON fields of a struct, in the order of declaration. An inlined struct is
// a single field with an empty Name. owner is the named type of the struct, or nil. Callers must
// not change the result.
func (s *Source) Fields(t *types.Struct, owner *types.TypeName) []*Field {
	key := declaredStruct{t, owner}
	all, ok := s.cache.fields[key]
	if !ok {
		all = s.read(t, owner)
		s.cache.fields[key] = all
	}
	return all
}

func (s *Source) read(t *types.Struct, owner *types.TypeName) (all []*Field) {
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
		f.Doc, f.Markers, f.refused = c.doc, c.markers, c.refused
		f.start = c.start
		if c.tag != nil {
			f.tag = &tagPlace{c.tag.Pos(), c.tag.End(), c.tag.Value}
		}
		all = append(all, f)
	}
	return all
}

// Flat returns the JSON fields of a struct, including the fields of inlined structs. If several
// fields have the same name, Flat follows the rules of encoding/json: the least nested field
// wins, and among equally nested fields the one with a json tag. If several fields still
// remain, Flat returns none of them. Callers must not change the result.
func (s *Source) Flat(t *types.Struct, owner *types.TypeName) []*Field {
	key := declaredStruct{t, owner}
	all, ok := s.cache.flat[key]
	if !ok {
		all = s.FlatExcept(t, owner, func(*Field) bool { return false })
		s.cache.flat[key] = all
	}
	return all
}

// FlatExcept is like Flat, but skips inlined structs for which the function except returns true.
func (s *Source) FlatExcept(t *types.Struct, owner *types.TypeName, except func(*Field) bool) []*Field {
	type embedding struct {
		declaredStruct
		place []int // the path from the outermost struct to this struct, as Go field indexes
	}
	type found struct {
		*Field
		depth int
		place []int
	}
	byName := map[string][]found{}
	level := []embedding{{declaredStruct{t, owner}, nil}}
	visited, times := map[declaredStruct]bool{}, map[declaredStruct]int{}
	for depth := 0; len(level) > 0; depth++ {
		var next []embedding
		inNext := map[declaredStruct]int{}
		for _, e := range level {
			if visited[e.declaredStruct] {
				continue
			}
			visited[e.declaredStruct] = true
			for i, f := range s.Fields(e.Struct, e.owner) {
				place := append(slices.Clone(e.place), i)
				if f.Name != "" {
					byName[f.Name] = append(byName[f.Name], found{f, depth, place})
					if times[e.declaredStruct] > 1 {
						// Several structs at the previous depth embed this type, so its field names are
						// ambiguous. Add each field twice, so that the code below drops it.
						byName[f.Name] = append(byName[f.Name], found{f, depth, place})
					}
					continue
				}
				if except(f) {
					continue
				}
				inner := Deref(f.Type)
				in := declaredStruct{inner.Underlying().(*types.Struct), NameOf(inner)}
				if inNext[in]++; inNext[in] == 1 {
					next = append(next, embedding{in, place})
				}
			}
		}
		level, times = next, inNext
	}
	var winners []found
	for _, all := range byName {
		// Keep only the fields of the least depth. They come first, because all is sorted by depth.
		least := slices.IndexFunc(all, func(f found) bool { return f.depth > all[0].depth })
		if least >= 0 {
			all = all[:least]
		}
		if named := slices.DeleteFunc(slices.Clone(all), func(f found) bool { return !f.named() }); len(named) > 0 {
			all = named
		}
		if len(all) == 1 {
			winners = append(winners, all[0])
		}
	}
	slices.SortFunc(winners, func(a, b found) int { return slices.Compare(a.place, b.place) })
	out := make([]*Field, len(winners))
	for i, f := range winners {
		out[i] = f.Field
	}
	return out
}

func (f *Field) named() bool {
	return f.Tagged && f.Name != f.Go || f.Tagged && f.tag != nil && strings.Contains(f.tag.text, `"`+f.Name)
}

// Deref follows aliases and pointers, including named pointer types, and returns the type at
// the end. For a type that points to itself, it returns an invalid type.
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

// NameOf returns the declared name of a type, or nil if the type has no name or is predeclared.
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

// isQuotable reports whether the json tag option ",string" has an effect on a field of type t.
func isQuotable(t types.Type) bool {
	b, ok := Deref(t).Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsBoolean|types.IsNumeric|types.IsString) != 0
}
