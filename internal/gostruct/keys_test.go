// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package gostruct

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"reflect"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/internal/engine"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/value"
)

// TestValidateStructKeys validates items of many Go types in lists of many kinds. If Validate
// accepts a struct, the engine must accept its plain data with the same facts. Validate must
// accept all valid items whose keys it can read.
func TestValidateStructKeys(t *testing.T) {
	type (
		short struct {
			N int8   `json:"n"`
			S string `json:"s"`
		}
		omitted struct {
			N int16  `json:"n,omitempty"`
			S string `json:"s,omitempty"`
		}
		behind struct {
			_ [3]byte
			S string `json:"s,omitempty"`
			N int64  `json:"n"`
		}
		no struct {
			S string `json:"s"`
		}
		text struct {
			N string `json:"n"`
			S string `json:"s,omitempty"`
		}
		shared struct {
			short
			X bool `json:"x"`
		}
		pointing struct {
			N *int32 `json:"n"`
			S string `json:"s"`
		}
	)
	types := []struct {
		in    any
		known bool // true if Validate can read the keys
	}{
		{new([]short), true}, {new([]*short), true}, {new([]omitted), true}, {new([]*omitted), true}, {new([]behind), true},
		{new([]shared), true}, {new([]no), true}, {new([]*no), true}, {new([]text), false}, {new([]pointing), false},
	}
	defaults := []any{nil, int64(2), 2, 2.0, 2.5, "2", true}
	r := rand.New(rand.NewSource(1))
	sure := map[string]int{}
	for range 6000 {
		of := types[r.Intn(len(types))]
		def := defaults[r.Intn(len(defaults))]
		keys := []graph.Key{{Name: "n", IfMissing: def, ZeroIsMissing: r.Intn(3) == 0}, {Name: "s", ZeroIsMissing: r.Intn(3) == 0}}
		if r.Intn(3) == 0 {
			keys[1].IfMissing = "b"
		}
		if r.Intn(3) == 0 {
			keys = keys[:1]
		}
		list := &graph.List{Relation: graph.Associative, Keys: keys, Strict: r.Intn(2) == 0, Item: &graph.Node{Map: graph.NewMap([]graph.Field{
			{Name: "n", Type: &graph.Node{Scalar: graph.Untyped}},
			{Name: "s", Type: &graph.Node{Scalar: graph.String}},
			{Name: "x", Type: &graph.Node{Scalar: graph.Boolean}},
		}, &graph.Node{})}}
		for _, k := range keys {
			list.KeyNames = append(list.KeyNames, k.Name)
		}
		n := &graph.Node{Map: graph.NewMap([]graph.Field{{Name: "list", Type: &graph.Node{List: list}}}, &graph.Node{})}
		object := reflect.New(reflect.StructOf([]reflect.StructField{{Name: "List", Type: reflect.TypeOf(of.in).Elem(), Tag: `json:"list"`}})).Elem()
		items := object.Field(0)
		size := r.Intn(5)
		switch r.Intn(5) {
		case 0:
			size = fewPairs - 1 + r.Intn(3)
		case 1:
			size = fewItems - 1 + r.Intn(20)
		}
		items.Set(reflect.MakeSlice(items.Type(), size, size))
		for i := range size {
			item := items.Index(i)
			if item.Kind() == reflect.Pointer {
				if r.Intn(100) == 0 {
					continue
				}
				item.Set(reflect.New(item.Type().Elem()))
				item = item.Elem()
			}
			if f := item.FieldByName("N"); f.IsValid() && f.CanInt() {
				f.SetInt(int64(i - r.Intn(3)*r.Intn(2)))
			}
			f := item.FieldByName("S")
			f.SetString(string(rune('a' + i)))
			if r.Intn(4) == 0 {
				f.SetString([]string{"", "b", "c"}[r.Intn(3)])
			}
		}
		allowed := r.Intn(2) == 0
		facts, ok := Validate(n, object, allowed)
		v, err := value.NewValueReflect(object.Addr().Interface())
		if err != nil {
			t.Fatal(err)
		}
		plain := v.Unstructured()
		want, wrong := engine.Validate(n, plain, allowed)
		if ok && (wrong != nil || facts != want&^engine.NoNulls) {
			t.Fatalf("%v of keys %+v, duplicates allowed: %v: got %b, for its plain form %b, %v", plain, keys, allowed, facts, want, wrong)
		}
		comparable := def != 2.5 && def != true && (def != "2" || items.Type() == reflect.TypeFor[[]no]() || items.Type() == reflect.TypeFor[[]*no]())
		if wrong == nil && of.known && comparable && !ok {
			t.Fatalf("%v in %T of keys %+v, duplicates allowed: %v: not told to be valid", plain, object.Interface(), keys, allowed)
		}
		sure[fmt.Sprint(ok)]++
	}
	if sure["true"] < 1000 || sure["false"] < 1000 {
		t.Errorf("told to be valid: %v", sure)
	}
}

type (
	// small is a string type that is serialised in lower case.
	small string
	// dashed and dashedAt have an IsZero method that returns true for "-". The method of
	// dashedAt has a pointer receiver.
	dashed   string
	dashedAt string
	// hidden and hiddenAt have an IsZero method that always returns true. The method of
	// hiddenAt has a pointer receiver.
	hidden   []string
	hiddenAt []string
)

func (s small) MarshalJSON() ([]byte, error) { return json.Marshal(strings.ToLower(string(s))) }
func (s dashed) IsZero() bool                { return s == "-" }
func (s *dashedAt) IsZero() bool             { return *s == "-" }
func (hidden) IsZero() bool                  { return true }
func (*hiddenAt) IsZero() bool               { return true }

// TestValidateStructKeysAsWritten checks that items are identified by the serialised form of
// their keys.
func TestValidateStructKeysAsWritten(t *testing.T) {
	text, untyped := &graph.Node{Scalar: graph.String}, &graph.Node{Scalar: graph.Untyped}
	set := &graph.Node{List: &graph.List{Relation: graph.Associative, Item: untyped}}
	keyed := &graph.Node{List: &graph.List{Relation: graph.Associative, Keys: []graph.Key{{Name: "k"}}, KeyNames: []string{"k"},
		Item: &graph.Node{Map: graph.NewMap([]graph.Field{{Name: "k", Type: text}}, &graph.Node{})}}}
	type (
		item struct {
			K string `json:"k"`
		}
		conversionCheck struct {
			K small `json:"k"`
		}
		leaving struct {
			K dashed `json:"k,omitzero"`
		}
		leavingAt struct {
			K dashedAt `json:"k,omitzero"`
		}
	)
	for name, c := range map[string]struct {
		n      *graph.Node
		object any
		sure   bool
	}{
		"other keys":        {keyed, &struct{ List []item }{[]item{{"a"}, {"A"}}}, true},
		"converted keys":    {keyed, &struct{ List []conversionCheck }{[]conversionCheck{{"a"}, {"A"}}}, false},
		"keys left out":     {keyed, &struct{ List []leaving }{[]leaving{{"a"}, {"-"}}}, false},
		"keys left out, at": {keyed, &struct{ List []leavingAt }{[]leavingAt{{"a"}, {"-"}}}, false},
		"numbers":           {set, &struct{ List []int }{[]int{1, 2}}, true},
		"a number twice":    {set, &struct{ List []int }{[]int{1, 2, 1}}, false},
		"floats":            {set, &struct{ List []float64 }{[]float64{1.5, 2, 1.5}}, false},
		"booleans":          {set, &struct{ List []bool }{[]bool{true, false, true}}, false},
		"left out": {set, &struct {
			_    struct{}
			List hidden `json:",omitzero"`
		}{List: hidden{"a", "a"}}, true},
		"left out, at": {set, &struct {
			List hiddenAt `json:",omitzero"`
		}{List: hiddenAt{"a", "a"}}, true},
	} {
		n := &graph.Node{Map: graph.NewMap([]graph.Field{{Name: "List", Type: c.n}}, &graph.Node{})}
		facts, ok := Validate(n, reflect.ValueOf(c.object).Elem(), false)
		if ok != c.sure {
			t.Errorf("%s: told to be valid: %v, want %v", name, ok, c.sure)
		}
		v, err := value.NewValueReflect(c.object)
		if err != nil {
			t.Fatal(err)
		}
		want, wrong := engine.Validate(n, v.Unstructured(), false)
		if (wrong == nil) != c.sure || ok && facts != want&^engine.NoNulls {
			t.Errorf("%s: got %b, for its plain form %b, %v", name, facts, want, wrong)
		}
	}
}
