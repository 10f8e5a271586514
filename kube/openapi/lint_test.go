// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"fmt"
	"strings"
	"testing"
)

func lintText(c *Catalog) string {
	var b strings.Builder
	for _, f := range c.Lint() {
		fmt.Fprintln(&b, f)
	}
	return b.String()
}

func TestLint(t *testing.T) {
	for _, test := range []struct{ name, definitions, want string }{{
		name: "nothing",
		definitions: `
  Port: {type: object, required: [port], properties: {port: {type: integer}, protocol: {type: string, default: TCP}}}
  T:
    type: object
    properties:
      ports: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [port, protocol], items: {$ref: '#/components/schemas/Port'}}
      tags: {type: array, x-kubernetes-list-type: set, items: {type: string}}
      names: {type: array, items: {type: string}}
      whole: {type: array, x-kubernetes-list-type: atomic, items: {$ref: '#/components/schemas/Port'}}
      free: {type: array, items: {x-kubernetes-preserve-unknown-fields: true, type: object}}
      empty: {type: object, default: {}, required: [a], properties: {a: {type: string}}}
      fine: {type: object, default: {a: x}, required: [a, b], properties: {a: {type: string}, b: {type: string, default: z}}}
`, want: `doc.yaml: T.free: this list has no x-kubernetes-list-type, so it is atomic, and managers cannot own single items; use the type map with the keys that identify an item, or the type atomic (missing-list-type)
`}, {
		name: "lists of a List",
		definitions: `
  Item: {type: object, properties: {a: {type: string}}}
  ItemList:
    type: object
    properties:
      items: {type: array, items: {$ref: '#/components/schemas/Item'}}
      metadata: {$ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta'}
  Items: {type: object, properties: {items: {type: array, items: {$ref: '#/components/schemas/Item'}}}}
`, want: `doc.yaml: Items.items: this list has no x-kubernetes-list-type, so it is atomic, and managers cannot own single items; use the type map with the keys that identify an item, or the type atomic (missing-list-type)
`}, {
		name: "keys",
		definitions: `
  Item: {type: object, required: [b], properties: {a: {type: string}, b: {type: integer, default: 0}}}
  T: {type: object, properties: {l: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a, b], items: {$ref: '#/components/schemas/Item'}}}}
`, want: `doc.yaml: T.l: the key "a" in x-kubernetes-list-map-keys is optional and has no default, so an item without the key cannot be identified; require the key, or add a default (key-without-default)
doc.yaml: T.l: the key "b" is required but has the default 0, so an item without the key silently gets the default; remove the default (key-zero-default)
`}, {
		name: "invalid defaults",
		definitions: `
  Alias: {allOf: [{$ref: '#/components/schemas/Named', default: 3}]}
  Named: {type: string}
  T:
    type: object
    default: {kind: 1}
    properties:
      kind: {type: string}
      number: {type: integer, default: many}
      twice:
        type: array
        x-kubernetes-list-type: map
        x-kubernetes-list-map-keys: [a]
        items: {type: object, properties: {a: {type: string, default: x}}}
        default: [{}, {a: x}]
      unknown: {type: object, properties: {a: {type: string}}, default: {b: c}}
      lacks: {type: array, items: {type: object, required: [a, b], properties: {a: {type: string}, b: {type: string, default: z}}}, x-kubernetes-list-type: atomic, default: [{c: d}, {a: x}]}
      deep: {type: object, additionalProperties: {type: object, required: [z], properties: {z: {type: string}, o: {type: string}}}, default: {k: {o: p}}}
`, want: `doc.yaml: Alias: the default must be a string, found the number 3 (default-value)
doc.yaml: T: the default is invalid at .kind: want a string, found the number 1 (default-value)
doc.yaml: T.deep: the default does not have the required field .k.z (default-value)
doc.yaml: T.lacks: the default is invalid at [0].c: field not declared in schema (default-value)
doc.yaml: T.number: the default must be a number, found the string "many" (default-value)
doc.yaml: T.twice: the default is invalid: duplicate entries for key [a="x"] (items 0 and 1: {} and {"a":"x"}; item 0 got a="x" from the schema default) (default-value)
doc.yaml: T.unknown: the default is invalid at .b: field not declared in schema (default-value)
`}, {
		name: "a default that never ends",
		definitions: `
  T: {type: object, properties: {t: {$ref: '#/components/schemas/T', default: {}}}}
`, want: `doc.yaml: T.t: the default is invalid at .t.t: the default contains itself (default-value)
`}, {
		name: "unused defaults",
		definitions: `
  Hidden: {type: string, default: x}
  Renamed: {$ref: '#/components/schemas/Taken'}
  Taken: {type: string, default: x}
  Elements: {type: string, nullable: true, default: x}
  Alone: {type: string, default: x}
  T:
    type: object
    properties:
      a: {$ref: '#/components/schemas/Hidden', default: z}
      b: {$ref: '#/components/schemas/Renamed'}
      c: {type: array, items: {$ref: '#/components/schemas/Elements'}}
      d: {type: object, additionalProperties: {type: string, nullable: true, default: x}}
      e: {type: string, nullable: true, default: x}
`, want: `doc.yaml: Elements: this default is never used, because every reference to the definition has its own default; remove it (unreachable-default)
doc.yaml: Hidden: this default is never used, because every reference to the definition has its own default; remove it (unreachable-default)
doc.yaml: T.d{}: this default is never used: it could only replace a null, but the schema is nullable, so a null stays; remove the default or nullable (unreachable-default)
`}, {
		name: "defaults below optional fields",
		definitions: `
  Deep: {type: object, properties: {again: {$ref: '#/components/schemas/Deep', default: {}}, in: {type: object, default: {}, properties: {mode: {type: string, default: fast}}}}}
  Plain: {type: object, default: {}, properties: {mode: {type: string, default: fast}}}
  T:
    type: object
    required: [must]
    properties:
      own: {type: object, properties: {mode: {type: string, default: fast}}}
      far: {$ref: '#/components/schemas/Deep'}
      must: {$ref: '#/components/schemas/Deep'}
      has: {type: object, default: {}, properties: {mode: {type: string, default: fast}}}
      named: {$ref: '#/components/schemas/Plain'}
      zero: {type: object, properties: {mode: {type: string, default: ""}}}
      list: {type: array, x-kubernetes-list-type: atomic, items: {type: object, properties: {mode: {type: string, default: fast}, below: {type: object, properties: {a: {type: integer, default: 1}}}}}}
`, want: `doc.yaml: Deep.again: the default is invalid at .again.again: the default contains itself (default-value)
doc.yaml: T.far: this field is optional and has no default, so the defaults inside it (such as the default of .far.in.mode) apply only to objects that set the field; add default: {} if they should always apply (default-below-optional)
doc.yaml: T.list[].below: this field is optional and has no default, so the defaults inside it (such as the default of .list[].below.a) apply only to objects that set the field; add default: {} if they should always apply (default-below-optional)
doc.yaml: T.own: this field is optional and has no default, so the defaults inside it (such as the default of .own.mode) apply only to objects that set the field; add default: {} if they should always apply (default-below-optional)
`}, {
		name: "sets of items that are not scalars",
		definitions: `
  Point: {type: object, x-kubernetes-map-type: atomic, properties: {x: {type: integer}}}
  T:
    type: object
    properties:
      points: {type: array, x-kubernetes-list-type: set, items: {$ref: '#/components/schemas/Point'}}
      lists: {type: array, x-kubernetes-list-type: set, items: {type: array, items: {type: string}}}
      any: {type: array, x-kubernetes-list-type: set, items: {x-kubernetes-int-or-string: true}}
`, want: `doc.yaml: T.lists: this set has items that are a list, but a server-side apply fails unless the items of a set are scalars; use the list type map with x-kubernetes-list-map-keys, or atomic (set-of-objects)
doc.yaml: T.points: this set has items that are a map, but a server-side apply fails unless the items of a set are scalars; use the list type map with x-kubernetes-list-map-keys, or atomic (set-of-objects)
`}} {
		t.Run(test.name, func(t *testing.T) {
			c := New(Options{})
			if err := c.AddOpenAPI("doc.yaml", v3(test.definitions)); err != nil {
				t.Fatal(err)
			}
			if got := lintText(c); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// Linting a hostile document must end within a reasonable time. The number of values
// doubles with each level, and defaults add all of these values.
func TestLintHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a while")
	}
	// With 15 levels, a default adds 65,000 values. With 30 levels, it exceeds the limit.
	for _, test := range []struct{ levels, findings int }{{15, 1}, {30, 5}} {
		var b strings.Builder
		for i := range test.levels {
			fmt.Fprintf(&b, "  L%d: {type: object, properties: {a: {default: {}, $ref: '#/components/schemas/L%d'}, b: {default: {}, $ref: '#/components/schemas/L%d'}}}\n", i, i+1, i+1)
		}
		fmt.Fprintf(&b, "  L%d: {type: object}\n  T:\n    type: object\n    properties:\n", test.levels)
		for i := range 300 {
			fmt.Fprintf(&b, "      f%d: {default: {}, $ref: '#/components/schemas/L0'}\n", i)
		}
		c := New(Options{})
		if err := c.AddOpenAPI("doc.yaml", v3(b.String())); err != nil {
			t.Fatal(err)
		}
		found := c.Lint()
		stopped := 0
		for _, f := range found {
			if strings.Contains(f.Message, "are not checked") {
				stopped++
			}
		}
		if len(found) != test.findings || stopped != 1 {
			t.Errorf("%d levels: got %d findings, %d that it stopped", test.levels, len(found), stopped)
		}
	}
}

// The number of problems reported for one default is limited.
func TestLintManyProblems(t *testing.T) {
	required := make([]string, 1000)
	for i := range required {
		required[i] = fmt.Sprintf("f%d", i)
	}
	c := New(Options{})
	if err := c.AddOpenAPI("doc.yaml", v3("  T: {type: array, x-kubernetes-list-type: atomic, default: ["+strings.Repeat("{}, ", 1000)+"{}], items: {type: object, required: ["+
		strings.Join(required, ", ")+"], properties: {a: {type: string}}}}")); err != nil {
		t.Fatal(err)
	}
	if n := len(c.Lint()); n != maxProblems {
		t.Errorf("got %d findings, want %d", n, maxProblems)
	}
}

// Lint checks built-in types and added types together. A finding names the document that
// the type comes from.
func TestLintDocument(t *testing.T) {
	c := Builtin(Options{})
	if err := c.AddOpenAPI("doc.yaml", v3("  T: {type: object, properties: {num: {type: integer, default: x}}}")); err != nil {
		t.Fatal(err)
	}
	var of []string
	for _, f := range c.Lint() {
		if f.Document != "" {
			of = append(of, f.String())
		}
	}
	if want := `doc.yaml: T.num: the default must be a number, found the string "x" (default-value)`; len(of) != 1 || of[0] != want {
		t.Errorf("got %q, want %s", of, want)
	}
}
