// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

const unionSchema = `types:
- name: Deployment
  map:
    fields:
    - {name: strategy, type: {namedType: Strategy}}
    - {name: next, type: {namedType: Deployment}}
    - {name: gate, type: {namedType: Gate}}
    - {name: gates, type: {list: {elementType: {namedType: Gate}, elementRelationship: associative, keys: [name]}}}
- name: Strategy
  map:
    fields:
    - {name: type, type: {scalar: string}}
    - {name: rollingUpdate, type: {map: {elementType: {scalar: numeric}}}}
    unions:
    - {discriminator: type, fields: [{fieldName: rollingUpdate, discriminatorValue: RollingUpdate}]}
- name: Gate
  map:
    fields:
    - {name: name, type: {scalar: string}}
    - {name: open, type: {scalar: boolean}, default: true}
    - {name: width, type: {scalar: numeric}}
    - {name: lock, type: {scalar: string}}
    unions:
    - discriminator: open
      fields: [{fieldName: width, discriminatorValue: "true"}, {fieldName: lock, discriminatorValue: "false"}]
- name: Plain
  map:
    fields:
    - {name: next, type: {namedType: Plain}}
    - {name: gates, type: {list: {elementType: {namedType: Gate}, elementRelationship: atomic}}}
    - {name: closed, type: {map: {elementType: {namedType: Gate}, elementRelationship: atomic}}}
    - {name: gone, type: {namedType: Missing}}
`

func ExampleTypedValue_NormalizeUnions() {
	p, _ := typed.NewParser(unionSchema)
	t := p.Type("Deployment")
	live, _ := t.FromYAML(`strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 1}}`)
	config, _ := t.FromYAML(`strategy: {type: Recreate}`)
	merged, _ := live.Merge(config)

	settled, left, _ := merged.NormalizeUnions(live, config)
	fmt.Println(value.ToString(settled.AsValue()))
	for _, l := range left {
		fmt.Printf("%v: %s\n", l.Path, l.Why())
	}
	// Output:
	// strategy=type="Recreate"
	// .strategy.rollingUpdate: type is now "Recreate", which excludes rollingUpdate
}

func TestNormalizeUnions(t *testing.T) {
	p, err := typed.NewParser(unionSchema)
	if err != nil {
		t.Fatal(err)
	}
	typ := p.Type("Deployment")
	for _, test := range []struct{ name, before, after, config, want string }{
		{"absent, without a default, chooses nothing", `{strategy: {type: RollingUpdate, rollingUpdate: {a: 1}}}`, `{strategy: {rollingUpdate: {a: 1}}}`, `{}`, `strategy=rollingUpdate=a=1`},
		{"absent before", `{strategy: {rollingUpdate: {a: 1}}}`, `{strategy: {type: X, rollingUpdate: {a: 1}}}`, `{}`, `strategy=type="X"`},
		{"new altogether", `{}`, `{strategy: {type: X, rollingUpdate: {a: 1}}}`, `{}`, `strategy=rollingUpdate=a=1type="X"`},
		{"null before", `{strategy: null}`, `{strategy: {type: X, rollingUpdate: {a: 1}}}`, `{}`, `strategy=rollingUpdate=a=1type="X"`},
		{"nothing before", `null`, `{strategy: {type: X, rollingUpdate: {a: 1}}}`, `{}`, `strategy=rollingUpdate=a=1type="X"`},
		{"a boolean", `{gate: {width: 1, lock: a}}`, `{gate: {width: 1, lock: a, open: false}}`, `{}`, `gate=lock="a"open=false`},
		{"back to the default", `{gate: {width: 1, lock: a, open: false}}`, `{gate: {width: 1, lock: a}}`, `{}`, `gate=width=1`},
		{"two items of one name before: the first counts", `{gates: [{name: a, width: 1}, {name: a, open: false}]}`, `{gates: [{name: a, width: 1, open: false}]}`, `{}`, `gates=[name="a"open=false]`},
		{"the type holds itself", `{next: {next: {gate: {width: 1}}}}`, `{next: {next: {gate: {width: 1, open: false}}}}`, `{}`, `next=next=gate=open=false`},
	} {
		var vs [3]*typed.TypedValue
		for i, text := range []string{test.before, test.after, test.config} {
			if vs[i], err = typ.FromYAML(typed.YAMLObject(text), typed.AllowDuplicates); err != nil {
				t.Fatalf("%s: %v", test.name, err)
			}
		}
		got, left, err := vs[1].NormalizeUnions(vs[0], vs[2])
		if err != nil {
			t.Fatal(err)
		}
		wantText(t, test.name, got, test.want)
		if (len(left) == 0) != (got == vs[1]) {
			t.Errorf("%s: left %v", test.name, left)
		}
		wantText(t, test.name+", afterwards", vs[1], value.ToString(parsed(t, typ, test.after).AsValue()))
	}
	other := p.Type("Plain")
	if other.HasUnions() || !typ.HasUnions() {
		t.Error("HasUnions is wrong")
	}
	a, b := parsed(t, typ, `{}`), parsed(t, other, `{}`)
	if _, _, err := a.NormalizeUnions(b, nil); err == nil {
		t.Error("values of two types: no error")
	}
	if _, _, err := a.NormalizeUnions(a, b); err == nil {
		t.Error("a configuration of another type: no error")
	}
	if got, left, err := b.NormalizeUnions(b, b); got != b || left != nil || err != nil {
		t.Errorf("without unions: %v, %v, %v", got, left, err)
	}
}

func parsed(t *testing.T, typ typed.ParseableType, text string) *typed.TypedValue {
	t.Helper()
	tv, err := typ.FromYAML(typed.YAMLObject(text), typed.AllowDuplicates)
	if err != nil {
		t.Fatal(err)
	}
	return tv
}

func wantText(t *testing.T, name string, tv *typed.TypedValue, want string) {
	t.Helper()
	if got := value.ToString(tv.AsValue()); got != want {
		t.Errorf("%s: got %s, want %s", name, got, want)
	}
}

// TestUnionsOfCyclesConcurrently uses unions in inlined recursive types in many goroutines at
// once.
func TestUnionsOfCyclesConcurrently(t *testing.T) {
	text, kind := schema.String, "kind"
	loop := schema.Atom{Map: &schema.Map{}}
	loop.Map.Fields = []schema.StructField{{Name: kind, Type: schema.TypeRef{Inlined: schema.Atom{Scalar: &text}}}, {Name: "next", Type: schema.TypeRef{Inlined: loop}}}
	bare := schema.Atom{Map: &schema.Map{}}
	bare.Map.ElementType = schema.TypeRef{Inlined: bare}
	s := &schema.Schema{}
	typ := typed.ParseableType{Schema: s, TypeRef: schema.TypeRef{Inlined: loop}}
	loop.Map.Unions = []schema.Union{{Discriminator: &kind, Fields: []schema.UnionField{{FieldName: "next", DiscriminatorValue: "more"}}}}
	var wg sync.WaitGroup
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			before, after := parsed(t, typ, `{kind: more, next: {}}`), parsed(t, typ, `{kind: last, next: {}}`)
			got, _, err := after.NormalizeUnions(before, nil)
			if err != nil {
				t.Error(err)
				return
			}
			wantText(t, "cycle", got, `kind="last"`)
			if (typed.ParseableType{Schema: s, TypeRef: schema.TypeRef{Inlined: bare}}).HasUnions() {
				t.Error("bare has no unions")
			}
		}()
	}
	wg.Wait()
}

// TestUnionsOfManyItems checks that the unions of many items are all normalized. Items side
// by side do not count as depth.
func TestUnionsOfManyItems(t *testing.T) {
	p, err := typed.NewParser(unionSchema)
	if err != nil {
		t.Fatal(err)
	}
	const n = 12_000
	gates := func(open bool) *typed.TypedValue {
		items := make([]any, n)
		for i := range items {
			items[i] = map[string]any{"name": fmt.Sprint(i), "open": open || i < n-1, "width": int64(1)}
		}
		return typed.AsTypedUnvalidated(value.NewValueInterface(map[string]any{"gates": items}), &p.Schema, p.Type("Deployment").TypeRef)
	}
	_, left, err := gates(false).NormalizeUnions(gates(true), nil)
	if err != nil || len(left) != 1 {
		t.Errorf("got %v, %v", left, err)
	}
}
