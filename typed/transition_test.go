// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
)

const marked = `types:
- name: app
  map:
    fields:
    - {name: class, type: {scalar: string, transition: immutable}}
    - {name: address, type: {scalar: string, nullable: true, transition: setOnce}}
    - {name: template, type: {namedType: template}}
    - name: ports
      type:
        transition: immutableKeys
        list:
          elementRelationship: associative
          keys: [port, protocol]
          elementType:
            map:
              fields:
              - {name: port, type: {scalar: numeric}}
              - {name: protocol, type: {scalar: string}, default: TCP}
              - {name: node, type: {scalar: numeric, transition: immutable}}
              - {name: name, type: {scalar: string}}
    - name: zones
      type: {transition: additionOnly, list: {elementRelationship: associative, elementType: {scalar: string}}}
    - name: grants
      type: {transition: deletionOnly, map: {elementType: {scalar: string}}}
    - name: limits
      type: {map: {elementType: {scalar: numeric, transition: immutable}}}
    - name: rows
      type: {list: {elementRelationship: atomic, elementType: {list: {elementRelationship: atomic, elementType: {scalar: numeric, transition: immutable}}}}}
    - name: users
      type: {transition: deletionOnly, list: {elementRelationship: associative, keys: [name], elementType: {map: {elementType: {scalar: string}}}}}
    - name: size
      type: {scalar: numeric}
- name: template
  transition: immutable
  map:
    fields:
    - name: hosts
      type: {list: {elementRelationship: associative, elementType: {scalar: string}}}
    - name: steps
      type: {list: {elementRelationship: atomic, elementType: {scalar: string}}}
    - name: volumes
      type: {list: {elementRelationship: associative, keys: [name], elementType: {map: {elementType: {scalar: string}}}}}
`

func app(t *testing.T, text string) *typed.TypedValue {
	t.Helper()
	p, err := typed.NewParser(marked)
	if err != nil {
		t.Fatal(err)
	}
	v, err := p.Type("app").FromYAML(typed.YAMLObject(text), typed.AllowDuplicates)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestCheckTransition(t *testing.T) {
	for name, c := range map[string]struct {
		old, next string
		opts      []typed.TransitionOptions
		want      []string
	}{
		"nothing":        {"{}", "{}", nil, nil},
		"free":           {"{size: 1}", "{size: 2}", nil, nil},
		"changed":        {"{class: a}", "{class: b}", nil, []string{`.class class: field is immutable: changes "a" to "b"`}},
		"removed":        {"{class: a}", "{size: 1}", nil, []string{`.class class: field is immutable: removes "a"`}},
		"set":            {"{size: 1}", "{class: a}", nil, []string{`.class class: field is immutable: sets "a"`}},
		"set once":       {"{}", "{address: a}", nil, nil},
		"set to null":    {"{}", "{address: null}", nil, nil},
		"null is set":    {"{address: null}", "{address: a}", nil, nil},
		"set twice":      {"{address: a}", "{address: b}", nil, []string{`.address address: field is immutable: changes "a" to "b"`}},
		"set to none":    {"{address: a}", "{}", nil, []string{`.address address: field is immutable: removes "a"`}},
		"set, nulled":    {"{address: a}", "{address: null}", nil, []string{`.address address: field is immutable: changes "a" to null`}},
		"order of a set": {"{template: {hosts: [a, b]}}", "{template: {hosts: [b, a]}}", nil, nil},
		"order of a list": {"{template: {steps: [a, b]}}", "{template: {steps: [b, a]}}", []typed.TransitionOptions{{IgnoreItemOrder: true}},
			[]string{`.template template: field is immutable: changes {"steps":["a","b"]} to {"steps":["b","a"]}`}},
		"order of items": {"{template: {volumes: [{name: a}, {name: b}]}}", "{template: {volumes: [{name: b}, {name: a}]}}", nil,
			[]string{`.template template: field is immutable: changes {"volumes":[{"name":"a"},{"name":"b"}]} to {"volumes":[{"name":"b"},{"name":"a"}]}`}},
		"order of items ignored": {"{template: {volumes: [{name: a}, {name: b}]}}", "{template: {volumes: [{name: b}, {name: a}]}}",
			[]typed.TransitionOptions{{IgnoreItemOrder: true}}, nil},
		"defaulted key": {"{ports: [{port: 1}, {port: 2}]}", "{ports: [{port: 2, name: x}, {port: 1, protocol: TCP}]}", nil, nil},
		"keys": {"{ports: [{port: 1}, {port: 2, node: 1}]}", "{ports: [{port: 2, node: 2}, {port: 3}]}", nil, []string{
			`.ports[port=1,protocol="TCP"] ports: item may not be removed: {"port":1}`,
			`.ports[port=2,protocol="TCP"].node ports[0].node: field is immutable: changes 1 to 2`,
			`.ports[port=3,protocol="TCP"] ports[1]: item may not be added: {"port":3}`,
		}},
		"no more items":   {"{ports: [{port: 1}]}", "{}", nil, []string{`.ports[port=1,protocol="TCP"] ports: item may not be removed: {"port":1}`}},
		"addition":        {"{zones: [a]}", "{zones: [b, a]}", nil, nil},
		"no addition":     {"{zones: [a, b]}", "{zones: [b, c]}", nil, []string{`.zones[="a"] zones: item may not be removed: "a"`}},
		"deletion":        {"{grants: {a: x, b: x}}", "{grants: {b: z}}", nil, nil},
		"no deletion":     {"{grants: {a: x}}", "{grants: {a: x, b: x}}", nil, []string{`.grants.b grants[b]: item may not be added: "x"`}},
		"items may go":    {"{users: [{name: a}, {name: b}]}", "{users: [{name: b, role: x}]}", nil, nil},
		"items not come":  {"{users: [{name: a}]}", "{users: [{name: a}, {name: b}]}", nil, []string{`.users[name="b"] users[1]: item may not be added: {"name":"b"}`}},
		"limits come, go": {"{limits: {a: 1, b: 1}}", "{limits: {b: 1, c: 1}}", nil, nil},
		"rows come, go":   {"{rows: [[1], [2, 3]]}", "{rows: [[1, 2], [2], [4]]}", nil, nil},
		"rows by index":   {"{rows: [[1], [2, 3]]}", "{rows: [[1], [3, 2]]}", nil, []string{`.rows[1][0] rows[1][0]: field is immutable: changes 2 to 3`, `.rows[1][1] rows[1][1]: field is immutable: changes 3 to 2`}},
		"whole and float": {"{rows: [[1]]}", "{rows: [[1.0]]}", nil, nil},
		"not quite":       {"{rows: [[9007199254740993]]}", "{rows: [[9007199254740992.0]]}", nil, []string{`.rows[0][0] rows[0][0]: field is immutable: changes 9007199254740993 to 9007199254740992`}},
	} {
		t.Run(name, func(t *testing.T) {
			var o typed.TransitionOptions
			if c.opts != nil {
				o = c.opts[0]
			}
			err := app(t, c.old).CheckTransition(app(t, c.next), o)
			var got []string
			var all typed.TransitionErrors
			if err != nil && !errors.As(err, &all) {
				t.Fatal(err)
			}
			for _, e := range all {
				got = append(got, e.Path.String()+" "+e.Error())
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
			var one typed.TransitionError
			if errors.As(err, &one) != (len(c.want) > 0) {
				t.Error("the first error is not found")
			}
		})
	}
}

// TestCheckTransitionWithRemovedEntries checks that changed entries are reported even if
// entries were also removed. The order in which Go iterates over the map must not matter.
func TestCheckTransitionWithRemovedEntries(t *testing.T) {
	old, next := app(t, "{limits: {a: 1, b: 1, c: 1}}"), app(t, "{limits: {b: 2}}")
	for range 50 {
		const want = "limits[b]: field is immutable: changes 1 to 2"
		if err := old.CheckTransition(next, typed.TransitionOptions{}); err == nil || err.Error() != want {
			t.Fatalf("got %v, want %s", err, want)
		}
	}
}

func TestNewParserRejectsTransitionsWithoutEffect(t *testing.T) {
	_, err := typed.NewParser(`types: [{name: a, map: {fields: [{name: f, type: {scalar: string, transition: immutableKeys}}]}}]`)
	var all schema.Errors
	if !errors.As(err, &all) || len(all) != 1 || all[0].Path != ".f" {
		t.Errorf("got %v", err)
	}
}

func TestCheckTransitionOfOneObject(t *testing.T) {
	v := app(t, "{class: a, ports: [{port: 1}]}")
	if err := v.CheckTransition(v, typed.TransitionOptions{}); err != nil {
		t.Error(err)
	}
	for name, none := range map[string]*typed.TypedValue{
		"nil": nil, "null": v.Empty(), "no value": typed.AsTypedUnvalidated(nil, v.Schema(), v.TypeRef()),
	} {
		if err := v.CheckTransition(none, typed.TransitionOptions{}); err != nil {
			t.Errorf("to %s: %v", name, err)
		}
		if err := none.CheckTransition(v, typed.TransitionOptions{}); err != nil {
			t.Errorf("from %s: %v", name, err)
		}
	}
}

func TestCheckTransitionIsConcurrent(t *testing.T) {
	old, next := app(t, "{class: a, size: 1, zones: [a, b]}"), app(t, "{class: a, size: 2, zones: [a]}")
	later := app(t, "{class: a, size: 3, zones: [a]}")
	later = typed.AsTypedUnvalidated(later.AsValue(), next.Schema(), next.TypeRef())
	var all sync.WaitGroup
	for i := range 8 {
		all.Add(1)
		go func() {
			defer all.Done()
			for range 50 {
				if i%2 == 0 {
					if _, err := next.Compare(later); err != nil {
						t.Error(err)
					}
				}
				var found typed.TransitionErrors
				if err := old.CheckTransition(next, typed.TransitionOptions{}); !errors.As(err, &found) || len(found) != 1 {
					t.Error(err)
				}
				if err := next.CheckTransition(later, typed.TransitionOptions{}); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	all.Wait()
}

func TestCheckTransitionWantsOneType(t *testing.T) {
	a, b := app(t, "{class: a}"), app(t, "{class: b}")
	if a.Schema() == b.Schema() {
		t.Fatal("the test wants two schemas")
	}
	var wrong typed.TransitionErrors
	if err := a.CheckTransition(b, typed.TransitionOptions{}); !errors.As(err, &wrong) || len(wrong) != 1 || wrong[0].Transition != schema.Immutable {
		t.Errorf("two equal schemas: %v", err)
	}
	other := typed.AsTypedUnvalidated(a.AsValue(), typed.DeducedParseableType.Schema, typed.DeducedParseableType.TypeRef)
	var invalid typed.ValidationErrors
	if err := a.CheckTransition(other, typed.TransitionOptions{}); !errors.As(err, &invalid) {
		t.Errorf("another type: %v", err)
	}
}

func TestNewParserNamesThePlaceOfAnUnknownTransition(t *testing.T) {
	_, err := typed.NewParser(`types: [{name: a, map: {fields: [{name: f, type: {scalar: string, transition: immutble}}]}}]`)
	want := `unable to validate schema: .types[name="a"].map.fields[name="f"].type.transition: ` +
		`expected immutable, immutableKeys, additionOnly, deletionOnly or setOnce, got "immutble"`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
