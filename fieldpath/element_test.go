// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"cmp"
	"math"
	"reflect"
	"testing"

	"github.com/dovetail-ssa/dovetail/value"
)

func TestElementOrder(t *testing.T) {
	ordered := []PathElement{
		FieldNameElement(""),
		FieldNameElement("a"),
		FieldNameElement("aa"),
		FieldNameElement("b"),
		KeyElement(),
		KeyElementByFields("a", 1),
		KeyElementByFields("a", 1.5),
		KeyElementByFields("a", 1.5, "b", 1),
		KeyElementByFields("a", 2),
		KeyElementByFields("a", "1"),
		KeyElementByFields("b", 0),
		ValueElement(v(int64(-1))),
		ValueElement(v(0.5)),
		ValueElement(v(1)),
		ValueElement(v("")),
		ValueElement(v("a")),
		ValueElement(v(false)),
		ValueElement(v(true)),
		ValueElement(v([]any{1})),
		ValueElement(v(map[string]any{"a": 1})),
		ValueElement(v(nil)),
		IndexElement(-1),
		IndexElement(2),
		IndexElement(10),
		{},
	}
	for i, x := range ordered {
		for j, y := range ordered {
			want := cmp.Compare(i, j)
			if got := x.Compare(y); got != want {
				t.Errorf("%v.Compare(%v) = %d, want %d", x, y, got, want)
			}
			if x.Less(y) != (want < 0) || x.Equals(y) != (want == 0) {
				t.Errorf("%v and %v: Less or Equals disagrees with Compare", x, y)
			}
		}
	}
}

func TestElementNumbers(t *testing.T) {
	x, y := ValueElement(v(int64(1))), ValueElement(v(1.0))
	if !x.Equals(y) || x.Compare(y) != 0 {
		t.Error("1 and 1.0 differ")
	}
	if interchangeable(&x, &y) {
		t.Error("1 and 1.0 have the same JSON")
	}
	x, y = ValueElement(v(0.0)), ValueElement(v(math.Copysign(0, -1)))
	if !x.Equals(y) || interchangeable(&x, &y) {
		t.Error("0 and -0: want equal, but not interchangeable")
	}
}

func TestElementString(t *testing.T) {
	for _, c := range []struct {
		pe   PathElement
		want string
	}{
		{FieldNameElement("spec"), ".spec"},
		{KeyElementByFields("b", 1, "a", "x\"y"), `[a="x\"y",b=1]`},
		{KeyElementByFields("a", nil, "b", true), "[a=null,b=true]"},
		{KeyElement(), "[]"},
		{ValueElement(v("é")), `[="é"]`},
		{ValueElement(v(1e6)), "[=1e+06]"},
		{IndexElement(-3), "[-3]"},
		{PathElement{}, "{{invalid path element}}"},
	} {
		if got := c.pe.String(); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

func TestElementCopy(t *testing.T) {
	key := KeyElementByFields("a", 1)
	dup := key.Copy()
	(*dup.Key)[0].Name = "b"
	if (*key.Key)[0].Name != "a" {
		t.Error("a copy shares its key fields")
	}
	for _, pe := range []PathElement{{}, FieldNameElement("a"), ValueElement(v(1)), IndexElement(1), KeyElement(), key} {
		if !pe.Copy().Equals(pe) {
			t.Errorf("copy of %v is %v", pe, pe.Copy())
		}
	}
}

func TestKeyByFields(t *testing.T) {
	got := *KeyByFields("b", 1, "a", 2, "c", 3)
	want := value.FieldList{{Name: "a", Value: v(2)}, {Name: "b", Value: v(1)}, {Name: "c", Value: v(3)}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for _, bad := range [][]any{{"a"}, {1, "a"}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("KeyByFields(%v) does not panic", bad)
				}
			}()
			KeyByFields(bad...)
		}()
	}
}

func TestElementMaps(t *testing.T) {
	values := MakePathElementValueMap(0)
	all := PathElementMap{}
	for _, i := range []int{3, 1, 2, 1} {
		values.Insert(IndexElement(i), v(i*10))
		all.Insert(IndexElement(i), i*10)
	}
	for i := range 5 {
		got, ok := values.Get(IndexElement(i))
		if want := i >= 1 && i <= 3; ok != want || ok && got.AsInt() != int64(i*10) {
			t.Errorf("value of %d: %v, %v", i, got, ok)
		}
		if x, ok2 := all.Get(IndexElement(i)); ok2 != ok || ok && x != i*10 {
			t.Errorf("any of %d: %v, %v", i, x, ok)
		}
	}
	all.Insert(FieldNameElement("first"), "x")
	if x, _ := all.Get(FieldNameElement("first")); x != "x" {
		t.Errorf("got %v", x)
	}
	all.Insert(IndexElement(2), "new")
	if x, _ := all.Get(IndexElement(2)); x != "new" {
		t.Errorf("a second insertion does not replace: %v", x)
	}
}

// TestInterchangeableEmptyKeys checks that nil and empty keys are equal but not
// interchangeable.
func TestInterchangeableEmptyKeys(t *testing.T) {
	keys := []value.FieldList{nil, {}}
	for i := range keys {
		for j := range keys {
			a, b := keys[i], keys[j]
			if got := interchangeable(&PathElement{Key: &a}, &PathElement{Key: &b}); got != (i == j) {
				t.Errorf("%#v and %#v: %v", a, b, got)
			}
		}
	}
}
