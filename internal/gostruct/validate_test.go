// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package gostruct

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/internal/allocs"
	"github.com/dovetail-ssa/dovetail/internal/engine"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/value"
)

type thing struct {
	Name    string            `json:"name,omitempty"`
	Labels  map[string]string `json:"labels,omitempty"`
	Ports   []port            `json:"ports,omitempty"`
	Refs    []*ref            `json:"refs,omitempty"`
	Marks   []string          `json:"marks,omitempty"`
	Bare    []string          `json:"bare"`
	Amounts map[string]amount `json:"amounts,omitempty"`
	When    *moment           `json:"when,omitempty"`
	Free    any               `json:"free,omitempty"`
	Raw     document          `json:"raw,omitzero"`
	Next    *thing            `json:"next,omitempty"`
	More    int               `json:"more,omitempty"`
	Hidden  chan int          `json:"-"`
}

type port struct {
	Port     int32  `json:"port"`
	Protocol string `json:"protocol,omitempty"`
}

type ref struct {
	Name string `json:"name,omitempty"`
}

// labelled has a field in an embedded struct behind a pointer.
type labelled struct {
	*ref
	Labels map[string]string `json:"labels,omitempty"`
}

// amount declares its serialised form with the method OpenAPISchemaType.
type amount struct{ n int }

func (a amount) MarshalJSON() ([]byte, error) { return json.Marshal(a.ToUnstructured()) }
func (a amount) ToUnstructured() any          { return strings.Repeat("1", a.n) }
func (a amount) OpenAPISchemaType() []string  { return []string{"string"} }

// moment has a conversion method, but does not declare its serialised form.
type moment struct{ v any }

func (m *moment) MarshalJSON() ([]byte, error) { return json.Marshal(m.v) }
func (m *moment) ToUnstructured() any          { return m.v }

type document struct{ text string }

func (d document) MarshalJSON() ([]byte, error) {
	if d.text == "fails" {
		return nil, errors.New("no document")
	}
	return []byte(d.text), nil
}

// thingType is the schema type of thing. It does not have the field more.
var thingType = func() *graph.Node {
	text := &graph.Node{Scalar: graph.String}
	atomic := &graph.Node{Scalar: graph.Untyped}
	atomic.List = &graph.List{Item: atomic, Relation: graph.Atomic}
	atomic.Map = graph.NewMap(nil, atomic)
	atomic.Map.Open, atomic.Map.Atomic = true, true
	texts := graph.NewMap(nil, text)
	texts.Open = true
	set := func() *graph.Node { return &graph.Node{List: &graph.List{Item: text, Relation: graph.Associative}} }
	nowhere := &graph.Node{}
	ports := &graph.List{
		Item: &graph.Node{Map: graph.NewMap([]graph.Field{
			{Name: "port", Type: &graph.Node{Scalar: graph.Numeric}},
			{Name: "protocol", Type: text},
		}, nowhere)},
		Relation: graph.Associative,
		Keys:     []graph.Key{{Name: "port"}, {Name: "protocol", IfMissing: "TCP"}},
		KeyNames: []string{"port", "protocol"},
	}
	refs := &graph.List{
		Item:     &graph.Node{Map: graph.NewMap([]graph.Field{{Name: "name", Type: text}}, nowhere)},
		Relation: graph.Associative,
		Keys:     []graph.Key{{Name: "name"}},
		KeyNames: []string{"name"},
	}
	n := &graph.Node{}
	n.Map = graph.NewMap([]graph.Field{
		{Name: "amounts", Type: &graph.Node{Map: texts}},
		{Name: "bare", Type: set()},
		{Name: "free", Type: atomic},
		{Name: "labels", Type: &graph.Node{Map: texts}},
		{Name: "marks", Type: set()},
		{Name: "name", Type: text},
		{Name: "next", Type: n},
		{Name: "ports", Type: &graph.Node{List: ports}},
		{Name: "raw", Type: atomic},
		{Name: "refs", Type: &graph.Node{List: refs}},
		{Name: "when", Type: text},
	}, nowhere)
	return n
}()

func many(n int) (names []string) {
	for i := range n {
		names = append(names, strings.Repeat("x", i))
	}
	return names
}

// TestValidateStruct checks that the plain data of a struct is valid and has the same facts
// if Validate accepts the struct. Validate may reject only the expected structs.
func TestValidateStruct(t *testing.T) {
	deep := &thing{}
	for range 2 * maxPlanned {
		deep = &thing{Next: deep}
	}
	for name, c := range map[string]struct {
		v      thing
		unsure bool
	}{
		"empty":                    {v: thing{}},
		"scalars and maps":         {v: thing{Name: "a", Labels: map[string]string{"a": "b"}, Amounts: map[string]amount{"a": {1}}}},
		"keys":                     {v: thing{Ports: []port{{80, ""}, {80, "UDP"}, {81, "TCP"}}}},
		"same key":                 {v: thing{Ports: []port{{80, "UDP"}, {80, "UDP"}}}, unsure: true},
		"same key by default":      {v: thing{Ports: []port{{80, ""}, {80, "TCP"}}}, unsure: true},
		"many ports":               {v: thing{Ports: []port{{1, ""}, {2, ""}, {3, ""}, {4, ""}, {5, ""}, {6, ""}, {7, ""}, {8, ""}, {9, ""}, {9, "UDP"}}}},
		"many ports, two the same": {v: thing{Ports: []port{{1, ""}, {2, ""}, {3, ""}, {4, ""}, {5, ""}, {6, ""}, {7, ""}, {8, ""}, {9, "TCP"}, {9, ""}}}, unsure: true},
		"pointers":                 {v: thing{Refs: []*ref{{"a"}, {"b"}}}},
		"same pointed key":         {v: thing{Refs: []*ref{{"a"}, {"a"}}}, unsure: true},
		"nil item":                 {v: thing{Refs: []*ref{{"a"}, nil}}, unsure: true},
		"missing key":              {v: thing{Refs: []*ref{{}}}, unsure: true},
		"set":                      {v: thing{Marks: many(10)}},
		"long set":                 {v: thing{Marks: many(20)}},
		"longer set":               {v: thing{Marks: many(100)}},
		"set with a duplicate":     {v: thing{Marks: append(many(10), "xx")}, unsure: true},
		"long, with a duplicate":   {v: thing{Marks: append(many(20), "xx")}, unsure: true},
		"longer, with a duplicate": {v: thing{Marks: append(many(100), "xx")}, unsure: true},
		"empty list left out":      {v: thing{Marks: []string{}}},
		"empty list":               {v: thing{Bare: []string{}}},
		"undeclared":               {v: thing{More: 1}, unsure: true},
		"converts":                 {v: thing{When: &moment{"x"}}},
		"converts to null":         {v: thing{When: &moment{nil}}},
		"converts to another":      {v: thing{When: &moment{int64(1)}}, unsure: true},
		"converts to a list":       {v: thing{When: &moment{[]any{}}}, unsure: true},
		"holds":                    {v: thing{Free: map[string]any{"a": []any{"b", int64(1), nil}}}},
		"holds what is not plain":  {v: thing{Free: map[string]int{"a": 1}}, unsure: true},
		"document":                 {v: thing{Raw: document{`{"a":[1,{"b":null}]}`}}},
		"scalar document":          {v: thing{Raw: document{`"a"`}}},
		"no document":              {v: thing{Raw: document{"fails"}}, unsure: true},
		"broken document":          {v: thing{Raw: document{`{"a":}`}}, unsure: true},
		"nested":                   {v: thing{Next: &thing{Marks: []string{"a"}}}},
		"nested, wrong":            {v: thing{Next: &thing{Marks: []string{"a", "a"}}}, unsure: true},
		"deep":                     {v: *deep, unsure: true},
	} {
		for _, allowed := range []bool{false, true} {
			facts, ok := Validate(thingType, reflect.ValueOf(&c.v).Elem(), allowed)
			if ok != (!c.unsure || allowed && strings.Contains(name, "same") || allowed && strings.Contains(name, "duplicate")) &&
				!(allowed && name == "nested, wrong") {
				t.Errorf("%s, duplicates allowed: %v: got %v", name, allowed, ok)
			}
			if !ok {
				continue
			}
			v, err := value.NewValueReflect(&c.v)
			if err != nil {
				t.Fatal(err)
			}
			want, wrong := engine.Validate(thingType, v.Unstructured(), allowed)
			if wrong != nil || facts != want&^engine.NoNulls {
				t.Errorf("%s, duplicates allowed: %v: got %b, for its plain form %b, %v", name, allowed, facts, want, wrong)
			}
		}
	}
}

// TestCompareStructs checks that two structs of one type are compared without a complete
// conversion, unless they are atomic or have conversion methods.
func TestCompareStructs(t *testing.T) {
	atomic := &graph.Node{Map: graph.NewMap(thingType.Map.Fields, thingType.Map.Elem)}
	atomic.Map.Atomic = true
	labels := map[string]string{"a": "b"}
	for name, c := range map[string]struct {
		n           *graph.Node
		left, right any
		modified    string
		ok          bool
	}{
		"two things":         {thingType, &thing{Name: "a", Bare: []string{"x"}}, &thing{Name: "b", Bare: []string{"x"}}, ".name", true},
		"one thing":          {thingType, &thing{Name: "a"}, &thing{Name: "a"}, "", true},
		"atomic things":      {atomic, &thing{Name: "a"}, &thing{Name: "b"}, "", false},
		"different types":    {thingType, &thing{Name: "a"}, &ref{Name: "b"}, "", false},
		"embedded things":    {thingType, &labelled{&ref{"a"}, labels}, &labelled{&ref{"b"}, labels}, ".name", true},
		"an embedded thing":  {thingType, &labelled{&ref{"a"}, labels}, &labelled{&ref{"a"}, labels}, "", true},
		"convert themselves": {thingType, &document{`{"name":"a"}`}, &document{`{"name":"b"}`}, "", false},
	} {
		d, _, wrong, ok := Compare(c.n, reflect.ValueOf(c.left).Elem(), reflect.ValueOf(c.right).Elem(), engine.Valid)
		if ok != c.ok || wrong != nil {
			t.Errorf("%s: got %v, %v, want %v", name, ok, wrong, c.ok)
		}
		if ok && (d.Modified.String() != c.modified || !d.Added.Empty() || !d.Removed.Empty()) {
			t.Errorf("%s: got %+v, want %q", name, d, c.modified)
		}
	}
}

// mayFail has a ToUnstructuredWithError method, which may return an error.
type mayFail struct{ plain any }

func (d mayFail) MarshalJSON() ([]byte, error) { return json.Marshal(d.plain) }
func (d mayFail) ToUnstructuredWithError() (any, error) {
	if err, ok := d.plain.(error); ok {
		return nil, err
	}
	return d.plain, nil
}

// TestValidateStructForms validates structs with fields of all types and values. Validate
// must accept only valid structs, and must accept nearly all of them.
func TestValidateStructForms(t *testing.T) {
	text, number, truth := &graph.Node{Scalar: graph.String}, &graph.Node{Scalar: graph.Numeric}, &graph.Node{Scalar: graph.Boolean}
	anything := thingType.Map.Field("raw").Type
	listOf := func(item *graph.Node, relation graph.Relation) *graph.List {
		return &graph.List{Item: item, Relation: relation}
	}
	mapOf := func(elem *graph.Node, fields ...graph.Field) *graph.Map {
		m := graph.NewMap(fields, elem)
		m.Open = true
		return m
	}
	types := map[string]*graph.Node{
		"text": text, "number": number, "boolean": truth, "untyped": {Scalar: graph.Untyped}, "anything": anything,
		"map of texts": {Map: mapOf(text)}, "map of anything": {Map: mapOf(anything)},
		"map of anything with a text": {Map: mapOf(anything, graph.Field{Name: "a", Type: text})},
		"closed map":                  {Map: graph.NewMap([]graph.Field{{Name: "a", Type: anything}}, &graph.Node{})},
		"list of texts":               {List: listOf(text, graph.Atomic)}, "list of anything": {List: listOf(anything, graph.Atomic)},
		"set of texts": {List: listOf(text, graph.Associative)}, "set of anything": {List: listOf(anything, graph.Associative)},
		"all but sets of texts": {Scalar: graph.Untyped, List: listOf(text, graph.Associative), Map: mapOf(anything)},
		"all but lists":         {Scalar: graph.Untyped, Map: mapOf(anything)},
		"all but maps":          {Scalar: graph.Untyped, List: listOf(anything, graph.Atomic)},
		"all but a map of text": {Scalar: graph.Untyped, List: listOf(anything, graph.Atomic), Map: mapOf(anything, graph.Field{Name: "a", Type: number})},
		"all but scalars":       {List: listOf(anything, graph.Atomic), Map: mapOf(anything)},
	}
	for _, name := range []string{"all but sets of texts", "all but lists", "all but maps", "all but a map of text", "all but scalars"} {
		n := types[name]
		types["map of "+name], types["list of "+name] = &graph.Node{Map: mapOf(n)}, &graph.Node{List: listOf(n, graph.Atomic)}
	}
	values := []any{
		"", "a", true, int64(1), uint8(1), float32(1.5), []string{"a"}, []string{"a", "a"}, []any{"a", int64(1)}, map[string]string{"a": "b"},
		map[string]any{"a": "b", "c": []any{}}, map[string]any{"a": int64(1)}, struct{ A string }{"a"}, ptr(true), ptr(any("a")), (*bool)(nil), []byte("a"),
		map[string]int{"a": 1}, any(struct{}{}), []bool{true}, map[string][]string{"a": {"b", "b"}},
	}
	for _, plain := range []any{"a", "", true, int64(1), 1.5, nil, int32(1), []any{}, errors.New("no"), map[string]any{"a": "b"}} {
		values = append(values, mayFail{plain}, &mayFail{plain}, moment{plain}, &moment{plain})
	}
	for _, data := range []string{"", "null", `"a"`, "1", "true", "{}", `{"a":"b"}`, `{"a":1}`, `{"b":{"c":[]}}`, `["a"]`, `["a","a"]`, "[1]", `[["a","a"]]`, `[{"a":1}]`, `{"a":["b","b"]}`, "{", "fails"} {
		values = append(values, document{data}, &document{data})
	}
	sure := 0
	for name, n := range types {
		of := &graph.Node{Map: graph.NewMap([]graph.Field{{Name: "f", Type: n}}, &graph.Node{})}
		for _, v := range values {
			for _, tag := range []string{`json:"f"`, `json:"f,omitempty"`, `json:"f,omitzero"`} {
				for _, held := range []bool{false, true} {
					typ := reflect.TypeOf(v)
					if held {
						typ = reflect.TypeFor[any]()
					}
					x := reflect.New(reflect.StructOf([]reflect.StructField{{Name: "F", Type: typ, Tag: reflect.StructTag(tag)}})).Elem()
					x.Field(0).Set(reflect.ValueOf(v))
					facts, ok := Validate(of, x, false)
					var want engine.Facts
					why := func() (why any) {
						defer func() {
							if r := recover(); r != nil {
								why = r
							}
						}()
						v, err := value.NewValueReflect(x.Addr().Interface())
						if err != nil {
							return err
						}
						facts, found := engine.Validate(of, v.Unstructured(), false)
						if want = facts; found != nil {
							return found
						}
						return nil
					}()
					switch {
					case ok && (why != nil || facts != want&^engine.NoNulls):
						t.Errorf("%s, %T %+v, %s: valid, with facts %b, its plain form %b, %v", name, v, v, tag, facts, want, why)
					case ok:
						sure++
					}
				}
			}
		}
	}
	if sure < 2535 {
		t.Errorf("%d values are valid, there were 2535", sure)
	}
}

func ptr[T any](v T) *T { return &v }

// TestPlanOfFixedType checks that a struct that cannot be invalid needs no check.
func TestPlanOfFixedType(t *testing.T) {
	text := &graph.Node{Scalar: graph.String}
	labels := graph.NewMap(nil, text)
	labels.Open = true
	n := &graph.Node{Map: graph.NewMap([]graph.Field{
		{Name: "list", Type: &graph.Node{List: &graph.List{Item: text, Relation: graph.Atomic}}},
		{Name: "map", Type: &graph.Node{Map: labels}},
		{Name: "text", Type: text},
	}, &graph.Node{})}
	type fixed struct {
		Text *string           `json:"text"`
		List []string          `json:"list"`
		Map  map[string]amount `json:"map"`
	}
	if p := planFor(n, reflect.TypeFor[fixed]()); p.check != alwaysValid {
		t.Errorf("there is something to check: %+v", p)
	}
	type other struct {
		fixed
		Text int `json:"text"`
	}
	if p := planFor(n, reflect.TypeFor[other]()); p.check == alwaysValid {
		t.Error("a number for a text is not seen")
	}
}

func TestValidateStructAllocatesNothing(t *testing.T) {
	x := &thing{Name: "a", Ports: []port{{80, ""}, {81, ""}}, Refs: []*ref{{"a"}, {"b"}}, Marks: many(30), Raw: document{""}, Next: &thing{}}
	x.Raw = document{}
	v := reflect.ValueOf(x).Elem()
	if _, ok := Validate(thingType, v, false); !ok {
		t.Fatal("not valid")
	}
	if n := allocs.Least(func() { Validate(thingType, v, false) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestScanJSON checks that scanJSON accepts only JSON that package value can decode.
func TestScanJSON(t *testing.T) {
	for _, c := range []struct {
		data string
		kind byte
		ok   bool
	}{
		{`{}`, '{', true}, {`{"a":1, "b" : [true,false,null]}`, '{', true}, {`[]`, '[', true}, {`[ ]`, '[', true},
		{`"\u00e9\n\"x"`, '"', true}, {`-12.5`, '0', true}, {`0`, '0', true}, {`false`, 't', true}, {`null`, 'n', true},
		{``, 0, false}, {` 1`, 0, false}, {`1 `, 0, false}, {`01`, 0, false}, {`-`, 0, false}, {`1.`, 0, false}, {`1e5`, '0', true}, {`1e400`, 0, false},
		{`12345678901234567`, '0', true}, {`nul`, 0, false}, {`"a`, 0, false}, {"\"\n\"", 0, false}, {`"\x"`, 0, false}, {`"\u00g0"`, 0, false}, {`"\`, 0, false},
		{`{"a"}`, 0, false}, {`{"a":}`, 0, false}, {`{a:1}`, 0, false}, {`{"a":1,}`, 0, false}, {`[1,]`, 0, false}, {`[1`, 0, false}, {`{`, 0, false}, {`{} {}`, 0, false},
		{strings.Repeat("[", 400) + strings.Repeat("]", 400), '[', true},
		{strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000), '[', true},
		{strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001), 0, false},
	} {
		kind, ok := scanJSON([]byte(c.data))
		if ok != c.ok || ok && kind != c.kind {
			t.Errorf("%.40s: got %q, %v", c.data, kind, ok)
		}
	}
}

func FuzzSkim(f *testing.F) {
	for _, s := range []string{`{"a":[1,-2.5,"\u00e9\\",null]}`, `[{}, true]`, `"\ud800"`, "\"\xff\""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, ok := scanJSON(data); !ok {
			return
		}
		if !json.Valid(data) {
			t.Errorf("%q is no JSON", data)
		}
		if _, err := value.FromJSON(data); err != nil {
			t.Errorf("%q: %v", data, err)
		}
	})
}

// marshaledIntOrString has the memory layout and the conversion method of intOrString.
type marshaledIntOrString intOrString

func (a marshaledIntOrString) MarshalJSON() ([]byte, error) {
	switch a.Type {
	case 0:
		return json.Marshal(a.IntVal)
	case 1:
		return json.Marshal(a.StrVal)
	}
	return nil, errors.New("impossible")
}

// TestIntOrStringMemory checks that reading the memory of an IntOrString gives the same result
// as calling its conversion method.
func TestIntOrStringMemory(t *testing.T) {
	for _, scalar := range []graph.Scalar{graph.String, graph.Numeric, graph.Boolean, graph.Untyped} {
		p := planner{}.plan(site{reflect.TypeFor[marshaledIntOrString](), &graph.Node{Scalar: scalar}, true, false})
		if p.check != conversionCheck {
			t.Fatalf("%v: the plan is %v", scalar, p.check)
		}
		for _, v := range []marshaledIntOrString{{}, {Type: 1}, {0, -5, "x"}, {1, 5, "\"x\u2028\""}, {Type: 2}, {Type: -1}} {
			told, s := *p, structs{}
			told.form.intOrString = true
			if got, want := s.converts(&told, reflect.ValueOf(&v).UnsafePointer()), s.converts(p, reflect.ValueOf(&v).UnsafePointer()); got != want {
				t.Errorf("%v, %+v: got %v, want %v", scalar, v, got, want)
			}
		}
	}
}
