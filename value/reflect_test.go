// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

type name string

// kinds has a field for each type that has a plain form.
type kinds struct {
	Bool    bool              `json:"bool"`
	Int     int16             `json:"int"`
	Uint    uint32            `json:"uint"`
	Float   float32           `json:"float"`
	Name    name              `json:"name"`
	Bytes   []byte            `json:"bytes"`
	NoBytes []byte            `json:"noBytes"`
	List    []innermost       `json:"list"`
	NoList  []string          `json:"noList"`
	Map     map[name]*string  `json:"map"`
	NoMap   map[string]string `json:"noMap"`
	Struct  inner             `json:"struct"`
	Pointer *innermost        `json:"pointer"`
	Nil     *innermost        `json:"nil"`
	Any     any               `json:"any"`
	NoAny   any               `json:"noAny"`
	Raw     raw               `json:"raw"`
	Raws    []rawPointer      `json:"raws"`
	Direct  direct            `json:"direct"`
	ByPtr   *directPointer    `json:"byPtr"`
	Left    string            `json:"left,omitempty"`
}

func someKinds() *kinds {
	return &kinds{
		Bool: true, Int: -3, Uint: 4, Float: 1.5, Name: "n", Bytes: []byte("hi"),
		List:    []innermost{{1, 2, 3}},
		Map:     map[name]*string{"a": ptr("x"), "b": nil},
		Struct:  inner{Name: "s"},
		Pointer: &innermost{One: 1},
		Any: map[string]any{
			"int": int32(1), "list": []any{uint8(2), nil, []byte("x")}, "typed": map[string]int8{"k": 1},
			"nilMap": map[string]any(nil), "nilList": []any(nil), "struct": innermost{},
		},
		Raw:    raw{`{"n":1,"f":1.5}`},
		Raws:   []rawPointer{{`"x"`}},
		Direct: direct{[]any{int8(1), float32(0.5)}},
		ByPtr:  &directPointer{&innermost{Two: 2}},
	}
}

func plainKinds() map[string]any {
	numbers := func(a, b, c int64) map[string]any { return map[string]any{"one": a, "two": b, "three": c} }
	s := numbers(0, 0, 0)
	s["name"] = "s"
	return map[string]any{
		"bool": true, "int": int64(-3), "uint": int64(4), "float": 1.5, "name": "n", "bytes": "aGk=", "noBytes": nil,
		"list": []any{numbers(1, 2, 3)}, "noList": nil,
		"map": map[string]any{"a": "x", "b": nil}, "noMap": nil,
		"struct": s, "pointer": numbers(1, 0, 0), "nil": nil,
		"any": map[string]any{
			"int": int64(1), "list": []any{int64(2), nil, "eA=="}, "typed": map[string]any{"k": int64(1)},
			"nilMap": nil, "nilList": nil, "struct": numbers(0, 0, 0),
		},
		"noAny": nil,
		"raw":   map[string]any{"n": int64(1), "f": 1.5},
		"raws":  []any{"x"}, "direct": []any{int64(1), 0.5}, "byPtr": numbers(0, 2, 0),
	}
}

func TestNewValueReflectUnstructured(t *testing.T) {
	v := reflected(t, someKinds())
	wantDeepEqual(t, v.Unstructured(), plainKinds())
	a, b := v.Unstructured().(map[string]any), v.Unstructured().(map[string]any)
	a["any"].(map[string]any)["int"] = "changed"
	wantDeepEqual(t, b, plainKinds())

	// The plain form must be the same data as the output of encoding/json.
	data, err := json.Marshal(someKinds().Struct)
	if err != nil {
		t.Fatal(err)
	}
	want, err := decode(data)
	if err != nil {
		t.Fatal(err)
	}
	wantDeepEqual(t, reflected(t, &someKinds().Struct).Unstructured(), want)
}

// rebuild converts a value to plain data, using only its methods.
func rebuild(v Value) any {
	switch {
	case v.IsMap():
		m := map[string]any{}
		v.AsMap().Iterate(func(k string, v Value) bool {
			m[k] = rebuild(v)
			return true
		})
		return m
	case v.IsList():
		l := []any{}
		for r := v.AsListUsing(nil).RangeUsing(nil); r.Next(); {
			_, item := r.Item()
			l = append(l, rebuild(item))
		}
		return l
	case v.IsString():
		return v.AsString()
	case v.IsBool():
		return v.AsBool()
	case v.IsInt():
		return v.AsInt()
	case v.IsFloat():
		return v.AsFloat()
	case v.IsNull():
		return nil
	}
	panic("undefined")
}

func TestNewValueReflectMethods(t *testing.T) {
	k := someKinds()
	v := reflected(t, k)
	wantDeepEqual(t, rebuild(v), plainKinds())
	m := v.AsMapUsing(nil)
	if m.Length() != len(plainKinds()) || m.Empty() {
		t.Errorf("%d entries", m.Length())
	}
	var keys []string
	m.IterateUsing(nil, func(key string, _ Value) bool {
		keys = append(keys, key)
		got, ok := m.GetUsing(nil, key)
		if !ok || !m.Has(key) {
			t.Errorf("%s is missing", key)
		}
		wantDeepEqual(t, rebuild(got), plainKinds()[key])
		return true
	})
	if !slices.IsSorted(keys) {
		t.Errorf("fields are not in order: %v", keys)
	}
	for _, key := range []string{"left", "none"} {
		if v, ok := m.Get(key); ok || v != nil || m.Has(key) {
			t.Errorf("%s is there", key)
		}
	}
	list, _ := m.Get("list")
	if list.AsList().Length() != 1 || list.AsList().AtUsing(nil, 0).AsMap().Length() != 3 {
		t.Error("list")
	}
	goMap, _ := m.Get("map")
	if none := reflected(t, &map[string]int{}).AsMap(); goMap.AsMap().Empty() || !none.Empty() || none.Length() != 0 {
		t.Error("Empty")
	}
	if a, ok := goMap.AsMap().Get("a"); !ok || a.AsString() != "x" || !goMap.AsMap().Has("b") || goMap.AsMap().Has("c") {
		t.Error("map")
	}
	n := 0
	if m.Iterate(func(string, Value) bool { n++; return false }) || goMap.AsMap().Iterate(func(string, Value) bool { n++; return false }) || n != 2 {
		t.Error("Iterate does not stop")
	}
}

func TestNewValueReflectEquals(t *testing.T) {
	v, w := reflected(t, someKinds()), reflected(t, someKinds())
	plain := NewValueInterface(plainKinds())
	for name, pair := range map[string][2]Value{
		"same type": {v, w}, "plain": {v, plain}, "plain first": {plain, v}, "opaque": {v, opaque{w}}, "opaque first": {opaque{plain}, v},
	} {
		if !Equals(pair[0], pair[1]) || Compare(pair[0], pair[1]) != 0 {
			t.Errorf("%s: not equal", name)
		}
	}
	for name, change := range map[string]func(*kinds){
		"scalar":    func(k *kinds) { k.Int = 9 },
		"left":      func(k *kinds) { k.Left = "x" },
		"list":      func(k *kinds) { k.List[0].Two = 9 },
		"no list":   func(k *kinds) { k.List = nil },
		"map":       func(k *kinds) { k.Map["c"] = nil },
		"map value": func(k *kinds) { k.Map["b"] = ptr("") },
		"pointer":   func(k *kinds) { k.Pointer.One = 9 },
		"any":       func(k *kinds) { k.Any = 1 },
	} {
		k := someKinds()
		change(k)
		x := reflected(t, k)
		for _, other := range []Value{v, plain} {
			if Equals(x, other) || Equals(other, x) || Compare(x, other) == 0 || Compare(x, other) != -Compare(other, x) {
				t.Errorf("%s: equal", name)
			}
		}
		if c := CompareUnstructured(x.Unstructured(), plainKinds()); Compare(x, plain) != c || Compare(x, v) != c {
			t.Errorf("%s: order", name)
		}
	}
}

func TestNewValueReflectZip(t *testing.T) {
	type s struct {
		A, B, C string `json:",omitempty"`
	}
	type other s
	for _, tc := range []struct {
		name string
		r    any
	}{
		{"same type", &s{B: "b", C: "c"}},
		{"other type", &other{B: "b", C: "c"}},
		{"map", &map[string]string{"B": "b", "C": "c"}},
	} {
		l, r := reflected(t, &s{A: "a", B: "b"}).AsMap(), reflected(t, tc.r).AsMap()
		var got []string
		if !l.ZipUsing(nil, r, LexicalKeyOrder, func(key string, l, r Value) bool {
			got = append(got, fmt.Sprint(key, l != nil, r != nil))
			return true
		}) {
			t.Error("stopped")
		}
		wantDeepEqual(t, got, []string{"Atrue false", "Btrue true", "Cfalse true"})
		n := 0
		if r.ZipUsing(nil, l, Unordered, func(string, Value, Value) bool { n++; return false }) || n != 1 {
			t.Error("does not stop")
		}
	}
}

func TestNewValueReflectSet(t *testing.T) {
	k := someKinds()
	m := reflected(t, k).AsMap()
	m.Set("bool", NewValueInterface(false))
	m.Set("any", NewValueInterface("now a string"))
	m.Delete("pointer")
	goMap, _ := m.Get("map")
	goMap.AsMap().Delete("a")
	list, _ := m.Get("list")
	list.AsList().At(0).AsMap().Set("two", NewValueInterface(9))
	st, _ := m.Get("struct")
	st.AsMap().Delete("name")
	if k.Bool || k.Any != "now a string" || k.Pointer != nil || len(k.Map) != 1 || k.List[0].Two != 9 || k.Struct.Name != "" {
		t.Errorf("%+v", k)
	}

	inMap := map[string]inner{"a": {Name: "x"}}
	a, _ := reflected(t, &inMap).AsMap().Get("a")
	a.AsMap().Set("one", NewValueInterface(1))
	wantDeepEqual(t, inMap, map[string]inner{"a": {innermost: innermost{One: 1}}})

	strings := map[string]string{}
	reflected(t, &strings).AsMap().Set("k", NewValueInterface("v"))
	wantDeepEqual(t, strings, map[string]string{"k": "v"})
}

func TestNewValueReflectNull(t *testing.T) {
	for _, in := range []any{nil, (*kinds)(nil), new(*kinds), new(any), new([]string), new(map[string]string), &raw{"null"}, &direct{}, new(chan int)} {
		v := reflected(t, in)
		if !v.IsNull() || v.Unstructured() != nil || !Equals(v, NewValueInterface(nil)) {
			t.Errorf("%#v is not null", in)
		}
	}
}

func TestNewValueReflectErrors(t *testing.T) {
	for _, tc := range []struct {
		in   any
		want string
	}{
		{kinds{}, "value provided to NewValueReflect must be a pointer"},
		{map[string]string{}, "value provided to NewValueReflect must be a pointer"},
		{&bothMethods{}, "no plain form"},
		{&raw{"{"}, "error decoding object from json: unexpected EOF"},
	} {
		if v, err := NewValueReflect(tc.in); err == nil || err.Error() != tc.want || v != nil {
			t.Errorf("%#v: got %v, want %s", tc.in, err, tc.want)
		}
	}
}

func TestNewValueReflectPanics(t *testing.T) {
	type ring struct {
		Next *ring `json:"next"`
	}
	r := &ring{}
	r.Next = r
	field := func(in any) func() {
		return func() { reflected(t, in).AsMap().Iterate(func(string, Value) bool { return true }) }
	}
	plain := func(in any) func() { return func() { reflected(t, in).Unstructured() } }
	for _, tc := range []struct {
		name string
		f    func()
		want string
	}{
		{"uint64", plain(new(uint64)), "unsupported type: uint64"},
		{"uint64 field", plain(&struct{ U uint64 }{}), "unsupported type: uint64"},
		{"array", field(&struct{ A [1]int }{}), "unsupported type: [1]int"},
		{"pointer to a pointer", plain(&struct{ P **int }{ptr(new(int))}), "unsupported type: *int"},
		{"pointer in an interface", plain(&struct{ P any }{&struct{}{}}), "unsupported type: *struct {}"},
		{"channel", plain(&struct{ C chan int }{make(chan int)}), "unsupported type: chan int"},
		{"channel, empty or not", plain(&struct {
			C chan int `json:",omitempty"`
		}{make(chan int)}), "unsupported type: chan int"},
		{"conversion fails", plain(&struct{ B bothMethods }{}), "no plain form"},
		{"conversion by pointer in a map", plain(&map[string]rawPointer{"a": {}}), "provided type cannot be converted: value.rawPointer"},
		{"ring", plain(r), "exceeded max depth of 10000"},
		{"ring, compared", func() { Equals(reflected(t, r), reflected(t, r)) }, "exceeded max depth of 10000"},
		{"ring of maps", func() {
			type loop map[string]loop
			l := loop{}
			l["next"] = l
			v := reflected(t, &l)
			for range maxDepth + 1 {
				v, _ = v.AsMap().Get("next")
			}
		}, "exceeded max depth of 10000"},
		{"string as map", func() { reflected(t, new(string)).AsMap() }, "value is not a map or struct"},
		{"string as list", func() { reflected(t, new(string)).AsList() }, "value is not a list"},
		{"string as bool", func() { reflected(t, new(string)).AsBool() }, "value is not a bool"},
		{"string as int", func() { reflected(t, new(string)).AsInt() }, "value is not an int"},
		{"string as float", func() { reflected(t, new(string)).AsFloat() }, "value is not a float"},
		{"int as string", func() { reflected(t, new(int)).AsString() }, "value is not a string"},
		{"item too early", func() { reflected(t, &[]int{1}).AsList().Range().Item() }, "Item() called before first calling Next()"},
		{"item too late", func() {
			r := reflected(t, &[]int{1}).AsList().Range()
			r.Next()
			r.Next()
			r.Item()
		}, "Item() called on ListRange with no more items"},
		{"set no field", func() { reflected(t, &innermost{}).AsMap().Set("four", NewValueInterface(1)) },
			"key four may not be set on struct value.innermost: field does not exist"},
		{"delete no field", func() { reflected(t, &innermost{}).AsMap().Delete("four") },
			"key four may not be deleted on struct value.innermost: field does not exist"},
		{"delete a field that stays", func() { reflected(t, &innermost{}).AsMap().Delete("one") },
			"key one may not be deleted on struct: value.innermost: value is neither a pointer nor an omitempty field"},
		{"set what is not addressable", func() {
			v, _ := reflected(t, &struct{ A any }{innermost{}}).AsMap().Get("A")
			v.AsMap().Set("one", NewValueInterface(1))
		}, "key one may not be modified on struct: value.innermost: struct is not settable"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := panicOf(tc.f); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestNewValueReflectDeep(t *testing.T) {
	type chain struct {
		Next *chain `json:"next,omitempty"`
	}
	build := func(n int) Value {
		c := &chain{}
		for range n {
			c = &chain{c}
		}
		return reflected(t, c)
	}
	a, b := build(maxDepth-1), build(maxDepth-1)
	if !Equals(a, b) || !EqualUnstructured(a.Unstructured(), b.Unstructured()) {
		t.Error("not equal")
	}
}

// TestNewValueReflectDepth checks that Go data and documents have the same depth limit.
func TestNewValueReflectDepth(t *testing.T) {
	type chain struct {
		Next *chain `json:"next,omitempty"`
	}
	type lists []lists
	type mappings map[string]mappings
	for name, levels := range map[string]func(n int) any{
		"structs": func(n int) any {
			c := &chain{}
			for range n - 1 {
				c = &chain{c}
			}
			return c
		},
		"lists": func(n int) any {
			l := lists{}
			for range n - 1 {
				l = lists{l}
			}
			return &l
		},
		"maps": func(n int) any {
			m := mappings{}
			for range n - 1 {
				m = mappings{"k": m}
			}
			return &m
		},
		"plain data": func(n int) any { return &struct{ A any }{nested(n - 1)} },
	} {
		for n, want := range map[int]string{maxDepth: "", maxDepth + 1: "exceeded max depth of 10000"} {
			v := reflected(t, levels(n))
			if got := panicOf(func() { v.Unstructured() }); got != want {
				t.Errorf("%s, %d levels: got %q, want %q", name, n, got, want)
			}
		}
	}
	v := []any{1}
	for range maxDepth - 1 {
		v = []any{v}
	}
	leaf := reflected(t, &v)
	for range maxDepth {
		leaf = leaf.AsList().At(0)
	}
	if leaf.AsInt() != 1 {
		t.Error("not the leaf")
	}
}

func TestNewValueReflectPrints(t *testing.T) {
	v := reflected(t, &struct{ A int }{1})
	a, _ := v.AsMap().Get("A")
	if got := fmt.Sprintf("%v %v", v, a); got != "&{<nil> <nil> <struct { A int } Value> 1} &{<nil> <nil> <int Value> 3}" {
		t.Error(got)
	}
	if got := fmt.Sprintf("%#v", a); !strings.HasPrefix(got, "&value.valueReflect{ParentMap:(*reflect.Value)(nil)") {
		t.Error(got)
	}
}
