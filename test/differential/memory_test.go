// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package differential

import (
	"math"
	"testing"

	"github.com/dovetail-ssa/dovetail/typed"
	upstream "sigs.k8s.io/structured-merge-diff/v6/typed"
)

// Rule is an item of a list. Two Rules can differ in memory and have the same JSON.
type Rule struct {
	Key    string            `json:"key"`
	Values []string          `json:"values,omitempty"`
	Notes  map[string]string `json:"notes,omitempty"`
	Amount *Cached           `json:"amount,omitempty"`
	Any    any               `json:"any,omitempty"`
	Rules  []Rule            `json:"rules,omitempty"`
}

// Cached caches the text of a number, as resource.Quantity does.
type Cached struct {
	n     int
	cache string
}

// MarshalJSON writes only the number.
func (c Cached) MarshalJSON() ([]byte, error) { return []byte{byte('0' + c.n)}, nil }

// Rules has values of type Rule in places that are compared as a whole, and in other
// places.
type Rules struct {
	Atomic []Rule          `json:"atomic,omitempty"`
	Keyed  []Rule          `json:"keyed,omitempty"`
	Whole  *Rule           `json:"whole,omitempty"`
	Named  map[string]Rule `json:"named,omitempty"`
	Single *Rule           `json:"single,omitempty"`
	Free   any             `json:"free,omitempty"`
}

const rulesSchema = `types:
- name: rules
  map:
    fields:
    - {name: atomic, type: {list: {elementRelationship: atomic, elementType: {namedType: rule}}}}
    - {name: keyed, type: {list: {elementRelationship: associative, keys: [key], elementType: {namedType: rule}}}}
    - {name: whole, type: {namedType: rule, elementRelationship: atomic}}
    - {name: named, type: {map: {elementType: {namedType: rule}}}}
    - {name: single, type: {namedType: rule}}
    - {name: free, type: {namedType: __untyped_deduced_}}
- name: rule
  map:
    fields:
    - {name: key, type: {scalar: string}}
    - {name: values, type: {list: {elementRelationship: atomic, elementType: {scalar: string}}}}
    - {name: notes, type: {map: {elementType: {scalar: string}}}}
    - {name: amount, type: {scalar: numeric}}
    - {name: any, type: {namedType: __untyped_deduced_}}
    - {name: rules, type: {list: {elementRelationship: atomic, elementType: {namedType: rule}}}}
- name: __untyped_atomic_
  scalar: untyped
  list: {elementRelationship: atomic, elementType: {namedType: __untyped_atomic_}}
  map: {elementRelationship: atomic, elementType: {namedType: __untyped_atomic_}}
- name: __untyped_deduced_
  scalar: untyped
  list: {elementRelationship: atomic, elementType: {namedType: __untyped_atomic_}}
  map: {elementRelationship: separable, elementType: {namedType: __untyped_deduced_}}
`

// rulePairs are pairs of Rules with equal JSON that differ in memory.
var rulePairs = []struct {
	name string
	a, b Rule
}{
	{"alike", Rule{Key: "a", Values: []string{"x"}}, Rule{Key: "a", Values: []string{"x"}}},
	{"empty list", Rule{Key: "a"}, Rule{Key: "a", Values: []string{}}},
	{"empty map", Rule{Key: "a"}, Rule{Key: "a", Notes: map[string]string{}}},
	{"cache", Rule{Key: "a", Amount: &Cached{1, ""}}, Rule{Key: "a", Amount: &Cached{1, "1"}}},
	{"number", Rule{Key: "a", Any: 1}, Rule{Key: "a", Any: 1.0}},
	{"signs of zero", Rule{Key: "a", Any: 0.0}, Rule{Key: "a", Any: math.Copysign(0, -1)}},
	{"list of another type", Rule{Key: "a", Any: []string{"x"}}, Rule{Key: "a", Any: []any{"x"}}},
	{"empty list of another type", Rule{Key: "a", Any: []string{}}, Rule{Key: "a", Any: []any{}}},
	{"struct for a map", Rule{Key: "a", Any: Rule{Key: "b"}}, Rule{Key: "a", Any: map[string]any{"key": "b"}}},
	{"deep", Rule{Key: "a", Rules: []Rule{{Key: "b"}}}, Rule{Key: "a", Rules: []Rule{{Key: "b", Rules: []Rule{}}}}},
	{"number in a list", Rule{Key: "a", Any: []any{int64(1)}}, Rule{Key: "a", Any: []any{1.0}}},
}

// TestListsAreComparedInMemory checks that Go structs in a list are compared by their values in
// memory, not by their JSON, as in structured-merge-diff.
func TestListsAreComparedInMemory(t *testing.T) {
	own, err := typed.NewParser(rulesSchema)
	if err != nil {
		t.Fatal(err)
	}
	their, err := upstream.NewParser(rulesSchema)
	if err != nil {
		t.Fatal(err)
	}
	places := map[string]func(r Rule) *Rules{
		"atomic":     func(r Rule) *Rules { return &Rules{Atomic: []Rule{r}} },
		"keyed":      func(r Rule) *Rules { return &Rules{Keyed: []Rule{r}} },
		"duplicates": func(r Rule) *Rules { return &Rules{Keyed: []Rule{r, {Key: "b"}, r}} },
		"whole":      func(r Rule) *Rules { return &Rules{Whole: &r} },
		"in a whole": func(r Rule) *Rules { return &Rules{Whole: &Rule{Rules: []Rule{r}}} },
		"named":      func(r Rule) *Rules { return &Rules{Named: map[string]Rule{"a": r}} },
		"single":     func(r Rule) *Rules { return &Rules{Single: &r} },
		"in a list":  func(r Rule) *Rules { return &Rules{Single: &Rule{Rules: []Rule{r}}} },
		"free":       func(r Rule) *Rules { return &Rules{Free: r} },
		"free list":  func(r Rule) *Rules { return &Rules{Free: []Rule{r}} },
	}
	modified := 0
	for place, at := range places {
		for _, pair := range rulePairs {
			t.Run(place+"/"+pair.name, func(t *testing.T) {
				a, err := own.Type("rules").FromStructured(at(pair.a), typed.AllowDuplicates)
				if err != nil {
					t.Fatal(err)
				}
				b, err := own.Type("rules").FromStructured(at(pair.b), typed.AllowDuplicates)
				if err != nil {
					t.Fatal(err)
				}
				x, err := their.Type("rules").FromStructured(at(pair.a), upstream.AllowDuplicates)
				if err != nil {
					t.Fatal(err)
				}
				y, err := their.Type("rules").FromStructured(at(pair.b), upstream.AllowDuplicates)
				if err != nil {
					t.Fatal(err)
				}
				want, err := x.Compare(y)
				if err != nil {
					t.Fatal(err)
				}
				if !want.IsSame() {
					modified++
				}
				for _, when := range []string{"first", "again"} {
					have, err := a.Compare(b)
					if err != nil {
						t.Fatal(err)
					}
					if have.String() != want.String() {
						t.Errorf("%s: have\n%swant\n%s", when, have, want)
					}
				}
				loose, err := typed.AsTypedUnvalidated(a.AsValue(), &own.Schema, a.TypeRef()).Compare(b)
				if err != nil {
					t.Fatal(err)
				}
				if loose.String() != want.String() {
					t.Errorf("without validation: have\n%swant\n%s", loose, want)
				}
			})
		}
	}
	if modified < 40 {
		t.Errorf("%d pairs differ in memory", modified)
	}
}
