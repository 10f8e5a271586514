// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package schema_test

import (
	"math/rand"
	"reflect"
	"strings"
	"testing"

	"go.yaml.in/yaml/v2"

	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
)

func TestSchemaOfSchemasIsValidAgainstItself(t *testing.T) {
	p, err := typed.NewParser(typed.YAMLObject(schema.SchemaSchemaYAML))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Type("schema").FromYAML(typed.YAMLObject(schema.SchemaSchemaYAML)); err != nil {
		t.Error(err)
	}
	for _, name := range p.TypeNames() {
		if !p.Type(name).IsValid() {
			t.Errorf("type %s is not valid", name)
		}
	}
}

// TestSchemaOfSchemasHasEveryField checks that SchemaSchemaYAML declares every field of a
// schema, with its name in YAML.
func TestSchemaOfSchemasHasEveryField(t *testing.T) {
	everything := schema.Schema{DeclarativeDefaults: true, MissingKeys: schema.StrictKeys, ZeroKeysUnset: true}
	name, rel, scalar := "other", schema.Atomic, schema.String
	ref := func(a schema.Atom) schema.TypeRef {
		return schema.TypeRef{Inlined: a, Nullable: true, ElementRelationship: &rel, Transition: schema.SetOnce}
	}
	m := &schema.Map{
		ElementType: ref(schema.Atom{Scalar: &scalar}), ElementRelationship: rel, ElementDefault: "d", Required: []string{"f"},
		UnknownFields: schema.PruneUnknown,
		Fields:        []schema.StructField{{Name: "f", Type: schema.TypeRef{NamedType: &name}, Default: map[string]any{"a": nil}}},
		Unions:        []schema.Union{{Discriminator: &name, DeduceInvalidDiscriminator: true, Fields: []schema.UnionField{{FieldName: "f", DiscriminatorValue: "v"}}}},
	}
	l := &schema.List{ElementType: ref(schema.Atom{Map: m}), ElementRelationship: schema.Associative, Keys: []string{"f"}, ElementDefault: "d"}
	everything.Types = []schema.TypeDef{
		{Name: "all", Atom: schema.Atom{Scalar: &scalar, List: l, Map: m}, Default: map[string]any{"f": 1}, Transition: schema.Immutable},
		{Name: "other", Atom: schema.Atom{Map: &schema.Map{ElementType: ref(schema.Atom{List: l})}}},
	}
	unset := map[string]bool{}
	findUnset(reflect.ValueOf(&everything), unset)
	for field := range unset {
		t.Errorf("the test does not set %s", field)
	}

	text, err := yaml.Marshal(&everything)
	if err != nil {
		t.Fatal(err)
	}
	everything.DeclarativeDefaults = false // if it were true, the default of a key would have to be a scalar
	text = []byte(strings.Replace(string(text), "declarativeDefaults: true\n", "", 1))
	p, err := typed.NewParser(typed.YAMLObject(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	again, err := yaml.Marshal(&p.Schema)
	if err != nil || string(again) != string(text) {
		t.Errorf("got\n%s\nwant\n%s", again, text)
	}
}

// findUnset examines all structs that are reachable from v. If an exported field is zero
// in every struct of its type, findUnset adds the name of the field to unset.
func findUnset(v reflect.Value, unset map[string]bool) {
	set := map[string]bool{}
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer:
			if !v.IsNil() {
				walk(v.Elem())
			}
		case reflect.Slice:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		case reflect.Struct:
			for i := range v.NumField() {
				if f := v.Type().Field(i); f.IsExported() {
					key := v.Type().String() + "." + f.Name
					if set[key] = set[key] || !v.Field(i).IsZero(); set[key] {
						delete(unset, key)
					} else {
						unset[key] = true
					}
					walk(v.Field(i))
				}
			}
		}
	}
	walk(v)
}

// TestYAMLOfASchema checks the names and the order of the fields in YAML, and that unused
// fields are omitted.
func TestYAMLOfASchema(t *testing.T) {
	const text = `types:
- name: App
  map:
    fields:
    - name: ports
      type:
        list:
          elementType:
            namedType: Port
          elementRelationship: associative
          keys:
          - port
          - protocol
    - name: selector
      type:
        namedType: Labels
        elementRelationship: atomic
        nullable: true
      default: {}
- name: Labels
  map:
    elementType:
      scalar: string
- name: Port
  map:
    fields:
    - name: port
      type:
        scalar: numeric
    - name: protocol
      type:
        scalar: string
      default: TCP
`
	var s schema.Schema
	if err := yaml.UnmarshalStrict([]byte(text), &s); err != nil {
		t.Fatal(err)
	}
	out, err := yaml.Marshal(&s)
	if err != nil || string(out) != text {
		t.Errorf("got\n%s, %v", out, err)
	}
	if _, err := typed.NewParser(text); err != nil {
		t.Error(err)
	}
	if s.Types[0].Map.Fields[1].Default == nil || reflect.TypeOf(s.Types[0].Map.Fields[1].Default) != reflect.TypeOf(map[any]any{}) {
		t.Errorf("the default is a %T", s.Types[0].Map.Fields[1].Default)
	}
}

// TestSchemaSurvivesYAML checks that a schema does not change when it is written as YAML and
// read again.
func TestSchemaSurvivesYAML(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 300 {
		var s schema.Schema
		scalars := []schema.Scalar{schema.Numeric, schema.String, schema.Boolean, schema.Untyped}
		for i := range r.Intn(4) {
			sc := scalars[r.Intn(4)]
			inner := schema.TypeRef{Inlined: schema.Atom{Scalar: &sc}, Nullable: r.Intn(2) == 0}
			td := schema.TypeDef{Name: string(rune('a' + i))}
			switch r.Intn(3) {
			case 0:
				td.Scalar = &sc
			case 1:
				td.List = &schema.List{ElementType: inner, ElementRelationship: schema.Associative}
			case 2:
				td.Map = &schema.Map{Fields: []schema.StructField{{Name: "f", Type: inner, Default: []any{"x", 1, nil, true}[r.Intn(4)]}}}
			}
			s.Types = append(s.Types, td)
		}
		text, err := yaml.Marshal(&s)
		if err != nil {
			t.Fatal(err)
		}
		p, err := typed.NewParser(typed.YAMLObject(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if !p.Schema.Equals(&s) {
			t.Fatalf("read back differently:\n%s", text)
		}
	}
}
