// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/internal/allocs"
	"github.com/dovetail-ssa/dovetail/typed"
)

// kept is a schema with all kinds of declared and undeclared fields.
const kept = `
types:
- name: root
  map:
    fields:
    - {name: text, type: {scalar: string}}
    - {name: open, type: {map: {elementType: {namedType: item}}}}
    - {name: items, type: {list: {elementType: {namedType: item}, elementRelationship: atomic}}}
    - {name: matrix, type: {list: {elementType: {list: {elementType: {namedType: item}, elementRelationship: atomic}}, elementRelationship: atomic}}}
    - {name: nothing, type: {map: {elementType: {namedType: any}, unknownFields: prune}}}
    - {name: anything, type: {namedType: any}}
    - {name: half, type: {map: {fields: [{name: item, type: {namedType: item}}], elementType: {namedType: any}}}}
    - {name: strict, type: {map: {fields: [{name: item, type: {namedType: item}}], elementType: {namedType: any}, unknownFields: prune}}}
    - {name: shallow, type: {map: {fields: [{name: item, type: {namedType: item}}], elementType: {namedType: any}, unknownFields: shallow}}}
    - {name: lax, type: {map: {fields: [{name: item, type: {namedType: item}}], unknownFields: preserve}}}
    - {name: port, type: {namedType: unknown}}
    - {name: gone, type: {namedType: missing}}
- name: item
  map: {fields: [{name: a, type: {scalar: string}}, {name: self, type: {namedType: item}}]}
- name: unknown
  scalar: untyped
  list: {elementType: {namedType: any}, elementRelationship: atomic}
  map: {elementType: {namedType: any}, unknownFields: prune}
- name: any
  scalar: untyped
  list: {elementType: {namedType: any}, elementRelationship: atomic}
  map: {elementType: {namedType: any}}
`

func TestPrune(t *testing.T) {
	p, err := typed.NewParser(kept)
	if err != nil {
		t.Fatal(err)
	}
	pt := p.Type("root")
	for _, test := range []struct{ in, want, unknown string }{
		{in: `null`, want: `null`},
		{in: `{}`, want: `{}`},
		{in: `"x"`, want: `"x"`},
		{in: `{"text":"x"}`, want: `{"text":"x"}`},
		{in: `{"b":1,"a":{"c":2},"text":null}`, want: `{"text":null}`, unknown: `.a .b`},
		{in: `{"open":{"x":{"a":"1","b":2},"y":null,"z":{}}}`, want: `{"open":{"x":{"a":"1"},"y":null,"z":{}}}`, unknown: `.open.x.b`},
		{in: `{"items":[{"a":"1"},null,{"b":1,"self":{"c":1}}]}`, want: `{"items":[{"a":"1"},null,{"self":{}}]}`, unknown: `.items[2].b .items[2].self.c`},
		{in: `{"matrix":[[{"a":"1"}],[{"b":1}]]}`, want: `{"matrix":[[{"a":"1"}],[{}]]}`, unknown: `.matrix[1][0].b`},
		{in: `{"nothing":{"a":1}}`, want: `{"nothing":{}}`, unknown: `.nothing.a`},
		{in: `{"anything":{"a":[{"b":{"c":1}}]}}`, want: `{"anything":{"a":[{"b":{"c":1}}]}}`},
		{in: `{"half":{"x":{"y":1},"item":{"b":1}}}`, want: `{"half":{"x":{"y":1},"item":{}}}`, unknown: `.half.item.b`},
		{in: `{"strict":{"x":{"y":1},"item":{"b":1}}}`, want: `{"strict":{"item":{}}}`, unknown: `.strict.item.b .strict.x`},
		{in: `{"shallow":{"w":1,"x":{"y":1},"z":[{"a":1}],"item":{"a":"1","b":1}}}`, want: `{"shallow":{"w":1,"x":{},"z":[{}],"item":{"a":"1"}}}`, unknown: `.shallow.item.b .shallow.x.y .shallow.z[0].a`},
		{in: `{"lax":{"x":{"y":1},"item":{"b":1}}}`, want: `{"lax":{"x":{"y":1},"item":{}}}`, unknown: `.lax.item.b`},
		{in: `{"gone":{"x":{"y":1}}}`, want: `{"gone":{"x":{"y":1}}}`},
		{in: `{"port":"http"}`, want: `{"port":"http"}`},
		{in: `{"port":{"a":1}}`, want: `{"port":{}}`, unknown: `.port.a`},
		{in: `{"port":[{"a":1},[{"b":{}}]]}`, want: `{"port":[{},[{}]]}`, unknown: `.port[0].a .port[1][0].b`},
		// Fields in a value whose kind the type does not allow are unknown.
		{in: `{"text":{"x":1},"open":[{"a":1},[{"b":2},3]]}`, want: `{"text":{},"open":[{},[{},3]]}`, unknown: `.open[0].a .open[1][0].b .text.x`},
	} {
		got, err := pt.Prune(plain(t, test.in))
		if err != nil {
			t.Fatalf("%s: %v", test.in, err)
		}
		if diff := diffOf(plain(t, test.want), got); diff != "" {
			t.Errorf("%s, in place (want, got):\n%s", test.in, diff)
		}
		tv := typed.AsTypedUnvalidated(parseValue(plain(t, test.in)), pt.Schema, pt.TypeRef)
		unknown, err := tv.UnknownFields()
		if err != nil {
			t.Fatalf("%s: %v", test.in, err)
		}
		var texts []string
		for _, path := range unknown {
			texts = append(texts, path.String())
		}
		if got := strings.Join(texts, " "); got != test.unknown {
			t.Errorf("%s: unknown fields %s, want %s", test.in, got, test.unknown)
		}
		if other, err := pt.UnknownFields(plain(t, test.in)); err != nil || fmt.Sprint(other) != fmt.Sprint(unknown) {
			t.Errorf("%s: the type reports %v, %v", test.in, other, err)
		}
		out, err := tv.Prune()
		if err != nil {
			t.Fatalf("%s: %v", test.in, err)
		}
		if diff := diffOf(plain(t, test.want), out.AsValue().Unstructured()); diff != "" {
			t.Errorf("%s, as a new value (want, got):\n%s", test.in, diff)
		}
		if diff := diffOf(plain(t, test.in), tv.AsValue().Unstructured()); diff != "" {
			t.Errorf("%s was modified:\n%s", test.in, diff)
		}
		if (out == tv) != (test.unknown == "") {
			t.Errorf("%s: the same value: %v", test.in, out == tv)
		}
		if again, err := out.Prune(); err != nil || again != out {
			t.Errorf("%s: pruned twice gives another value, or %v", test.in, err)
		}
	}
}

func TestPruneWithoutChangesAllocatesNothing(t *testing.T) {
	p, err := typed.NewParser(kept)
	if err != nil {
		t.Fatal(err)
	}
	tv, err := p.Type("root").FromUnstructured(plain(t, `{"text":"x","items":[{"a":"1","self":{}}],"anything":{"b":[{"c":1}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	n := allocs.Least(func() {
		if out, err := tv.Prune(); err != nil || out != tv {
			t.Fatal("the value changed", err)
		}
		if unknown, err := tv.UnknownFields(); err != nil || unknown != nil {
			t.Fatal("there are unknown fields", unknown, err)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestPruneYAML checks that Prune handles a map from a YAML decoder like any other map.
func TestPruneYAML(t *testing.T) {
	p, err := typed.NewParser(kept)
	if err != nil {
		t.Fatal(err)
	}
	object := map[any]any{"items": []any{map[any]any{"a": "1", "b": 2}}, "x": 1}
	got, err := p.Type("root").Prune(object)
	if err != nil {
		t.Fatal(err)
	}
	if diff := diffOf(plain(t, `{"items":[{"a":"1"}]}`), got); diff != "" {
		t.Errorf("(want, got):\n%s", diff)
	}
}

func TestPruneWantsPlainData(t *testing.T) {
	p, err := typed.NewParser(kept)
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range []any{&struct{ Text string }{}, struct{ Text string }{}} {
		if _, err := p.Type("root").Prune(object); err == nil || !strings.Contains(err.Error(), "want plain data, found") {
			t.Errorf("Prune of a %T: %v", object, err)
		}
		if _, err := p.Type("root").UnknownFields(object); err == nil || !strings.Contains(err.Error(), "want plain data, found") {
			t.Errorf("UnknownFields of a %T: %v", object, err)
		}
	}
}

func TestPruneOfDeepData(t *testing.T) {
	p, err := typed.NewParser(kept)
	if err != nil {
		t.Fatal(err)
	}
	pt := p.Type("item")
	var maps, lists any = map[string]any{}, []any{map[string]any{}}
	for range 20_000 {
		maps, lists = map[string]any{"self": maps}, []any{lists}
	}
	for name, object := range map[string]any{"maps": maps, "lists": map[string]any{"self": lists}} {
		tv := typed.AsTypedUnvalidated(parseValue(object), pt.Schema, pt.TypeRef)
		if _, err := tv.Prune(); err == nil || !strings.Contains(err.Error(), "nested more than") {
			t.Errorf("Prune of %s: %v", name, err)
		}
		if _, err := tv.UnknownFields(); err == nil || !strings.Contains(err.Error(), "nested more than") {
			t.Errorf("UnknownFields of %s: %v", name, err)
		}
	}
}

// TestUnknownFieldsAffectOnlyPruning checks that only pruning reads the policy for undeclared
// fields.
func TestUnknownFieldsAffectOnlyPruning(t *testing.T) {
	with, err := typed.NewParser(kept)
	if err != nil {
		t.Fatal(err)
	}
	without, err := typed.NewParser(typed.YAMLObject(strings.NewReplacer(", unknownFields: prune", "", ", unknownFields: preserve", "").Replace(kept)))
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range []string{
		`{"nothing":{"a":1},"strict":{"x":{"y":1},"item":{"a":"1"}},"lax":{"item":{"a":"2"}}}`,
		`{"nothing":{"a":2,"b":{"c":1}},"strict":{"x":[1]}}`,
		`{"lax":{"x":1}}`,
	} {
		var answers []string
		for _, p := range []*typed.Parser{with, without} {
			tv, err := p.Type("root").FromUnstructured(plain(t, in))
			answer := fmt.Sprint(err)
			if err == nil {
				other, err := p.Type("root").FromUnstructured(plain(t, `{"nothing":{"z":1},"strict":{"x":{"y":2}}}`))
				if err != nil {
					t.Fatal(err)
				}
				set, err1 := tv.ToFieldSet()
				merged, err2 := tv.Merge(other)
				compared, err3 := tv.Compare(other)
				answer = fmt.Sprint(set, err1, merged.AsValue().Unstructured(), err2, compared, err3)
			}
			answers = append(answers, answer)
		}
		if answers[0] != answers[1] {
			t.Errorf("%s: got\n%s\nwith the policy, and without it\n%s", in, answers[0], answers[1])
		}
	}
}

func TestUnknownFieldPolicyIsChecked(t *testing.T) {
	_, err := typed.NewParser("types:\n- name: a\n  map: {unknownFields: drop}\n")
	if err == nil || !strings.Contains(err.Error(), `unknownFields: expected prune, preserve or shallow, got "drop"`) {
		t.Errorf("got %v", err)
	}
}
