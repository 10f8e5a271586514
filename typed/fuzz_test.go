// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed_test

import (
	"strings"
	"testing"

	"go.yaml.in/yaml/v2"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
)

// FuzzLaws searches for values of the type rich that violate one of the laws.
func FuzzLaws(f *testing.F) {
	f.Add([]byte(nil))
	f.Add([]byte("\x0e\x03\x01\x00\x01\x02\x0e\x02\x01\x00"))
	f.Add([]byte(strings.Repeat("\x05\x04\x0d\x03\x0f\x02", 20)))
	// This input has the same numbers as integers and as floats, in lists that share field
	// sets.
	f.Add([]byte("\x05\r\x03\x0f\x02\x04\r\x00\x00\x00d\x04\r\x83\x0f\x02\x05\b\r\x03\x0f\x02\x00\x00\x01\x00\x0f\r\x0f\xfd\x03\xf7\x03\x02\x05\x04\r\x03\x0f\x05\x04\r\x03\xff\xff\x05\x04\r\x03\x0fmmm"))
	off, on := richType(false), richType(true)
	f.Fuzz(func(t *testing.T, bytes []byte) {
		if len(bytes) > 4096 {
			return
		}
		checkLaws(t, off, false, true, bytes)
		checkLaws(t, on, true, false, bytes)
	})
}

// FuzzSchemaYAML reads schemas from hostile text. If a schema can be read, encoding and
// decoding must not change the schema. The schema must also compile and work in every
// operation, in limited time.
func FuzzSchemaYAML(f *testing.F) {
	for _, s := range []string{
		rich,
		schema.SchemaSchemaYAML,
		"declarativeDefaults: true\nmissingKeys: strict\nzeroKeysUnset: true\ntypes: []",
		"types:\n- name: a\n  map: {fields: [{name: f, type: {namedType: a}, default: {f: 1}}], required: [f]}\n- {name: a, scalar: x}",
		"types: [{name: a, list: {elementRelationship: associative, keys: [k], elementType: {namedType: gone}, elementDefault: 1}}]",
		"types: [{name: a, map: {elementType: {namedType: a, elementRelationship: atomic, nullable: true}, elementDefault: []}}]",
		"types: [{name: a, scalar: numeric, list: {}, map: {unions: [{discriminator: d, fields: [{fieldName: f, discriminatorValue: v}]}]}}]",
		"types: &x [{name: a, default: *x}]",
		"types: null\n? 1\n: 2",
		"- a",
		"\x00",
		strings.Repeat("{types: [", 200),
		"types:\n- name: a\n  map: {fields: [{name: f, default: {00000008}}]}",
		"types:\n- name: a\n  map: {fields: [{name: f, default: {0ap: 008}}]}",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<14 {
			return
		}
		p, err := typed.NewParser(typed.YAMLObject(text))
		if err != nil {
			return
		}
		written, err := yaml.Marshal(&p.Schema)
		if err != nil {
			t.Fatal(err)
		}
		var again schema.Schema
		if err := yaml.Unmarshal(written, &again); err != nil {
			t.Fatalf("encoded as\n%s\nand not decoded: %v", written, err)
		}
		var first schema.Schema
		if err := yaml.Unmarshal([]byte(text), &first); err != nil {
			t.Fatal(err)
		}
		floats(&first)
		floats(&again)
		if !again.Equals(&first) && !strings.Contains(strings.ToLower(text), ".nan") {
			t.Fatalf("encoded as\n%s\nwhich is another schema", written)
		}
		// The encoder omits an empty name, so a schema with an empty name may become invalid.
		if _, err := typed.NewParser(typed.YAMLObject(written)); err != nil && !strings.Contains(err.Error(), "omits all key fields") {
			t.Fatalf("encoded as\n%s\nand rejected: %v", written, err)
		}
		for _, name := range p.TypeNames() {
			use(p.Type(name))
		}
	})
}

// floats converts the numbers in defaults and in keys to floats, because YAML encodes a float
// without a fraction as an integer.
func floats(s *schema.Schema) {
	var toFloats func(v any) any
	toFloats = func(v any) any {
		switch v := v.(type) {
		case int:
			return float64(v)
		case int64:
			return float64(v)
		case uint64:
			return float64(v)
		case []any:
			for i := range v {
				v[i] = toFloats(v[i])
			}
		case map[any]any:
			out := make(map[any]any, len(v))
			for k, c := range v {
				out[toFloats(k)] = toFloats(c)
			}
			return out
		}
		return v
	}
	var atom func(a schema.Atom)
	atom = func(a schema.Atom) {
		if a.List != nil {
			a.List.ElementDefault = toFloats(a.List.ElementDefault)
			atom(a.List.ElementType.Inlined)
		}
		if a.Map != nil {
			a.Map.ElementDefault = toFloats(a.Map.ElementDefault)
			atom(a.Map.ElementType.Inlined)
			for i := range a.Map.Fields {
				f := &a.Map.Fields[i]
				f.Default = toFloats(f.Default)
				atom(f.Type.Inlined)
			}
		}
	}
	for i := range s.Types {
		s.Types[i].Default = toFloats(s.Types[i].Default)
		atom(s.Types[i].Atom)
	}
}

// use calls every operation on small values of a type. The values may be invalid. No
// operation may panic.
func use(pt typed.ParseableType) {
	pt.IsValid()
	pt.HasUnions()
	var values []*typed.TypedValue
	for _, text := range []typed.YAMLObject{"null", "1", "a", "true", "{}", "[]", "{f: 1, k: a, name: x}", "[a, 1, {k: a}, null]", "{f: {f: {}}, a: [[]]}"} {
		if tv, err := pt.FromYAML(text, typed.AllowDuplicates); err == nil {
			values = append(values, tv)
		}
	}
	for _, a := range values {
		a.Validate()
		set, err := a.ToFieldSet()
		if err != nil {
			set = fieldpath.NewSet(fieldpath.MakePathOrDie("f"))
		}
		typed.ReconcileFieldSetWithSchema(set, a)
		a.RemoveItems(set)
		a.ExtractItems(set, typed.WithAppendKeyFields())
		a.Deduplicate(typed.KeepLast)
		for _, b := range values {
			a.Merge(b)
			a.Compare(b)
			a.NormalizeUnions(b, nil)
			a.NormalizeUnions(b, a)
		}
	}
}

// FuzzObjectYAML reads objects from hostile text. The laws about a single value must be true
// for valid objects.
func FuzzObjectYAML(f *testing.F) {
	for _, s := range []string{
		"{}", "null", "[]", "text: a\nnumber: 1.0\nself: {self: {flag: true}}",
		"ports: [{port: 80}, {port: 80, protocol: UDP, tags: [a, b]}]\noptional: [{a: x}, {b: x}]",
		"labels: &a {x: y}\nselector: *a", "? [a]\n: b", "1: 2", "set: [a, a]", "free: {a: [1, {b: null}], c: 0x10, d: 1e400, e: .nan, f: 2001-01-01}",
		"number: 18446744073709551615", "number: -0.0", "text: !!binary aGk=", "nullable: null\ntext: null\nset: null\nself: null",
		"apps: {a: {args: []}, b: {set: []}, c: null}", strings.Repeat("{self: ", 300),
		"ports: [{port: 80}, {port: 80, protocol: TCP, tags: [a, a]}, {port: 80.0}]\nset: [a, b, a]\nnumbers: [1, 1.0]\noptional: [{a: x}, {a: x}]",
	} {
		f.Add(s)
	}
	off, on := richType(false), richType(true)
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<14 {
			return
		}
		for _, pt := range []typed.ParseableType{off, on} {
			tv, err := pt.FromYAML(typed.YAMLObject(text), typed.AllowDuplicates)
			if err != nil || strings.Contains(objectText(plainData(tv)), "NaN") {
				continue // NaN does not equal itself
			}
			set, err := tv.ToFieldSet()
			if err != nil {
				t.Fatal(err)
			}
			json, err := set.ToJSON()
			if err != nil {
				t.Fatal(err)
			}
			back := &fieldpath.Set{}
			if err := back.FromJSON(strings.NewReader(string(json))); err != nil {
				t.Fatalf("%s: %v", json, err)
			}
			tv.RemoveItems(set)
			tv.ExtractItems(set, typed.WithAppendKeyFields())
			if c, err := tv.Compare(tv); err != nil || !c.IsSame() {
				t.Fatalf("compare with itself: %v, %v", c, err)
			}
			for _, keep := range []typed.Duplicates{typed.KeepFirst, typed.KeepLast} {
				single, dropped, err := tv.Deduplicate(keep)
				if err != nil || single.Validate() != nil || (single == tv) != (len(dropped) == 0) {
					t.Fatalf("without duplicates: %v, %v, dropped %v", err, single.Validate(), dropped)
				}
			}
			if tv.Validate() == nil {
				if _, err := tv.Merge(tv); err != nil {
					t.Fatalf("merge with itself: %v", err)
				}
			}
		}
	})
}
