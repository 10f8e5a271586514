// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-ssa/dovetail/internal/allocs"
	"github.com/dovetail-ssa/dovetail/typed"
)

// These are the Go types of the example in KEP-1929.
type (
	root struct {
		Entry sub   `json:"entry"`
		List  []sub `json:"list,omitempty"`
	}
	pointing struct {
		Entry *sub `json:"entry"`
	}
	sub struct {
		Name   string `json:"name"`
		Number int32  `json:"number"`
	}
)

func TestDefaultOfStructs(t *testing.T) {
	type texts struct {
		List []string `json:"list"`
	}
	type textPointers struct {
		List []*string `json:"list"`
	}
	type mapping struct {
		Mapping map[string]*string `json:"mapping"`
	}
	type foo struct {
		Foo string `json:"foo,omitempty"`
	}
	type numbers struct {
		Foo []int `json:"foo"`
	}
	type object struct {
		Foo struct {
			A string `json:"a"`
			B string `json:"b"`
		} `json:"foo"`
	}
	type embedded struct {
		*Listed        // none of its fields has a default
		Text    string `json:"text"`
	}
	type arrayed struct {
		*Pair        // its pointers are nil, so Default fills in nothing
		Text  string `json:"text"`
	}
	type arrays struct {
		Mapping map[string][2]string `json:"mapping"`
	}
	type inners struct {
		Mapping map[string]*Inner `json:"mapping"`
	}
	const filled = `{"entry":{"name":"default-name","number":0}}`
	list := func(def string) string {
		return oneField("name: list\ntype: {list: {elementType: {scalar: string}" + def + ", elementRelationship: atomic}}")
	}
	mapped := func(def string) string {
		return oneField("name: mapping\ntype: {map: {elementType: {scalar: string}" + def + "}}")
	}
	const embedding = `types:
- name: root
  map:
    fields:
    - {name: list, type: {list: {elementType: {namedType: inner}, elementRelationship: atomic}}}
    - {name: text, default: t, type: {scalar: string}}
- name: inner
  map: {fields: [{name: text, default: inner, type: {scalar: string}}]}
`
	fixed := oneField(`name: mapping
type: {map: {fields: [{name: a, default: x, type: {scalar: string}}, {name: b, type: {scalar: string}}]}}`)
	known := oneField(`name: mapping
type: {map: {fields: [{name: b, type: {map: {fields: [{name: text, default: inner, type: {scalar: string}}]}}}]}}`)
	for _, test := range []struct {
		schema, typ string
		object      any
		in, want    string
	}{
		{entries, "root", (*root)(nil), ``, filled},
		{entries, "root", &root{}, `{}`, filled},
		{entries, "root", &root{}, `{"entry":null}`, filled},
		{entries, "root", &root{}, `{"entry":{}}`, filled},
		{entries, "root", &root{}, `{"entry":{"name":"other-name"}}`, `{"entry":{"name":"other-name","number":0}}`},
		{entries, "root", &root{}, `{"entry":{"name":"","number":0}}`, filled},
		{entries, "root", &root{}, `{"list":[{},{"name":"x"}]}`, `{"entry":{"name":"default-name","number":0},"list":[{"name":"default-name","number":0},{"name":"x","number":0}]}`},
		{entries, "pointer", (*pointing)(nil), ``, `{"entry":{"name":"pointer-name","number":0}}`},
		{entries, "pointer", &pointing{}, `{}`, `{"entry":{"name":"pointer-name","number":0}}`},
		{entries, "pointer", &pointing{}, `{"entry":null}`, `{"entry":{"name":"pointer-name","number":0}}`},
		{entries, "pointer", &pointing{}, `{"entry":{}}`, filled},
		{entries, "pointer", &pointing{}, `{"entry":{"name":"other-name"}}`, `{"entry":{"name":"other-name","number":0}}`},
		// A field whose type is a struct, not a pointer, must get the default.
		{entries, "pointer", &root{}, `{}`, `{"entry":{"name":"pointer-name","number":0}}`},
		{entries, "pointer", &root{}, `{"entry":{"number":1}}`, `{"entry":{"name":"default-name","number":1}}`},
		{entries, "entry", (*sub)(nil), ``, `null`},
		{entries, "entry", &sub{}, `{}`, `{"name":"default-name","number":0}`},
		{entries, "entry", &sub{}, `{"name":""}`, `{"name":"default-name","number":0}`},
		{list(", elementDefault: apple"), "root", &texts{}, `{"list":[null,"foo"]}`, `{"list":["apple","foo"]}`},
		{list(", elementDefault: apple"), "root", &textPointers{}, `{"list":[null,"","foo"]}`, `{"list":["apple","","foo"]}`},
		{list(""), "root", &textPointers{}, `{"list":[null,"foo"]}`, `{"list":[null,"foo"]}`},
		{mapped(", elementDefault: banana"), "root", &mapping{}, `{"mapping":{"foo":null,"bar":"apple"}}`, `{"mapping":{"foo":"banana","bar":"apple"}}`},
		{mapped(""), "root", &mapping{}, `{"mapping":{"foo":null,"bar":"apple"}}`, `{"mapping":{"bar":"apple"}}`},
		{fixed, "root", &mapping{}, `{"mapping":{}}`, `{"mapping":{"a":"x"}}`},
		{fixed, "root", &mapping{}, `{"mapping":{"a":"y"}}`, `{"mapping":{"a":"y"}}`},
		{embedding, "root", &embedded{}, `{}`, `{"text":"t"}`},
		{embedding, "root", &embedded{}, `{"list":[{}]}`, `{"list":[{"text":"inner"}],"text":"t"}`},
		{embedding, "root", &arrayed{}, `{}`, `{"text":"t"}`},
		{embedding, "root", &arrayed{}, `{"list":[{},null]}`, `{"list":[{"text":"inner"},null],"text":"t"}`},
		{oneField("name: mapping\ntype: {map: {elementType: {list: {elementType: {scalar: string}, elementDefault: apple, elementRelationship: atomic}}}}"),
			"root", &arrays{}, `{"mapping":{"a":["","b"]}}`, `{"mapping":{"a":["apple","b"]}}`},
		// Default ignores Go fields that the schema type does not declare.
		{known, "root", &inners{}, `{"mapping":{"a":{},"b":{},"c":{}}}`, `{"mapping":{"a":{"text":""},"b":{"text":"inner"},"c":{"text":""}}}`},
		{oneField("{name: foo, default: abc, type: {scalar: string}}"), "root", &foo{}, `{}`, `{"foo":"abc"}`},
		{oneField("{name: foo, default: abc, type: {scalar: string}}"), "root", &foo{}, `{"foo":"def"}`, `{"foo":"def"}`},
		{numbersSchema, "root", &numbers{}, `{}`, `{"foo":[1]}`},
		{numbersSchema, "root", &numbers{}, `{"foo":[]}`, `{"foo":[]}`},
		{numbersSchema, "root", &numbers{}, `{"foo":null}`, `{"foo":[1]}`},
		{oneField(`name: foo
default: {b: def}
type: {map: {fields: [{name: a, default: abc, type: {scalar: string}}, {name: b, type: {scalar: string}}]}}`),
			"root", &object{}, `{}`, `{"foo":{"a":"abc","b":"def"}}`},
	} {
		p, err := typed.NewParser(typed.YAMLObject(test.schema))
		if err != nil {
			t.Fatalf("%v of:\n%s", err, test.schema)
		}
		name := fmt.Sprintf("%s in %T of %s", test.in, test.object, test.typ)
		if test.in != "" {
			if err := json.Unmarshal([]byte(test.in), test.object); err != nil {
				t.Fatal(err)
			}
		}
		out, err := p.Type(test.typ).Default(test.object)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if v := reflect.ValueOf(test.object); !v.IsNil() && out != test.object {
			t.Errorf("%s: the result is another pointer", name)
		}
		if diff := diffOf(plain(t, test.want), normal(t, out)); diff != "" {
			t.Errorf("%s (want, got):\n%s", name, diff)
		}
		again, err := p.Type(test.typ).Default(out)
		if err != nil || again != out {
			t.Errorf("%s: defaulted twice gives another value, or %v", name, err)
		}
		if diff := diffOf(plain(t, test.want), normal(t, again)); diff != "" {
			t.Errorf("%s, twice (want, got):\n%s", name, diff)
		}
	}
}

const numbersSchema = `types:
- name: root
  map:
    fields:
    - {name: foo, default: [1], type: {list: {elementType: {scalar: numeric}, elementRelationship: atomic}}}
`

// Inner is embedded in several ways.
type Inner struct {
	Text string `json:"text"`
}

// Listed is embedded, and has defaults only in the items of its list.
type Listed struct {
	List []Inner `json:"list,omitempty"`
}

// Pair is embedded, and has an array field.
type Pair struct {
	List [2]*Inner `json:"list"`
}

// moment has conversion methods and an unexported pointer.
type moment struct{ at *time.Time }

func (m moment) MarshalJSON() ([]byte, error) { return json.Marshal(m.at) }

func (m *moment) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &m.at) }

const kinds = `types:
- name: root
  map:
    fields:
    - {name: text, default: t, type: {scalar: string}}
    - {name: renamed, default: r, type: {scalar: string}}
    - {name: at, default: "2020-01-02T03:04:05Z", type: {scalar: string}}
    - {name: bytes, default: aGVsbG8=, type: {scalar: string}}
    - {name: any, default: {a: [1]}, type: {namedType: any}}
    - {name: flag, default: true, type: {scalar: boolean}}
    - {name: ratio, default: 2, type: {scalar: numeric}}
    - {name: labels, type: {map: {elementType: {namedType: inner}, elementDefault: {text: nil-value}}}}
    - {name: fixed, type: {map: {fields: [{name: a, default: x, type: {scalar: string}}, {name: b, type: {scalar: string}}]}}}
    - {name: shared, default: {list: [{text: a}, {}]}, type: {map: {fields: [{name: list, type: {list: {elementType: {namedType: inner}, elementRelationship: atomic}}}]}}}
    - {name: self, type: {namedType: root}}
- name: inner
  map: {fields: [{name: text, default: inner, type: {scalar: string}}]}
- name: any
  scalar: untyped
  list: {elementType: {namedType: any}, elementRelationship: atomic}
  map: {elementType: {namedType: any}}
`

type everyKind struct {
	*Inner
	Renamed  string            `json:"renamed,omitempty"`
	Skipped  string            `json:"-"`
	At       moment            `json:"at"`
	Bytes    []byte            `json:"bytes,omitempty"`
	Any      any               `json:"any,omitempty"`
	Flag     *bool             `json:"flag,omitempty"`
	Ratio    float64           `json:"ratio"`
	Labels   map[string]*Inner `json:"labels,omitempty"`
	Fixed    map[string]string `json:"fixed,omitempty"`
	Shared   *shared           `json:"shared,omitempty"`
	Self     *everyKind        `json:"self,omitempty"`
	Unknown  string            `json:"unknown,omitempty"`
	internal string
}

type shared struct {
	List []Inner `json:"list"`
}

func TestDefaultOfGoKinds(t *testing.T) {
	p, err := typed.NewParser(kinds)
	if err != nil {
		t.Fatal(err)
	}
	pt := p.Type("root")
	no := false
	object := &everyKind{
		Flag: &no, Labels: map[string]*Inner{"a": nil, "b": {}, "c": {"x"}}, Fixed: map[string]string{},
		Self: &everyKind{Inner: &Inner{}, Any: map[string]any{"b": nil}}, internal: "i",
	}
	if _, err := pt.Default(object); err != nil {
		t.Fatal(err)
	}
	const rest = `"renamed":"r","at":"2020-01-02T03:04:05Z","bytes":"aGVsbG8=","ratio":2,"shared":{"list":[{"text":"a"},{"text":"inner"}]},"text":"t",`
	want := `{` + rest + `"any":{"a":[1]},"flag":false,"fixed":{"a":"x"},"labels":{"a":{"text":"nil-value"},"b":{"text":"inner"},"c":{"text":"x"}},
		"self":{` + rest + `"any":{"b":null},"flag":true}}`
	if diff := diffOf(plain(t, want), normal(t, object)); diff != "" {
		t.Errorf("(want, got):\n%s", diff)
	}
	// Modifying a default in this object must not change it in another object.
	object.Any.(map[string]any)["a"].([]any)[0] = "mine"
	object.Bytes[0] = 'j'
	object.Shared.List[0].Text = "mine"
	*object.At.at = time.Time{}
	second := &everyKind{}
	if _, err := pt.Default(second); err != nil {
		t.Fatal(err)
	}
	if diff := diffOf(plain(t, `{`+rest+`"any":{"a":[1]},"flag":true}`), normal(t, second)); diff != "" {
		t.Errorf("the second object (want, got):\n%s", diff)
	}
}

func TestDefaultsThatDoNotFitGo(t *testing.T) {
	type item struct {
		N int8 `json:"num"`
	}
	type list struct {
		Items []item          `json:"items"`
		Named map[string]item `json:"named"`
	}
	type odd struct {
		Name struct{ A string } `json:"name"`
	}
	p, err := typed.NewParser(`types:
- name: list
  map:
    fields:
    - {name: items, type: {list: {elementType: {namedType: item}, elementRelationship: atomic}}}
    - {name: named, type: {map: {elementType: {namedType: item}}}}
    - {name: name, default: {b: 1}, type: {map: {elementType: {scalar: untyped}}}}
- name: item
  map: {fields: [{name: num, default: 300, type: {scalar: numeric}}]}
- name: round
  map: {fields: [{name: next, default: {}, type: {namedType: round}}]}
- name: wide
  map: {fields: [{name: a, default: {}, type: {namedType: wide}}, {name: b, default: {}, type: {namedType: wide}}]}
`)
	if err != nil {
		t.Fatal(err)
	}
	type round struct {
		Next *round `json:"next"`
	}
	long := &round{}
	for range 20_000 {
		long = &round{long}
	}
	ring := &round{}
	ring.Next = ring
	for _, test := range []struct {
		typ    string
		object any
		want   string
	}{
		{"list", &list{Items: []item{{1}, {}}}, `.items[1].num: the default 300 does not fit the Go type int8: json: cannot unmarshal number 300 into Go value of type int8`},
		{"list", &list{Named: map[string]item{"x": {}}}, `.named.x.num: the default 300 does not fit the Go type int8`},
		{"list", &odd{}, `.name: the default {"b":1} does not fit the Go type struct { A string }: json: unknown field "b"`},
		{"round", &round{}, `.next.next: the default contains itself`},
		{"round", long, `nested more than`},
		{"round", ring, `nested more than`},
		{"list", &moment{}, `expected plain data, or a pointer to a Go value without a conversion method such as MarshalJSON, got *typed_test.moment`},
		{"list", list{}, `want plain data or a pointer to a Go struct, found typed_test.list`},
	} {
		_, err := p.Type(test.typ).Default(test.object)
		var errs typed.ValidationErrors
		if !errors.As(err, &errs) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%T: got %.200v, want %s", test.object, err, test.want)
		}
	}
	// A default that does not fit its Go type is an error only if Default has to fill
	// in this default.
	if _, err := p.Type("list").Default(&list{Items: []item{{1}}}); err != nil {
		t.Error(err)
	}
}

func TestDefaultOfStructsWithoutChangesAllocatesNothing(t *testing.T) {
	p, err := typed.NewParser(entries)
	if err != nil {
		t.Fatal(err)
	}
	pt := p.Type("root")
	object := &root{Entry: sub{"x", 1}, List: []sub{{"y", 0}}}
	n := allocs.Least(func() {
		if _, err := pt.Default(object); err != nil {
			t.Fatal(err)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}
