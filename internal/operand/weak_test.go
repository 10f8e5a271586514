// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package operand

import (
	"reflect"
	"runtime"
	"sync"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/value"
)

type port struct {
	Port int64 `json:"port"`
}

// object has an atomic list, which is one leaf.
type object struct {
	Name  string `json:"name"`
	Ports []port `json:"ports"`
}

func manyPorts() *object {
	o := &object{Name: "x"}
	for i := range 100 {
		o.Ports = append(o.Ports, port{int64(i)})
	}
	return o
}

// valuesOf returns a function that creates and validates a Value. All these values have the
// same type, which is a map with a name and an atomic list of ports.
func valuesOf(t *testing.T) func(v value.Value) *Value {
	str, num, name := schema.String, schema.Numeric, "object"
	fields := func(f ...schema.StructField) schema.Atom { return schema.Atom{Map: &schema.Map{Fields: f}} }
	s := &schema.Schema{Types: []schema.TypeDef{{Name: name, Atom: fields(
		schema.StructField{Name: "name", Type: schema.TypeRef{Inlined: schema.Atom{Scalar: &str}}},
		schema.StructField{Name: "ports", Type: schema.TypeRef{Inlined: schema.Atom{List: &schema.List{
			ElementRelationship: schema.Atomic,
			ElementType:         schema.TypeRef{Inlined: fields(schema.StructField{Name: "port", Type: schema.TypeRef{Inlined: schema.Atom{Scalar: &num}}})},
		}}}},
	)}}}
	return func(v value.Value) *Value {
		o := New(v, s, schema.TypeRef{NamedType: &name})
		if findings := o.Validate(false); findings != nil {
			t.Fatal(findings)
		}
		return o
	}
}

func reflectOf(t *testing.T, v any) value.Value {
	r, err := value.NewValueReflect(v)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestPlainIsHeldWeakly lets the garbage collector free the plain data of a Go struct between
// operations. Each operation must return the same result after the struct is converted again.
func TestPlainIsHeldWeakly(t *testing.T) {
	of := valuesOf(t)
	plain := map[string]any{"name": "x", "ports": reflectOf(t, &manyPorts().Ports).Unstructured()}
	want, findings := of(value.NewValueInterface(plain)).FieldSet(nil)
	if findings != nil {
		t.Fatal(findings)
	}
	o := of(reflectOf(t, manyPorts()))
	operations := []func(){
		func() {
			if set, findings := o.FieldSet(nil); findings != nil || !set.Equals(want) {
				t.Errorf("field set %v, %v, want %v", set, findings, want)
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
			other := manyPorts()
			other.Name = "y"
			if d, findings := o.Compare(of(reflectOf(t, other))); findings != nil || d.Modified.String() != ".name" || d.Added.Size()+d.Removed.Size() != 0 {
				t.Errorf("compared %v, %v", d, findings)
			}
		},
		func() {
			out, findings := o.Merge(of(value.NewValueInterface(map[string]any{"name": "z"})))
			if findings != nil {
				t.Fatal(findings)
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
		if o.memo.existingPlain() != nil {
			t.Fatalf("after operation %d, the plain data of the struct is still referenced", i)
		}
		operations[i%len(operations)]()
	}
}

// TestPlainIsReadConcurrently reads one Go struct in many goroutines while the garbage
// collector frees its plain data. Run it with -race.
func TestPlainIsReadConcurrently(t *testing.T) {
	of := valuesOf(t)
	o, other := of(reflectOf(t, manyPorts())), of(reflectOf(t, manyPorts()))
	want := map[string]any{"name": "x", "ports": reflectOf(t, &manyPorts().Ports).Unstructured()}
	reads := []func(){
		func() {
			if _, tree, ok := o.Plain(); !ok || !reflect.DeepEqual(tree, want) {
				t.Errorf("plain %v", tree)
			}
		},
		func() {
			if _, tree, _, ok := o.Branches(); !ok || tree.(map[string]any)["name"] != "x" {
				t.Errorf("branches %v", tree)
			}
		},
		func() {
			if tree, ok := o.BranchesIfMade(); ok && tree.(map[string]any)["name"] != "x" {
				t.Errorf("branches %v", tree)
			}
		},
		func() {
			if !o.Equal(other) {
				t.Error("the two values are not equal")
			}
		},
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Add(1)
		go func() {
			defer all.Done()
			for j := range 200 {
				reads[(i+j)%len(reads)]()
				if j%10 == i {
					runtime.GC()
				}
			}
		}()
	}
	all.Wait()
}

// TestWritableKeepsChanges checks that the results of Writable and WithoutGivenUp are
// complete. If a caller changes a result, the change must stay.
func TestWritableKeepsChanges(t *testing.T) {
	of := valuesOf(t)
	merged, changed, findings := of(reflectOf(t, manyPorts())).Overlay(of(value.NewValueInterface(map[string]any{"name": "y"})))
	if findings != nil || !changed {
		t.Fatal(changed, findings)
	}
	if merged.memo.facts.Load()&branchesOnly == 0 {
		t.Fatal("the list is converted already, so nothing is tested")
	}
	for what, out := range map[string]*Value{"writable": merged.Writable(), "given up": merged.WithoutGivenUp(fieldpath.NewSet(fieldpath.MakePathOrDie("name")))} {
		if out.memo.facts.Load()&branchesOnly != 0 {
			t.Errorf("%s: the list is not converted", what)
		}
		out.AsValue().Unstructured().(map[string]any)["more"] = what
		runtime.GC()
		if got := out.AsValue().Unstructured().(map[string]any)["more"]; got != what {
			t.Errorf("%s: got %v, want the value that was written", what, got)
		}
	}
}
