// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package operand

import (
	"reflect"
	"runtime"
	"testing"

	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/value"
)

// What was made of a Go struct goes when nobody has it any more, between operations that
// have seen it, and they say the same when it is made anew.
func TestPlainIsHeldWeakly(t *testing.T) {
	type port struct {
		Port int64 `json:"port"`
	}
	type object struct {
		Name  string `json:"name"`
		Ports []port `json:"ports"`
	}
	name, list := "object", schema.Atomic
	str, num := schema.String, schema.Numeric
	s := &schema.Schema{Types: []schema.TypeDef{{Name: name, Atom: schema.Atom{Map: &schema.Map{Fields: []schema.StructField{
		{Name: "name", Type: schema.TypeRef{Inlined: schema.Atom{Scalar: &str}}},
		{Name: "ports", Type: schema.TypeRef{Inlined: schema.Atom{List: &schema.List{
			ElementRelationship: list,
			ElementType:         schema.TypeRef{Inlined: schema.Atom{Map: &schema.Map{Fields: []schema.StructField{{Name: "port", Type: schema.TypeRef{Inlined: schema.Atom{Scalar: &num}}}}}}}}}}},
	}}}}}}
	of := func(v any) *Value {
		r, err := value.NewValueReflect(v)
		if err != nil {
			t.Fatal(err)
		}
		o := New(r, s, schema.TypeRef{NamedType: &name})
		if found := o.Validate(false); found != nil {
			t.Fatal(found)
		}
		return o
	}
	var wide object
	wide.Name = "x"
	for i := range 100 {
		wide.Ports = append(wide.Ports, port{int64(i)})
	}
	plain := map[string]any{"name": "x", "ports": mustPlain(t, &wide.Ports)}
	want, found := New(value.NewValueInterface(plain), s, schema.TypeRef{NamedType: &name}).FieldSet(nil)
	if found != nil {
		t.Fatal(found)
	}
	o := of(&wide)
	operations := []func(){
		func() {
			if set, found := o.FieldSet(nil); found != nil || !set.Equals(want) {
				t.Errorf("field set %v, %v, want %v", set, found, want)
			}
		},
		func() {
			if _, tree, ok := o.Plain(); !ok || !reflect.DeepEqual(tree, plain) {
				t.Errorf("plain %v", tree)
			}
		},
		func() {
			if _, tree, only, ok := o.Branches(); !ok || !only && !reflect.DeepEqual(tree, plain) || only && !data.EqualBranches(tree, plain) {
				t.Errorf("branches %v", tree)
			}
		},
		func() {
			other := wide
			other.Name = "y"
			if d, found := o.Compare(of(&other)); found != nil || d.Modified.String() != ".name" || d.Added.Size()+d.Removed.Size() != 0 {
				t.Errorf("compared %v, %v", d, found)
			}
		},
		func() {
			config := New(value.NewValueInterface(map[string]any{"name": "z"}), s, schema.TypeRef{NamedType: &name})
			out, found := o.Merge(config)
			if found != nil {
				t.Fatal(found)
			}
			merged := map[string]any{"name": "z", "ports": plain["ports"]}
			if _, tree, _ := out.Plain(); !reflect.DeepEqual(tree, merged) {
				t.Errorf("merged %v", tree)
			}
		},
	}
	for i := range 50 {
		operations[i*7%len(operations)]()
		if i%3 != 0 {
			continue
		}
		runtime.GC()
		if o.memo.madePlain() != nil {
			t.Fatalf("after operation %d, something holds what was made of the struct", i)
		}
		operations[i%len(operations)]()
	}
}

func mustPlain(t *testing.T, v any) any {
	r, err := value.NewValueReflect(v)
	if err != nil {
		t.Fatal(err)
	}
	return r.Unstructured()
}
