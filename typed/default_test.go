// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/internal/allocs"
	"github.com/dovetail-ssa/dovetail/typed"
)

// entries is the schema of the example in KEP-1929.
const entries = `
types:
- name: root
  default: {}
  map:
    fields:
    - name: entry
      default: {}
      type: {namedType: entry}
    - name: list
      type: {list: {elementType: {namedType: entry}, elementRelationship: atomic}}
- name: pointer
  default: {}
  map:
    fields:
    - name: entry
      default: {name: pointer-name}
      type: {namedType: entry}
- name: entry
  map:
    fields:
    - {name: name, default: default-name, type: {scalar: string}}
    - {name: number, default: 0, type: {scalar: numeric}}
`

func oneField(field string) string {
	return "types:\n- name: root\n  map:\n    fields:\n    - " + strings.ReplaceAll(field, "\n", "\n      ")
}

func TestDefault(t *testing.T) {
	const filled = `{"entry":{"name":"default-name","number":0}}`
	list := func(def string) string {
		return oneField("name: list\ntype: {list: {elementType: {scalar: string}" + def + ", elementRelationship: atomic}}")
	}
	mapping := func(def string) string {
		return oneField("name: mapping\ntype: {map: {elementType: {scalar: string}" + def + "}}")
	}
	numbers := func(nullable string) string {
		return oneField("name: foo\ndefault: [1]\ntype: {list: {elementType: {scalar: numeric}, elementRelationship: atomic}" + nullable + "}")
	}
	for _, test := range []struct{ schema, typ, in, want string }{
		{entries, "root", `null`, filled},
		{entries, "root", `{}`, filled},
		{entries, "root", `{"entry":null}`, filled},
		{entries, "root", `{"entry":{}}`, filled},
		{entries, "root", `{"entry":{"name":"other-name"}}`, `{"entry":{"name":"other-name","number":0}}`},
		{entries, "root", `{"entry":{"name":"","number":0}}`, `{"entry":{"name":"","number":0}}`},
		{entries, "pointer", `null`, `{"entry":{"name":"pointer-name","number":0}}`},
		{entries, "pointer", `{}`, `{"entry":{"name":"pointer-name","number":0}}`},
		{entries, "pointer", `{"entry":null}`, `{"entry":{"name":"pointer-name","number":0}}`},
		{entries, "pointer", `{"entry":{}}`, filled},
		{entries, "pointer", `{"entry":{"name":"other-name"}}`, `{"entry":{"name":"other-name","number":0}}`},
		{entries, "entry", `null`, `null`},
		{list(", elementDefault: apple"), "root", `{"list":[null,"foo"]}`, `{"list":["apple","foo"]}`},
		{list(""), "root", `{"list":[null,"foo"]}`, `{"list":[null,"foo"]}`},
		{mapping(", elementDefault: banana"), "root", `{"mapping":{"foo":null,"bar":"apple"}}`, `{"mapping":{"foo":"banana","bar":"apple"}}`},
		{mapping(""), "root", `{"mapping":{"foo":null,"bar":"apple"}}`, `{"mapping":{"bar":"apple"}}`},
		{oneField("{name: foo, default: abc, type: {scalar: string}}"), "root", `{}`, `{"foo":"abc"}`},
		{oneField("{name: foo, default: abc, type: {scalar: string}}"), "root", `{"foo":"def"}`, `{"foo":"def"}`},
		{oneField("{name: foo, type: {scalar: string}}"), "root", `{"foo":null}`, `{}`},
		{oneField("{name: foo, type: {scalar: string, nullable: true}}"), "root", `{"foo":null}`, `{"foo":null}`},
		{numbers(""), "root", `{}`, `{"foo":[1]}`},
		{numbers(""), "root", `{"foo":[]}`, `{"foo":[]}`},
		{numbers(""), "root", `{"foo":null}`, `{"foo":[1]}`},
		{numbers(", nullable: true"), "root", `{"foo":null}`, `{"foo":null}`},
		{oneField(`name: foo
default: {b: def}
type: {map: {fields: [{name: a, default: abc, type: {scalar: string}}, {name: b, type: {scalar: string}}]}}`),
			"root", `{}`, `{"foo":{"a":"abc","b":"def"}}`},
		// A null in a place that is not nullable must be removed, even inside a value that may
		// be null.
		{oneField("{name: foo, type: {nullable: true, map: {fields: [{name: a, type: {scalar: string}}]}}}"), "root", `{"foo":{"a":null}}`, `{"foo":{}}`},
		{oneField("{name: foo, type: {nullable: true, map: {fields: [{name: a, type: {scalar: string}}]}}}"), "root", `{"foo":null}`, `{"foo":null}`},
		// A type that allows any value allows null, except in a structural schema.
		{oneField(`name: foo
type: {scalar: untyped, list: {elementType: {scalar: untyped}, elementRelationship: atomic}, map: {elementType: {scalar: untyped}}}`),
			"root", `{"foo":null}`, `{"foo":null}`},
		{oneField(`name: foo
type: {scalar: untyped, list: {elementType: {scalar: untyped}, elementRelationship: atomic}, map: {elementType: {scalar: untyped}, unknownFields: preserve}}`),
			"root", `{"foo":null}`, `{}`},
		{oneField(`name: foo
type: {nullable: true, scalar: untyped, list: {elementType: {scalar: untyped}, elementRelationship: atomic}, map: {elementType: {scalar: untyped}, unknownFields: prune}}`),
			"root", `{"foo":null}`, `{"foo":null}`},
		// The same applies inside a value that may have any type.
		{oneField(`name: foo
type: {nullable: true, scalar: untyped, list: {elementType: {scalar: untyped}, elementRelationship: atomic}, map: {fields: [{name: a, type: {scalar: string}}], elementType: {scalar: untyped}, unknownFields: preserve}}`),
			"root", `{"foo":{"a":null,"b":"x"}}`, `{"foo":{"b":"x"}}`},
		{oneField(`name: foo
type: {nullable: true, scalar: untyped, list: {elementType: {map: {fields: [{name: a, type: {scalar: string}}]}}, elementRelationship: atomic}, map: {elementType: {scalar: untyped}, unknownFields: preserve}}`),
			"root", `{"foo":[{"a":null}]}`, `{"foo":[{}]}`},
		// A default that is null has no effect.
		{oneField(`name: foo
default: {a: null, b: null}
type: {map: {fields: [{name: a, default: abc, type: {scalar: string}}, {name: b, type: {scalar: string}}]}}`),
			"root", `{}`, `{"foo":{"a":"abc"}}`},
	} {
		p, err := typed.NewParser(typed.YAMLObject(test.schema))
		if err != nil {
			t.Fatalf("%v of:\n%s", err, test.schema)
		}
		pt := p.Type(test.typ)
		name := fmt.Sprintf("%s of %s", test.in, test.typ)
		tv, err := pt.FromUnstructured(plain(t, test.in))
		if err != nil && test.in != "null" && !strings.Contains(test.in, "[null") {
			t.Fatalf("%s: %v", name, err)
		}
		if err == nil {
			out, err := tv.Default()
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if diff := diffOf(plain(t, test.want), normal(t, out.AsValue().Unstructured())); diff != "" {
				t.Errorf("%s, as a new value (want, got):\n%s", name, diff)
			}
			if diff := diffOf(plain(t, test.in), tv.AsValue().Unstructured()); diff != "" {
				t.Errorf("%s was modified:\n%s", name, diff)
			}
			if again, err := out.Default(); err != nil || again != out {
				t.Errorf("%s: defaulted twice gives another value, or %v", name, err)
			}
		}
		got, err := pt.Default(plain(t, test.in))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := diffOf(plain(t, test.want), normal(t, got)); diff != "" {
			t.Errorf("%s, in place (want, got):\n%s", name, diff)
		}
	}
}

func plain(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

// normal returns v with the number types of JSON.
func normal(t *testing.T, v any) any {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return plain(t, string(text))
}

// diffOf returns both values as text if they differ.
func diffOf(want, got any) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return fmt.Sprintf("%#v\n%#v", want, got)
}

// TestDefaultIsCopied checks that modifying a default in one object does not change it in
// another object.
func TestDefaultIsCopied(t *testing.T) {
	p, err := typed.NewParser(typed.YAMLObject(entries))
	if err != nil {
		t.Fatal(err)
	}
	first, err := p.Type("pointer").Default(nil)
	if err != nil {
		t.Fatal(err)
	}
	first.(map[string]any)["entry"].(map[string]any)["name"] = "mine"
	second, err := p.Type("pointer").Default(nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := second.(map[string]any)["entry"].(map[string]any)["name"]; got != "pointer-name" {
		t.Errorf("the second object has name %v", got)
	}
	// The default must have the Go types of decoded JSON, for each YAML decoder that
	// reads the schema.
	want := map[string]any{"entry": map[string]any{"name": "pointer-name", "number": int64(0)}}
	if diff := diffOf(want, second); diff != "" {
		t.Errorf("the second object (want, got):\n%s", diff)
	}
}

func TestDefaultWithoutChangesAllocatesNothing(t *testing.T) {
	p, err := typed.NewParser(typed.YAMLObject(entries))
	if err != nil {
		t.Fatal(err)
	}
	object := map[string]any{"entry": map[string]any{"name": "x", "number": int64(1)}, "list": []any{map[string]any{"name": "x", "number": int64(2)}}}
	tv, err := p.Type("root").FromUnstructured(object)
	if err != nil {
		t.Fatal(err)
	}
	n := allocs.Least(func() {
		if out, err := tv.Default(); err != nil || out != tv {
			t.Fatal("the value changed", err)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestRecursiveDefaults checks that Default returns an error in two cases. In the first case,
// a default contains itself. In the second case, the size of defaults doubles with each
// level.
func TestRecursiveDefaults(t *testing.T) {
	p, err := typed.NewParser(`
types:
- name: root
  map: {fields: [{name: a, default: {}, type: {namedType: root}}]}
`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Type("root").Default(map[string]any{}); err == nil || !strings.Contains(err.Error(), ".a.a: the default contains itself") {
		t.Errorf("defaults within themselves: %v", err)
	}
	doubling := "types:\n"
	for i := range 40 {
		doubling += fmt.Sprintf(`- name: t%d
  map: {fields: [{name: a, default: {}, type: {namedType: t%d}}, {name: b, default: {}, type: {namedType: t%d}}]}
`, i, i+1, i+1)
	}
	doubling += "- name: t40\n  map: {fields: []}\n"
	if p, err = typed.NewParser(typed.YAMLObject(doubling)); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Type("t0").Default(map[string]any{}); err == nil || !strings.Contains(err.Error(), "defaults add more than") {
		t.Errorf("doubling defaults: %v", err)
	}
}

// TestRecursiveDefaultsAreReportedInOrder checks a type with several defaults that contain
// themselves. The error must be about the first of these defaults.
func TestRecursiveDefaultsAreReportedInOrder(t *testing.T) {
	p, err := typed.NewParser(`
types:
- name: root
  map: {elementType: {namedType: round}}
- name: round
  map: {fields: [{name: next, default: {}, type: {namedType: round}}]}
`)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		object := map[string]any{}
		for i := range 20 {
			object[string(rune('a'+i))] = map[string]any{}
		}
		object["a"] = map[string]any{"next": "no map"}
		if _, err := p.Type("root").Default(object); err == nil || err.Error() != ".b.next.next: the default contains itself" {
			t.Fatalf("got %v", err)
		}
	}
}

// TestDefaultOfNull checks the example of KEP-1929. If the root is null, the default of its
// type replaces it. Nil of any Go type counts as null, except a nil map, which counts as an
// empty map.
func TestDefaultOfNull(t *testing.T) {
	type sub struct {
		Name   string `json:"name,omitempty"`
		Number int    `json:"number"`
	}
	type root struct {
		Entry sub `json:"entry"`
	}
	p, err := typed.NewParser(entries)
	if err != nil {
		t.Fatal(err)
	}
	typ := p.Type("root")
	const want = `{"entry":{"name":"default-name","number":0}}`
	for _, object := range []any{
		nil, map[string]any(nil), map[string]any{}, map[string]any{"entry": nil}, map[string]any{"entry": map[string]any(nil)},
		map[any]any(nil), (*root)(nil), &root{},
	} {
		out, err := typ.Default(object)
		if err != nil {
			t.Errorf("%#v: %v", object, err)
			continue
		}
		if got, err := json.Marshal(out); err != nil || string(got) != want {
			t.Errorf("%#v: got %s, %v", object, got, err)
		}
		if _, isStruct := object.(*root); isStruct {
			continue
		}
		tv, err := typ.FromUnstructured(object)
		if err != nil {
			t.Fatal(err)
		}
		filled, err := tv.Default()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := json.Marshal(filled.AsValue().Unstructured()); err != nil || string(got) != want {
			t.Errorf("%#v: TypedValue: got %s, %v", object, got, err)
		}
	}
}
