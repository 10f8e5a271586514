// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package roundtrip

import (
	"testing"

	fuzz "github.com/google/gofuzz"
	"go.yaml.in/yaml/v2"

	"github.com/dovetail-ssa/dovetail/internal/compiled"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
)

// schemas extends a source of random data: it can then also create schemas with all fields.
func schemas(from *fuzz.Fuzzer) *fuzz.Fuzzer {
	return from.Funcs(
		func(s *schema.Scalar, c fuzz.Continue) {
			*s = []schema.Scalar{schema.Numeric, schema.String, schema.Boolean, schema.Untyped}[c.Intn(4)]
		},
		func(r *schema.ElementRelationship, c fuzz.Continue) {
			*r = []schema.ElementRelationship{schema.Atomic, schema.Associative, schema.Separable}[c.Intn(3)]
		},
		func(p *schema.KeyPolicy, c fuzz.Continue) {
			*p = []schema.KeyPolicy{schema.OptionalKeys, schema.StrictKeys}[c.Intn(2)]
		},
		func(x *schema.Transition, c fuzz.Continue) {
			all := append(schema.Transitions(), schema.NoTransition)
			*x = all[c.Intn(len(all))]
		},
		func(p *schema.UnknownFieldPolicy, c fuzz.Continue) {
			*p = []schema.UnknownFieldPolicy{"", schema.PruneUnknown, schema.PreserveUnknown, schema.ShallowUnknown}[c.Intn(4)]
		},
		// A default has the form in which the YAML decoder returns it.
		func(v *any, c fuzz.Continue) {
			*v = []any{nil, "x", 1, 1.5, false, []any{"x", nil}, map[any]any{"k": "v", "l": []any{}}}[c.Intn(7)]
		},
	)
}

func TestSchemas(t *testing.T) {
	valid := 0
	each(t, func(t *testing.T, from *fuzz.Fuzzer) {
		var s schema.Schema
		schemas(from).Fuzz(&s)
		text, err := yaml.Marshal(&s)
		if err != nil {
			t.Error(err)
			return
		}
		var back schema.Schema
		if err := yaml.UnmarshalStrict(text, &back); err != nil {
			t.Errorf("the schema cannot be decoded again: %v\n%s", err, text)
			return
		}
		if !back.Equals(&s) {
			t.Errorf("decoding gives another schema\n%s", text)
		}
		if again, err := yaml.Marshal(&back); err != nil || string(again) != string(text) {
			t.Errorf("the first encoding is\n%s\nand the second is\n%s, %v", text, again, err)
		}
		var copied schema.Schema
		s.CopyInto(&copied)
		if !copied.Equals(&s) {
			t.Errorf("the copy differs from the schema\n%s", text)
		}
		for _, td := range s.Types {
			name := td.Name
			if n := compiled.Node(&s, schema.TypeRef{NamedType: &name}); n == nil || n.Missing {
				t.Errorf("type %q does not compile in\n%s", name, text)
			}
		}
		// If two types or fields have the same name, the schema is invalid.
		if p, err := typed.NewParser(typed.YAMLObject(text)); err == nil {
			valid++
			if !p.Schema.Equals(&s) {
				t.Errorf("the parser returns another schema for\n%s", text)
			}
		}
	})
	if *rounds >= 1000 && valid < *rounds/20 {
		t.Errorf("%d of %d schemas are valid: too little was tested", valid, *rounds)
	}
}
