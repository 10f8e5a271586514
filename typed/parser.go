// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v2"

	"github.com/dovetail-ssa/dovetail/internal/compiled"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/value"
)

// YAMLObject is the YAML text of an object or a schema.
type YAMLObject string

// Parser holds a schema and returns its types.
type Parser struct {
	Schema schema.Schema
}

// NewParser returns a parser for a schema in YAML. It returns an error if the YAML is not a
// schema, or if a transition rule has no effect on its type (see
// [schema.Schema.CheckTransitions]). If the schema sets declarativeDefaults, NewParser also
// checks list keys and all defaults (see [schema.Schema.CheckKeys] and
// [schema.Schema.CheckDefaults]). Without declarativeDefaults, it accepts the same defaults as
// structured-merge-diff.
//
// As in structured-merge-diff, other mistakes cause errors only when the schema is used. A value
// is invalid if its type refers to a missing type or has an unknown scalar. Merge and Compare
// return an error for a list whose elementRelationship is neither atomic nor associative. To
// find these mistakes, call parser.Schema.Check (see [schema.Schema.Check]).
//
// If the error is about fields and values of the schema document, [Problems] lists them with
// corrections, as for any other value.
func NewParser(schema YAMLObject) (*Parser, error) {
	document, err := schemaType.FromYAML(schema)
	if err != nil {
		return nil, fmt.Errorf("unable to validate schema: %w", err)
	}
	p, err := parse(schema)
	if err != nil {
		if unknown := unknownTransitions("", document.AsValue()); len(unknown) > 0 {
			return nil, fmt.Errorf("unable to validate schema: %w", unknown)
		}
		return nil, err
	}
	if p.Schema.DeclarativeDefaults {
		if err := p.Schema.CheckKeys(); err != nil {
			return nil, err
		}
		if err := p.Schema.CheckDefaults(); err != nil {
			return nil, err
		}
	}
	if err := p.Schema.CheckTransitions(); err != nil {
		return nil, err
	}
	return p, nil
}

// unknownTransitions returns an error for each transition in a schema document, or in a part of it, that is
// not the name of a transition rule. The types and fields in the paths are identified by their names.
func unknownTransitions(path string, part value.Value) (errs ValidationErrors) {
	switch {
	case part.IsList():
		for i := range part.AsList().Length() {
			item, at := part.AsList().At(i), fmt.Sprintf("%s[%d]", path, i)
			if item.IsMap() {
				if name, ok := item.AsMap().Get("name"); ok {
					at = fmt.Sprintf("%s[name=%s]", path, value.ToString(name))
				}
			}
			errs = append(errs, unknownTransitions(at, item)...)
		}
	case part.IsMap():
		part.AsMap().Iterate(func(name string, v value.Value) bool {
			switch at := path + "." + name; {
			case name == "default" || name == "elementDefault":
			case name == "transition" && v.IsString():
				var rule schema.Transition
				if err := rule.UnmarshalText([]byte(v.AsString())); err != nil {
					errs = append(errs, ValidationError{Path: at, ErrorMessage: strings.TrimPrefix(err.Error(), "transition: ")})
				}
			default:
				errs = append(errs, unknownTransitions(at, v)...)
			}
			return true
		})
	}
	slices.SortFunc(errs, func(a, b ValidationError) int { return cmp.Compare(a.Path, b.Path) })
	return errs
}

func parse(s YAMLObject) (*Parser, error) {
	p := &Parser{}
	err := yaml.Unmarshal([]byte(s), &p.Schema)
	return p, err
}

// mustParse parses a schema that is part of this module. It panics if the schema is invalid.
func mustParse(s YAMLObject) *Parser {
	p, err := parse(s)
	if err != nil {
		panic(fmt.Errorf("schema of package typed: %v", err))
	}
	return p
}

var schemaType = mustParse(YAMLObject(schema.SchemaSchemaYAML)).Type("schema")

// TypeNames returns the names of the types, in the order of the schema.
func (p *Parser) TypeNames() (names []string) {
	var s schema.Schema
	p.Schema.CopyInto(&s)
	for i := range s.Types {
		names = append(names, s.Types[i].Name)
	}
	return names
}

// Type returns the type with the given name. If the schema has no such type, IsValid of the
// result returns false, and the methods that read an object return errors.
func (p *Parser) Type(name string) ParseableType {
	compiled.Share(&p.Schema)
	return ParseableType{
		Schema:  &p.Schema,
		TypeRef: schema.TypeRef{NamedType: &name},
	}
}

// ParseableType is a type of a schema. Its methods create values of the type.
type ParseableType struct {
	TypeRef schema.TypeRef
	Schema  *schema.Schema
}

// IsValid reports whether the schema has the type.
func (p ParseableType) IsValid() bool {
	_, ok := p.Schema.Resolve(p.TypeRef)
	return ok
}

// FromYAML decodes and validates a YAML document. It uses YAML 1.1, in which y, n, yes and no
// without quotes are booleans.
//
// Like structured-merge-diff, FromYAML accepts some texts and ignores a part of them. If a map has a
// key twice, the last value counts. Fields whose key is not a string have no effect. If object contains
// several documents, FromYAML reads only the first. So use another decoder for the input of users, and
// pass the result to FromUnstructured.
func (p ParseableType) FromYAML(object YAMLObject, opts ...ValidationOptions) (*TypedValue, error) {
	var v any
	if err := yaml.Unmarshal([]byte(object), &v); err != nil {
		return nil, err
	}
	return AsTyped(value.NewValueInterface(v), p.Schema, p.TypeRef, opts...)
}

// FromUnstructured validates data that was decoded from JSON or YAML. It does not copy the data, so
// nobody may modify the data afterwards.
func (p ParseableType) FromUnstructured(data interface{}, opts ...ValidationOptions) (*TypedValue, error) {
	return AsTyped(value.NewValueInterface(data), p.Schema, p.TypeRef, opts...)
}

// FromStructured validates a Go struct, which it reads by its json tags. It takes a pointer to the
// struct. Nobody may modify the struct afterwards.
func (p ParseableType) FromStructured(data interface{}, opts ...ValidationOptions) (*TypedValue, error) {
	v, err := value.NewValueReflect(data)
	if err != nil {
		return nil, fmt.Errorf("error creating struct value reflector: %v", err)
	}
	return AsTyped(v, p.Schema, p.TypeRef, opts...)
}

// DeducedParseableType is the type for values without a schema. Maps are merged key by key,
// and all other values are atomic.
var DeducedParseableType ParseableType = mustParse(`types:
- name: __untyped_atomic_
  scalar: untyped
  list: {elementRelationship: atomic, elementType: {namedType: __untyped_atomic_}}
  map: {elementRelationship: atomic, elementType: {namedType: __untyped_atomic_}}
- name: __untyped_deduced_
  scalar: untyped
  list: {elementRelationship: atomic, elementType: {namedType: __untyped_atomic_}}
  map: {elementRelationship: separable, elementType: {namedType: __untyped_deduced_}}
`).Type("__untyped_deduced_")
