// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package merge_test

import (
	"reflect"
	"testing"

	"go.yaml.in/yaml/v2"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/merge"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

const emptiedSchema = `declarativeDefaults: true
types:
- name: app
  map:
    fields:
    - {name: keep, type: {scalar: string}}
    - {name: sub, type: {namedType: sub}}
    - {name: nsub, type: {namedType: sub, nullable: true}}
    - {name: deduced, type: {namedType: __untyped_deduced_}}
    - {name: untyped, type: {namedType: __untyped_atomic_}}
    - {name: labels, type: {map: {elementType: {scalar: string}}}}
    - {name: nlabels, type: {map: {elementType: {scalar: untyped}}, nullable: true}}
    - {name: subs, type: {map: {elementType: {namedType: sub}}}}
    - {name: set, type: {list: {elementType: {scalar: string}, elementRelationship: associative}}}
    - {name: nset, type: {list: {elementType: {scalar: string}, elementRelationship: associative}, nullable: true}}
    - {name: args, type: {list: {elementType: {scalar: string}, elementRelationship: atomic}}}
    - {name: block, type: {map: {elementType: {scalar: string}, elementRelationship: atomic}}}
    - {name: items, type: {list: {elementType: {namedType: app}, elementRelationship: associative, keys: [keep]}}}
- name: sub
  map:
    fields:
    - {name: x, type: {scalar: string}}
    - {name: z, type: {scalar: string}}
    - {name: sub, type: {namedType: sub}}
- name: __untyped_atomic_
  scalar: untyped
  list: {elementType: {namedType: __untyped_atomic_}, elementRelationship: atomic}
  map: {elementType: {namedType: __untyped_atomic_}, elementRelationship: atomic}
- name: __untyped_deduced_
  scalar: untyped
  list: {elementType: {namedType: __untyped_atomic_}, elementRelationship: atomic}
  map: {elementType: {namedType: __untyped_deduced_}, elementRelationship: separable}
`

// TestEmptied checks containers that lose all their entries, and the containers next to them.
// The stored object must have the applied values, and applying them again must change nothing.
func TestEmptied(t *testing.T) {
	parser, err := typed.NewParser(emptiedSchema)
	if err != nil {
		t.Fatal(err)
	}
	object := func(text string) *typed.TypedValue {
		tv, err := parser.Type("app").FromYAML(typed.YAMLObject(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return tv
	}
	for _, test := range []struct {
		first, other, then string // the config of manager a, the config of manager b, and the next config of a
		want               string
	}{
		{`{sub: {x: "1"}}`, ``, `{}`, `{}`},
		{`{sub: {x: "1"}}`, ``, `{sub: {}}`, `{sub: {}}`},
		{`{sub: {x: "1"}}`, ``, `{sub: null}`, `{}`},
		{`{sub: {x: "1"}}`, `{sub: {}}`, `{}`, `{sub: {}}`},
		{`{sub: {x: "1"}}`, `{sub: {}}`, `{sub: null}`, `{sub: {}}`},
		{`{sub: {x: "1"}}`, `{sub: {z: "1"}}`, `{}`, `{sub: {z: "1"}}`},
		{`{sub: {sub: {x: "1"}}}`, `{sub: {}}`, `{}`, `{sub: {}}`},
		{`{sub: {sub: {x: "1"}}}`, ``, `{sub: {}}`, `{sub: {}}`},
		{`{sub: {sub: {x: "1"}, z: "1"}}`, ``, `{sub: {sub: {}}}`, `{sub: {sub: {}}}`},
		{`{sub: {z: "1"}}`, `{sub: {x: null}}`, `{}`, `{sub: {}}`},
		{`{sub: {z: "1"}, keep: k}`, `{sub: {x: null}, keep: null}`, `{keep: k}`, `{sub: {}, keep: k}`},
		{`{sub: {sub: {z: "1"}}}`, `{sub: {sub: {x: null}}}`, `{}`, `{sub: {sub: {}}}`},
		{`{nsub: {x: "1"}}`, ``, `{}`, `{}`},
		{`{nsub: {x: "1"}}`, ``, `{nsub: {}}`, `{nsub: {}}`},
		{`{nsub: {x: "1"}}`, ``, `{nsub: null}`, `{nsub: null}`},
		{`{deduced: {x: "1"}}`, ``, `{}`, `{}`},
		{`{deduced: {x: "1"}}`, ``, `{deduced: {}}`, `{deduced: {}}`},
		{`{deduced: {x: "1"}}`, ``, `{deduced: null}`, `{deduced: null}`},
		{`{deduced: {x: {z: "1"}}}`, ``, `{deduced: {x: null}}`, `{deduced: {x: null}}`},
		{`{deduced: [x]}`, ``, `{deduced: null}`, `{deduced: null}`},
		{`{deduced: {x: "1"}}`, ``, `{deduced: []}`, `{deduced: []}`},
		{`{deduced: {x: "1"}}`, `{deduced: {}}`, `{deduced: null}`, `{deduced: {}}`},
		{`{deduced: {}}`, `{deduced: {}}`, `{deduced: null}`, `{deduced: {}}`},
		{`{deduced: {}}`, ``, `{deduced: null}`, `{deduced: null}`},
		{`{nsub: {x: "1"}}`, `{nsub: {}}`, `{nsub: null}`, `{nsub: {}}`},
		{`{nsub: {}}`, `{nsub: {}}`, `{nsub: null}`, `{nsub: {}}`},
		{`{nset: [x]}`, `{nset: []}`, `{nset: null}`, `{nset: []}`},
		{`{nset: []}`, `{nset: []}`, `{nset: null}`, `{nset: []}`},
		{`{nset: []}`, ``, `{nset: null}`, `{nset: null}`},
		{`{nsub: {x: "1"}}`, `{nsub: {z: "1"}}`, `{nsub: null}`, `{nsub: {z: "1"}}`},
		{`{untyped: {x: "1"}}`, ``, `{untyped: null}`, `{untyped: null}`},
		{`{untyped: {x: "1"}}`, ``, `{untyped: {}}`, `{untyped: {}}`},
		{`{labels: {x: "1"}}`, ``, `{labels: {}}`, `{labels: {}}`},
		{`{labels: {x: "1"}}`, ``, `{labels: null}`, `{}`},
		{`{labels: {x: "1"}}`, `{labels: {}}`, `{}`, `{labels: {}}`},
		{`{nlabels: {x: "1"}}`, ``, `{nlabels: null}`, `{nlabels: null}`},
		{`{nlabels: {x: "1"}}`, ``, `{nlabels: {}}`, `{nlabels: {}}`},
		{`{subs: {a: {x: "1"}, b: {x: "1"}}}`, ``, `{subs: {a: {}, b: {x: "1"}}}`, `{subs: {a: {}, b: {x: "1"}}}`},
		{`{subs: {a: {x: "1"}, b: {x: "1"}}}`, `{subs: {a: {}}}`, `{}`, `{subs: {a: {}}}`},
		{`{subs: {a: {sub: {x: "1"}}}}`, `{subs: {a: {sub: {}}}}`, `{}`, `{subs: {a: {sub: {}}}}`},
		{`{set: [x]}`, ``, `{set: []}`, `{set: []}`},
		{`{set: [x]}`, ``, `{set: null}`, `{}`},
		{`{set: [x]}`, ``, `{}`, `{}`},
		{`{set: [x]}`, `{set: []}`, `{}`, `{set: []}`},
		{`{nset: [x]}`, ``, `{nset: []}`, `{nset: []}`},
		{`{nset: [x]}`, ``, `{nset: null}`, `{nset: null}`},
		{`{args: [x], keep: k}`, ``, `{args: [], keep: k}`, `{args: [], keep: k}`},
		{`{args: [x], keep: k}`, ``, `{keep: k}`, `{keep: k}`},
		{`{block: {x: "1"}, keep: k}`, ``, `{block: {}, keep: k}`, `{block: {}, keep: k}`},
		{`{items: [{keep: a, sub: {x: "1"}}, {keep: b, sub: {x: "1"}}]}`, ``, `{items: [{keep: a, sub: {}}, {keep: b}]}`, `{items: [{keep: a, sub: {}}, {keep: b}]}`},
		{`{items: [{keep: a, sub: {x: "1"}}, {keep: b, sub: {x: "1"}}]}`, ``, `{items: [{keep: a}, {keep: b, sub: {}}]}`, `{items: [{keep: a}, {keep: b, sub: {}}]}`},
		{`{items: [{keep: a, nsub: {x: "1"}}, {keep: b, nsub: {x: "1"}}]}`, ``, `{items: [{keep: a, nsub: null}, {keep: b, nsub: {}}]}`, `{items: [{keep: a, nsub: null}, {keep: b, nsub: {}}]}`},
		{`{items: [{keep: a, nsub: {x: "1"}}, {keep: b, nsub: {x: "1"}}]}`, ``, `{items: [{keep: b, nsub: null}, {keep: a, nsub: {}}]}`, `{items: [{keep: b, nsub: null}, {keep: a, nsub: {}}]}`},
		{`{items: [{keep: a, sub: {x: "1"}}, {keep: b, sub: {x: "1"}}]}`, `{items: [{keep: b, sub: {}}]}`, `{}`, `{items: [{keep: b, sub: {}}]}`},
		{`{items: [{keep: a, sub: {x: "1"}}, {keep: b, sub: {x: "1"}}, {keep: c, sub: {x: "1"}}]}`, `{items: [{keep: b, sub: {}}, {keep: c}]}`, `{items: [{keep: c, sub: {}}]}`, `{items: [{keep: b, sub: {}}, {keep: c, sub: {}}]}`},
		{`{items: [{keep: a, items: [{keep: b, sub: {x: "1"}}]}]}`, ``, `{items: [{keep: a, items: [{keep: b, sub: {}}]}]}`, `{items: [{keep: a, items: [{keep: b, sub: {}}]}]}`},
		{`{items: [{keep: a, items: [{keep: b}]}]}`, ``, `{items: [{keep: a, items: []}]}`, `{items: [{keep: a, items: []}]}`},
		{`{items: [{keep: a, items: [{keep: b}]}]}`, ``, `{items: [{keep: a}]}`, `{items: [{keep: a}]}`},
		{`{items: [{keep: a}]}`, ``, `{items: []}`, `{items: []}`},
		{`{items: [{keep: a}]}`, ``, `{items: null}`, `{}`},
		{`{items: [{keep: a}]}`, `{items: []}`, `{}`, `{items: []}`},
	} {
		t.Run(test.first+" "+test.other+" "+test.then, func(t *testing.T) {
			u := (&merge.UpdaterBuilder{Converter: oneVersion{}, ReturnInputOnNoop: true}).BuildUpdater()
			live, managers := object("{}"), fieldpath.ManagedFields{}
			for _, step := range []struct{ manager, config string }{
				{"a", test.first}, {"b", test.other}, {"a", test.then}, {"a", test.then}, {"a", test.then},
			} {
				if step.config == "" {
					continue
				}
				var err error
				if live, managers, err = u.Apply(live, object(step.config), "v1", managers, step.manager, false); err != nil {
					t.Fatalf("%s applies %s: %v", step.manager, step.config, err)
				}
				if step.config != test.then {
					continue
				}
				var want any
				if err := yaml.Unmarshal([]byte(test.want), &want); err != nil {
					t.Fatal(err)
				}
				if !value.Equals(live.AsValue(), value.NewValueInterface(want)) {
					t.Fatalf("got %s, want %s", value.ToString(live.AsValue()), test.want)
				}
			}
		})
	}
}

// TestEmptiedSharesLeaves checks that the result of an apply shares atomic containers with
// the live object, even if containers around them become empty or null. These outer
// containers must be new.
func TestEmptiedSharesLeaves(t *testing.T) {
	parser, err := typed.NewParser(emptiedSchema)
	if err != nil {
		t.Fatal(err)
	}
	type m = map[string]any
	for _, sub := range []any{m{}, nil} {
		args, block := []any{"x"}, m{"x": "1"}
		live := m{"args": args, "block": block, "sub": m{"x": "1"}, "subs": m{"a": m{"x": "1"}}}
		object, err := parser.Type("app").FromUnstructured(live)
		if err != nil {
			t.Fatal(err)
		}
		config, err := parser.Type("app").FromUnstructured(m{"sub": sub})
		if err != nil {
			t.Fatal(err)
		}
		managers := fieldpath.ManagedFields{
			"a": fieldpath.NewVersionedSet(fieldpath.NewSet(fieldpath.MakePathOrDie("sub", "x")), "v1", true),
		}
		u := (&merge.UpdaterBuilder{Converter: oneVersion{}}).BuildUpdater()
		out, _, err := u.Apply(object, config, "v1", managers, "a", false)
		if err != nil {
			t.Fatal(err)
		}
		got := out.AsValue().Unstructured().(m)
		if reflect.ValueOf(got["block"]).Pointer() != reflect.ValueOf(block).Pointer() || &got["args"].([]any)[0] != &args[0] {
			t.Errorf("sub: %v: an atomic container is copied", sub)
		}
		want := m{"args": []any{"x"}, "block": m{"x": "1"}, "subs": m{"a": m{"x": "1"}}}
		if sub != nil {
			want["sub"] = sub
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("sub: %v: got %v", sub, got)
		}
		got["subs"].(m)["a"].(m)["x"] = "2"
		if live["subs"].(m)["a"].(m)["x"] != "1" {
			t.Errorf("sub: %v: live is now %v", sub, live)
		}
	}
}
