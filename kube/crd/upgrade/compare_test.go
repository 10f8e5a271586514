// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package upgrade_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/internal/rules"
	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/crd/upgrade"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// definition returns a CRD with a version v1. The parameter spec is the schema of the field spec.
// The argument more is text to add to the CRD. version is text to add to its version.
func definition(t *testing.T, spec, more, version string) *crd.Definition {
	t.Helper()
	doc := fmt.Sprintf(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Thing, plural: things}
  %s
  versions:
  - name: v1
    served: true
    storage: true
    %s
    schema: {openAPIV3Schema: {type: object, properties: {spec: %s, status: {type: object, properties: {phase: {type: string}}}}}}
`, more, version, spec)
	all, err := crd.Read("crd.yaml", []byte(doc))
	if err != nil {
		t.Fatalf("%v in\n%s", err, doc)
	}
	return all[0]
}

// rulesAndPaths returns the rule and the path of each change.
func rulesAndPaths(changes []upgrade.Change) (all []string) {
	for _, c := range changes {
		all = append(all, c.Rule+" "+c.Path)
	}
	return all
}

func object(fields string) string { return "{type: object, properties: {" + fields + "}}" }

// conditions returns the schema of an object a with the fields b, c, d, n and e.f. It adds
// text, which contains conditions such as anyOf, to the schema.
func conditions(text string) string {
	if text != "" {
		text = ", " + text
	}
	return "a: {type: object, properties: {b: {type: string}, c: {type: string}, d: {type: string}, n: {type: number}, e: {type: object, properties: {f: {type: string}}}}" + text + "}"
}

// Compare checks conditions against the objects that the server stores. A new default can
// break a condition that an old object satisfies. A null can satisfy or break any
// condition.
func TestConditionsAndStoredValues(t *testing.T) {
	const either = "oneOf: [{required: [b]}, {required: [c]}]}"
	for name, c := range map[string]struct{ old, now, want string }{
		"a default of a field in the condition": {
			"a: {type: object, properties: {b: {type: string}, c: {type: string}}, " + either,
			"a: {type: object, properties: {b: {type: string, default: x}, c: {type: string}}, oneOf: [{required: [c]}, {required: [b]}]}",
			"conditions-changed .spec.a default-added .spec.a.b",
		},
		"a default of another field": {
			"a: {type: object, properties: {b: {type: string}, c: {type: string}, d: {type: string}}, " + either,
			"a: {type: object, properties: {b: {type: string}, c: {type: string}, d: {type: string, default: x}}, oneOf: [{required: [c]}, {required: [b]}]}",
			"default-added .spec.a.d",
		},
		"a default of a field in an unchanged condition": {
			"a: {type: object, properties: {b: {type: string}, c: {type: string}}, " + either,
			"a: {type: object, properties: {b: {type: string, default: x}, c: {type: string}}, " + either,
			"conditions-changed .spec.a default-added .spec.a.b",
		},
		"a default that an unchanged condition accepts": {
			"a: {type: object, properties: {b: {type: string}, c: {type: string}}, anyOf: [{required: [b]}, {required: [c]}]}",
			"a: {type: object, properties: {b: {type: string, default: x}, c: {type: string}}, anyOf: [{required: [b]}, {required: [c]}]}",
			"default-added .spec.a.b",
		},
		"a default of another field, in an unchanged condition": {
			"a: {type: object, properties: {b: {type: string}, c: {type: string}, d: {type: string}}, " + either,
			"a: {type: object, properties: {b: {type: string}, c: {type: string}, d: {type: string, default: x}}, " + either,
			"default-added .spec.a.d",
		},
		"a default that is gone, in an unchanged condition": {
			"a: {type: object, properties: {b: {type: string, default: x}, c: {type: string}}, anyOf: [{required: [b]}]}",
			"a: {type: object, properties: {b: {type: string}, c: {type: string}}, anyOf: [{required: [b]}]}",
			"conditions-changed .spec.a default-gone .spec.a.b",
		},
		"a default of a required field": {
			"a: {type: object, required: [b], properties: {b: {type: string}, c: {type: string}}, " + either,
			"a: {type: object, required: [b], properties: {b: {type: string, default: x}, c: {type: string}}, " + either,
			"",
		},
		"a default that adds a field beyond an unchanged bound": {
			"a: {type: object, maxProperties: 2, properties: {b: {type: string}, c: {type: string}}}",
			"a: {type: object, maxProperties: 2, properties: {b: {type: string}, c: {type: string}, d: {type: string, default: x}}}",
			"bound-tightened .spec.a new-field-default .spec.a.d",
		},
		"defaults that add more fields than a wider bound allows": {
			"a: {type: object, maxProperties: 2, properties: {b: {type: string}, c: {type: string}}}",
			"a: {type: object, maxProperties: 3, properties: {b: {type: string}, c: {type: string}, d: {type: string, default: x}, e: {type: string, default: x}}}",
			"bound-tightened .spec.a new-field-default .spec.a.d new-field-default .spec.a.e",
		},
		"a smaller multipleOf": {
			"a: {type: integer, allOf: [{multipleOf: 4}]}",
			"a: {type: integer, allOf: [{multipleOf: 2}]}",
			"",
		},
		"a larger multipleOf": {
			"a: {type: integer, allOf: [{multipleOf: 2}]}",
			"a: {type: integer, allOf: [{multipleOf: 4}]}",
			"conditions-changed .spec.a",
		},
		"a default that adds a field within a bound": {
			"a: {type: object, maxProperties: 2, properties: {b: {type: string}, c: {type: string}}}",
			"a: {type: object, maxProperties: 3, properties: {b: {type: string}, c: {type: string}, d: {type: string, default: x}, e: {type: string}}}",
			"new-field-default .spec.a.d",
		},
		"a default within a field that is counted": {
			"a: {type: object, properties: {e: {type: object, properties: {f: {type: string}}}}, anyOf: [{properties: {e: {maxProperties: 0}}}]}",
			"a: {type: object, properties: {e: {type: object, properties: {f: {type: string, default: x}}}}, allOf: [{properties: {e: {maxProperties: 0}}}]}",
			"conditions-changed .spec.a default-added .spec.a.e.f",
		},
		"a field that is dropped": {
			"a: {type: object, properties: {b: {type: string}, c: {type: string}}, " + either,
			"a: {type: object, properties: {b: {type: string}}, anyOf: [{required: [c]}, {required: [b]}]}",
			"conditions-changed .spec.a field-gone .spec.a.c",
		},
		"null": {
			"a: {type: object, properties: {b: {type: string, nullable: true}}, anyOf: [{properties: {b: {enum: [x]}}}]}",
			"a: {type: object, properties: {b: {type: string, nullable: true}}, anyOf: [{properties: {b: {not: {enum: [y]}}}}]}",
			"conditions-changed .spec.a",
		},
		"no null": {
			"a: {type: object, properties: {b: {type: string}}, anyOf: [{properties: {b: {enum: [x]}}}]}",
			"a: {type: object, properties: {b: {type: string}}, anyOf: [{properties: {b: {not: {enum: [y]}}}}]}",
			"",
		},
	} {
		got := strings.Join(rulesAndPaths(upgrade.Compare(definition(t, object(c.old), "", ""), definition(t, object(c.now), "", ""))), " ")
		if got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// The message about a wider bound explains that new defaults add fields.
func TestDefaultsBeyondWiderBound(t *testing.T) {
	const old, now = "a: {type: object, maxProperties: 2, properties: {b: {type: string}, c: {type: string}}}",
		"a: {type: object, maxProperties: 3, properties: {b: {type: string}, c: {type: string}, d: {type: string, default: x}, e: {type: string, default: x}}}"
	got := upgrade.Compare(definition(t, object(old), "", ""), definition(t, object(now), "", ""))
	if want := "maxProperties changed from 2 to 3, but new defaults add more fields than that: objects that have too many fields with them are rejected"; len(got) == 0 || got[0].Message != want {
		t.Errorf("got %+v, want %s", got, want)
	}
}

// If a new field has a default, each stored object reads differently than before. Compare
// reports this only as a hint, because no old client knows the field.
func TestNewFieldDefault(t *testing.T) {
	for _, c := range []struct{ old, now, path, message string }{
		{"{type: object, properties: {a: {type: string}}}", "{type: object, default: {}, properties: {a: {type: string}, b: {type: string, default: x}}}", ".spec.b",
			"the field is new and has the default x: clients see this value in every stored object with .spec"},
		{"{type: object, properties: {l: {type: array, items: {type: object}}}}", "{type: object, properties: {l: {type: array, items: {type: object, properties: {b: {type: object, default: {c: 1}, properties: {c: {type: integer, default: 2}}}}}}}}", ".spec.l[*].b",
			"the field is new and has the default {c: 1}: clients see this value in every stored object with .spec.l[*]"},
	} {
		changes := slices.DeleteFunc(upgrade.Compare(definition(t, c.old, "", ""), definition(t, c.now, "", "")), func(x upgrade.Change) bool { return x.Rule == "default-added" })
		if len(changes) != 1 || changes[0].Rule != "new-field-default" || changes[0].Path != c.path || changes[0].Message != c.message {
			t.Errorf("got %+v", changes)
		}
	}
	rule, _ := rules.Lookup("new-field-default")
	existing, _ := rules.Lookup("default-added")
	if rule.Severity != rules.Hint || existing.Severity != rules.Warning {
		t.Errorf("got severities %v and %v", rule.Severity, existing.Severity)
	}
}

// Compare reports a removed rule even if the field has a marker, because released API servers
// ignore markers.
func TestMarkerInsteadOfRule(t *testing.T) {
	const rule = "x-kubernetes-validations: [{rule: %q}]"
	with := func(text string) string { return fmt.Sprintf(rule, text) }
	for name, c := range map[string]struct{ old, now, want string }{
		"rule of the field":        {object("a: {type: string, " + with("self == oldSelf") + "}"), object("a: {type: string, x-kubernetes-immutable: true}"), "immutability .spec.a"},
		"rule of an outer field":   {"{type: object, properties: {a: {type: string}}, " + with("self.a == oldSelf.a") + "}", object("a: {type: string, x-kubernetes-immutable: true}"), "immutability .spec.a"},
		"rule of another field":    {"{type: object, properties: {a: {type: string}, b: {type: string}}, " + with("self.b == oldSelf.b") + "}", object("a: {type: string, x-kubernetes-immutable: true}, b: {type: string}"), "rule-removed .spec"},
		"name inside another name": {"{type: object, properties: {a: {type: string}, tags: {type: string}}, " + with("self.tags == oldSelf.tags") + "}", object("a: {type: string, x-kubernetes-immutable: true}, tags: {type: string}"), "rule-removed .spec"},
		"rule that stays":          {object("a: {type: string, " + with("self == oldSelf") + "}"), object("a: {type: string, x-kubernetes-immutable: true, " + with("self == oldSelf") + "}"), ""},
		"rule without oldSelf":     {object("a: {type: string, " + with("self != 'x'") + "}"), object("a: {type: string, x-kubernetes-immutable: true}"), ""},
		"marker that was there":    {object("a: {type: string, x-kubernetes-immutable: true, " + with("self == oldSelf") + "}"), object("a: {type: string, x-kubernetes-immutable: true}"), "immutability .spec.a"},
		"no rule":                  {object("a: {type: string}"), object("a: {type: string, x-kubernetes-immutable: true}"), ""},
	} {
		changes := upgrade.Compare(definition(t, c.old, "", ""), definition(t, c.now, "", ""))
		if got := strings.Join(rulesAndPaths(changes), " "); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
		if strings.HasPrefix(c.want, "immutability") && !strings.Contains(changes[0].Message, "released API servers ignore x-kubernetes-immutable") {
			t.Errorf("%s: got %s", name, changes[0].Message)
		}
	}
}

// Compare reports a condition that is too large to be proved harmless.
func TestHugeCondition(t *testing.T) {
	var some, others []string
	for i := range 300 {
		some = append(some, fmt.Sprintf("{required: [a%d, b%d]}", i, i))
		others = append(others, fmt.Sprintf("{required: [b%d, a%d]}", 299-i, 299-i))
	}
	old := "a: {type: object, x-kubernetes-preserve-unknown-fields: true, oneOf: [" + strings.Join(some, ", ") + "]}"
	now := "a: {type: object, x-kubernetes-preserve-unknown-fields: true, oneOf: [" + strings.Join(others, ", ") + "]}"
	if got, want := rulesAndPaths(upgrade.Compare(definition(t, object(old), "", ""), definition(t, object(now), "", ""))), []string{"conditions-changed .spec.a"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Compare reports each breaking change of a schema, with its path.
func TestBreaking(t *testing.T) {
	for _, c := range []struct{ name, old, now, want string }{
		{"a field is gone", "a: {type: string}, b: {type: string}", "a: {type: string}", "field-gone .spec.b"},
		{"a field deep down is gone", "a: {type: object, properties: {b: {type: array, items: {type: object, properties: {c: {type: string}}}}}}", "a: {type: object, properties: {b: {type: array, items: {type: object}}}}", "field-gone .spec.a.b[*].c"},
		{"another name", "a: {type: string}", "b: {type: string}", "field-gone .spec.a"},
		{"string to integer", "a: {type: string}", "a: {type: integer}", "type-changed .spec.a"},
		{"number to integer", "a: {type: number}", "a: {type: integer}", "type-changed .spec.a"},
		{"int or string to string", "a: {x-kubernetes-int-or-string: true}", "a: {type: string}", "type-changed .spec.a"},
		{"map to list", "a: {type: object, additionalProperties: {type: string}}", "a: {type: array, items: {type: string}}", "type-changed .spec.a"},
		{"any type to string", "a: {x-kubernetes-preserve-unknown-fields: true}", "a: {type: string}", "type-changed .spec.a"},
		{"values of a map", "a: {type: object, additionalProperties: {type: string}}", "a: {type: object, additionalProperties: {type: integer}}", "type-changed .spec.a.*"},
		{"null no longer allowed", "a: {type: string, nullable: true}", "a: {type: string}", "null-refused .spec.a"},
		{"null becomes the default", "a: {type: string, nullable: true, default: x}", "a: {type: string, default: x}", "null-defaulted .spec.a"},
		{"one enum value less", "a: {type: string, enum: [x, y]}", "a: {type: string, enum: [x]}", "enum-narrowed .spec.a"},
		{"other enum values", "a: {type: string, enum: [x, y]}", "a: {type: string, enum: [x, z]}", "enum-narrowed .spec.a"},
		{"a new enum", "a: {type: string}", "a: {type: string, enum: [x]}", "enum-narrowed .spec.a"},
		{"an enum that was empty", "a: {type: string, enum: []}", "a: {type: string, enum: [x]}", "enum-narrowed .spec.a"},
		{"a pattern besides an empty enum", "a: {type: string, enum: []}", "a: {type: string, pattern: ^x}", "pattern-added .spec.a"},
		{"a new maximum", "a: {type: integer}", "a: {type: integer, maximum: 5}", "bound-tightened .spec.a"},
		{"a lower maximum", "a: {type: integer, maximum: 9}", "a: {type: integer, maximum: 5}", "bound-tightened .spec.a"},
		{"a higher minimum", "a: {type: integer, minimum: 1}", "a: {type: integer, minimum: 2}", "bound-tightened .spec.a"},
		{"a minimum of 0", "a: {type: integer}", "a: {type: integer, minimum: 0}", "bound-tightened .spec.a"},
		{"an exclusive bound", "a: {type: integer, minimum: 1}", "a: {type: integer, minimum: 1, exclusiveMinimum: true}", "bound-tightened .spec.a"},
		{"shorter texts", "a: {type: string, maxLength: 9}", "a: {type: string, maxLength: 8}", "bound-tightened .spec.a"},
		{"no empty texts", "a: {type: string}", "a: {type: string, minLength: 1}", "bound-tightened .spec.a"},
		{"fewer items", "a: {type: array, items: {type: string}}", "a: {type: array, maxItems: 3, items: {type: string}}", "bound-tightened .spec.a"},
		{"fewer fields", "a: {type: object, additionalProperties: {type: string}}", "a: {type: object, maxProperties: 3, additionalProperties: {type: string}}", "bound-tightened .spec.a"},
		{"a new multipleOf", "a: {type: integer}", "a: {type: integer, multipleOf: 2}", "bound-tightened .spec.a"},
		{"a multipleOf with decimals", "a: {type: number, multipleOf: 0.1}", "a: {type: number, multipleOf: 0.3}", "bound-tightened .spec.a"},
		{"another multipleOf", "a: {type: integer, multipleOf: 5}", "a: {type: integer, multipleOf: 10}", "bound-tightened .spec.a"},
		{"a pattern", "a: {type: string}", "a: {type: string, pattern: '^x'}", "pattern-added .spec.a"},
		{"another pattern", "a: {type: string, pattern: '^y'}", "a: {type: string, pattern: '^x'}", "pattern-changed .spec.a"},
		{"a format", "a: {type: string}", "a: {type: string, format: date}", "pattern-added .spec.a"},
		{"a format that was not checked", "a: {type: string, format: binary}", "a: {type: string, format: byte}", "pattern-added .spec.a"},
		{"another format", "a: {type: string, format: ipv4}", "a: {type: string, format: ipv6}", "pattern-changed .spec.a"},
		{"fewer bits", "a: {type: integer, format: int64}", "a: {type: integer, format: int32}", "bound-tightened .spec.a"},
		{"fewer bits, within a bound", "a: {type: integer, minimum: 0}", "a: {type: integer, format: int32, minimum: 0}", "bound-tightened .spec.a"},
		{"a value of the enum is beyond the bound", "a: {type: string, enum: [x, yy]}", "a: {type: string, minLength: 2}", "bound-tightened .spec.a"},
		{"a value of the enum does not match", "a: {type: string, enum: [x, yy]}", "a: {type: string, pattern: ^x}", "pattern-added .spec.a"},
		{"a rule", "a: {type: integer}", "a: {type: integer, x-kubernetes-validations: [{rule: self > 1}]}", "rule-added .spec.a"},
		{"another rule", "a: {type: integer, x-kubernetes-validations: [{rule: self > 1}]}", "a: {type: integer, x-kubernetes-validations: [{rule: self > 2}]}", "rule-added .spec.a"},
		{"a condition", "a: {type: integer}", "a: {type: integer, not: {enum: [5]}}", "conditions-changed .spec.a"},
		{"a condition on an integer or string", "a: {x-kubernetes-int-or-string: true}", "a: {x-kubernetes-int-or-string: true, anyOf: [{pattern: ^a}, {pattern: ^b}]}", "conditions-changed .spec.a"},
		{"one alternative less", "a: {type: object, properties: {b: {type: string}, c: {type: string}}, anyOf: [{required: [b]}, {required: [c]}]}", "a: {type: object, properties: {b: {type: string}, c: {type: string}}, anyOf: [{required: [b]}]}", "conditions-changed .spec.a"},
		{"a condition that needs a new field", "a: {type: object, properties: {b: {type: string}}}", "a: {type: object, properties: {b: {type: string}, c: {type: string}}, anyOf: [{required: [c]}]}", "conditions-changed .spec.a"},
		{"a condition instead of a wider one", conditions("anyOf: [{required: [b]}, {required: [c]}]"), conditions("oneOf: [{required: [b]}, {required: [c]}]"), "conditions-changed .spec.a"},
		{"all instead of any", conditions("anyOf: [{required: [b]}, {required: [c]}]"), conditions("allOf: [{required: [b]}, {required: [c]}]"), "conditions-changed .spec.a"},
		{"a third alternative of exactly one", conditions("oneOf: [{required: [b]}, {required: [c]}]"), conditions("oneOf: [{required: [b]}, {required: [c]}, {required: [d]}]"), "conditions-changed .spec.a"},
		{"a condition that forbids more", conditions("not: {required: [b, c]}"), conditions("not: {required: [b]}"), "conditions-changed .spec.a"},
		{"other values in an alternative", conditions("anyOf: [{properties: {b: {enum: [x, y]}}}]"), conditions("anyOf: [{properties: {b: {enum: [x]}}}]"), "conditions-changed .spec.a"},
		{"a tighter bound in an alternative", conditions("anyOf: [{properties: {b: {minLength: 2}}}]"), conditions("anyOf: [{properties: {b: {minLength: 3}}}]"), "conditions-changed .spec.a"},
		{"the same number written in two ways", conditions("anyOf: [{properties: {n: {enum: [1]}}}]"), conditions("oneOf: [{properties: {n: {enum: [1]}}}, {properties: {n: {enum: [1.0]}}}]"), "conditions-changed .spec.a"},
		{"a condition deeper down that rejects more", conditions("anyOf: [{properties: {e: {properties: {f: {pattern: x}}}}}]"), conditions("anyOf: [{properties: {e: {required: [f], properties: {f: {pattern: x}}}}}]"), "conditions-changed .spec.a"},
		{"a set", "a: {type: array, items: {type: string}}", "a: {type: array, x-kubernetes-list-type: set, items: {type: string}}", "items-unique .spec.a"},
		{"a map with fewer keys", "a: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k, l], items: {type: object, required: [k, l], properties: {k: {type: string}, l: {type: string}}}}", "a: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k, l], properties: {k: {type: string}, l: {type: string}}}}", "items-unique .spec.a"},
		{"a default", "a: {type: integer}", "a: {type: integer, default: 5}", "default-added .spec.a"},
		{"another default", "a: {type: integer, default: 4}", "a: {type: integer, default: 5}", "default-changed .spec.a"},
		{"no default", "a: {type: integer, default: 5}", "a: {type: integer}", "default-gone .spec.a"},
		{"a new field with a default", "a: {type: string}", "a: {type: string}, b: {type: string, default: x}", "new-field-default .spec.b"},
		{"a default of items", "a: {type: array, items: {type: string, default: x}}", "a: {type: array, items: {type: string, default: y}}", "default-changed .spec.a[*]"},
		{"an unknown field is declared", "a: {type: object, x-kubernetes-preserve-unknown-fields: true}", "a: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {b: {type: string}}}", "field-declared .spec.a.b"},
		{"unknown fields are dropped", "a: {type: object, x-kubernetes-preserve-unknown-fields: true}", "a: {type: object}", "unknown-fields-dropped .spec.a"},
		{"keys of a map are dropped", "a: {type: object, additionalProperties: {type: string}}", "a: {type: object, properties: {}}", "unknown-fields-dropped .spec.a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := rulesAndPaths(upgrade.Compare(definition(t, object(c.old), "", ""), definition(t, object(c.now), "", "")))
			if !slices.Equal(got, []string{c.want}) {
				t.Errorf("got %q, want %s", got, c.want)
			}
		})
	}
}

// Compare reports breaking changes outside of schemas, and fields that become required or
// are no longer required.
func TestBreakingAround(t *testing.T) {
	text := object("a: {type: string}")
	beta := "- {name: v1beta1, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}"
	two := "deprecated: false\n  " + beta + "\n  - name: v2\n    served: true\n    storage: false"
	scale := func(replicas, selector string) string {
		return fmt.Sprintf("subresources: {scale: {specReplicasPath: %s, statusReplicasPath: .status.a, labelSelectorPath: %q}}", replicas, selector)
	}
	for _, c := range []struct {
		name     string
		old, now [3]string // the arguments of the function definition
		want     string
	}{
		{"a field is required", [3]string{text}, [3]string{"{type: object, required: [a], properties: {a: {type: string}}}"}, "field-required .spec.a"},
		{"a field that is not declared is required", [3]string{text}, [3]string{"{type: object, required: [b], properties: {a: {type: string}}}"}, "field-required .spec.b"},
		{"a new field is required", [3]string{text}, [3]string{"{type: object, required: [b], properties: {a: {type: string}, b: {type: string}}}"}, "field-required .spec.b"},
		{"a field is no longer required", [3]string{"{type: object, required: [a], properties: {a: {type: string}}}"}, [3]string{text}, "field-optional .spec.a"},
		{"a field gets a default and is no longer required", [3]string{"{type: object, required: [a], properties: {a: {type: string}}}"}, [3]string{object("a: {type: string, default: x}")}, "field-optional .spec.a"},
		{"a field had a default and is no longer required", [3]string{"{type: object, required: [a], properties: {a: {type: string, default: x}}}"}, [3]string{object("a: {type: string, default: x}")}, ""},
		{"a field that is not declared is no longer required", [3]string{"{type: object, required: [b], properties: {a: {type: string}}}"}, [3]string{text}, ""},
		{"a required field loses its default", [3]string{"{type: object, required: [a], properties: {a: {type: string, default: x}}}"}, [3]string{"{type: object, required: [a], properties: {a: {type: string}}}"}, "field-required .spec.a,default-gone .spec.a"},
		{"a required field gets a default", [3]string{"{type: object, required: [a], properties: {a: {type: string}}}"}, [3]string{"{type: object, required: [a], properties: {a: {type: string, default: x}}}"}, ""},
		{"a subresource is gone", [3]string{text, "", "subresources: {status: {}}"}, [3]string{text}, "subresource-gone ."},
		{"scale uses another field", [3]string{text, "", scale(".spec.a", ".x")}, [3]string{text, "", scale(".spec.b", ".x")}, "scale-path .spec.a"},
		{"scale has no selector", [3]string{text, "", scale(".spec.a", ".x")}, [3]string{text, "", scale(".spec.a", "")}, "scale-path .x"},
		{"scale gets a selector", [3]string{text, "", scale(".spec.a", "")}, [3]string{text, "", scale(".spec.a", ".x")}, ""},
		{"status becomes a subresource", [3]string{text}, [3]string{text, "", "subresources: {status: {}}"}, "status-apart .status"},
		{"a selectable field is gone", [3]string{text, "", "selectableFields: [{jsonPath: .spec.a}]"}, [3]string{text}, "selectable-gone .spec.a"},
		{"conversion", [3]string{text, "", two}, [3]string{text, "conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {url: 'https://x'}}}", two}, "conversion-changed ."},
		{"conversion, when one version remains", [3]string{text, "conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {url: 'https://x'}}}", two}, [3]string{text}, "version-gone .,version-gone ."},
		{"a version is gone", [3]string{text, "", two}, [3]string{text, "", "deprecated: false\n  - name: v2\n    served: true\n    storage: false"}, "version-gone ."},
		{"a version is not served", [3]string{text, "", two}, [3]string{text, "", "deprecated: false\n  " + strings.Replace(beta, "served: true", "served: false", 1) + "\n  - name: v2\n    served: true\n    storage: false"}, "version-gone ."},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := rulesAndPaths(upgrade.Compare(definition(t, c.old[0], c.old[1], c.old[2]), definition(t, c.now[0], c.now[1], c.now[2])))
			if strings.Join(got, ",") != c.want {
				t.Errorf("got %q, want %s", got, c.want)
			}
		})
	}
}

// definitionOf returns a CRD with the given names, versions and other fields of spec.
func definitionOf(t *testing.T, names, more, versions string) *crd.Definition {
	t.Helper()
	all, err := crd.Read("crd.yaml", []byte(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Thing, plural: things`+names+`}
  `+more+`
  versions:
`+versions))
	if err != nil {
		t.Fatal(err)
	}
	return all[0]
}

// served returns a version for definitionOf.
func served(name string, storage bool, schema string) string {
	return fmt.Sprintf("  - {name: %s, served: true, storage: %t, schema: {openAPIV3Schema: %s}}\n", name, storage, schema)
}

// Compare reports names that are gone.
func TestNames(t *testing.T) {
	for _, c := range []struct{ old, now, want string }{
		{", shortNames: [t, th]", ", shortNames: [th]", "the short name t was removed; commands that use it fail"},
		{", singular: thing", ", singular: object", "the singular name thing was removed; commands that use it fail"},
		{"", ", singular: object", "the singular name thing was removed; commands that use it fail"},
		{", singular: thing", "", ""},
		{", singular: thing, shortNames: [t]", ", singular: t, shortNames: [thing]", ""},
		{", categories: [{a: b}], shortNames: [{a: b}]", ", categories: [{a: b}], shortNames: [{a: b}]", ""},
		{", categories: [{a: b}, all], shortNames: [{a: b}]", "", "the category all was removed; kubectl get all no longer lists the objects"},
		{", categories: [all]", "", "the category all was removed; kubectl get all no longer lists the objects"},
	} {
		version := served("v1", true, "{type: object}")
		var got []string
		for _, x := range upgrade.Compare(definitionOf(t, c.old, "", version), definitionOf(t, c.now, "", version)) {
			got = append(got, x.Message)
			if x.Rule != "short-name-gone" || x.At.Line == 0 {
				t.Errorf("got %+v", x)
			}
		}
		if strings.Join(got, ",") != c.want {
			t.Errorf("%q to %q: got %q, want %q", c.old, c.now, got, c.want)
		}
	}
}

// The schema of the field kind can be invalid.
func TestInvalidKind(t *testing.T) {
	for _, kind := range []string{"null", "5"} {
		d := definitionOf(t, "", "", served("v1", true, "{type: object, properties: {kind: "+kind+"}}"))
		if got := upgrade.Compare(d, d); got != nil {
			t.Errorf("kind: %s: got %+v", kind, got)
		}
	}
}

// With preserveUnknownFields: true, every object keeps undeclared fields.
func TestPreserveUnknownFields(t *testing.T) {
	const on, off = "preserveUnknownFields: true", "preserveUnknownFields: false"
	a, ab := served("v1", true, object("spec: "+object("a: {type: string}"))), served("v1", true, object("spec: "+object("a: {type: string}, b: {type: integer}")))
	for _, c := range []struct{ name, before, old, after, now, want string }{
		{"it is gone", on, a, off, a, "unknown-fields-dropped ."},
		{"it is gone, and nothing is dropped", on, a, off, served("v1", true, "{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {spec: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: string}}}}}"), ""},
		{"a field is removed", on, ab, on, a, ""},
		{"a field is declared", on, a, on, ab, "field-declared .spec.b"},
		{"both", on, a, off, ab, "unknown-fields-dropped .,field-declared .spec.b"},
		{"it is new", off, a, on, a, ""},
	} {
		if got := strings.Join(rulesAndPaths(upgrade.Compare(definitionOf(t, "", c.before, c.old), definitionOf(t, "", c.after, c.now))), ","); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// A new declaration restricts values that the old schema accepted, because it accepted undeclared
// fields or values of any type.
func TestOpenValues(t *testing.T) {
	const (
		open     = "a: {type: object, x-kubernetes-preserve-unknown-fields: true}"
		anything = "a: {x-kubernetes-preserve-unknown-fields: true}"
		values   = "a: {type: object, additionalProperties: true}"
	)
	for _, c := range []struct{ old, now, want string }{
		{open, "a: {type: object, additionalProperties: {type: string}}", "field-declared .spec.a.*"},
		{open, "a: {type: object, additionalProperties: {x-kubernetes-preserve-unknown-fields: true}}", ""},
		{open, "a: {type: object, x-kubernetes-preserve-unknown-fields: true, x-kubernetes-embedded-resource: true}", "field-required .spec.a.apiVersion,field-required .spec.a.kind"},
		{open, values, "unknown-fields-dropped .spec.a.*"},
		{"a: {type: object, properties: {b: {type: object, properties: {c: {type: string}}}, d: {type: string}}}", values, "unknown-fields-dropped .spec.a.b"},
		{"a: {type: object, additionalProperties: {type: array, items: {type: object, properties: {c: {type: string}}}}}", values, "unknown-fields-dropped .spec.a.*"},
		{"a: {type: object, additionalProperties: {type: string}}", values, ""},
		{values, "a: {type: object, additionalProperties: {type: string}}", "field-declared .spec.a.*"},
		{anything, "a: {x-kubernetes-preserve-unknown-fields: true, enum: [a, b]}", "enum-narrowed .spec.a"},
		{anything, "a: {x-kubernetes-preserve-unknown-fields: true, not: {enum: [a]}}", "conditions-changed .spec.a"},
		{anything, "a: {x-kubernetes-preserve-unknown-fields: true, required: [b], properties: {b: {type: integer}}}", "field-declared .spec.a.b,field-required .spec.a.b"},
		{anything, "a: {x-kubernetes-preserve-unknown-fields: true, items: {type: string}}", "field-declared .spec.a[*]"},
		{"a: {type: string}", "a: {x-kubernetes-preserve-unknown-fields: true, pattern: ^x}", "pattern-added .spec.a"},
		{"a: {type: array, items: {x-kubernetes-preserve-unknown-fields: true}}", "a: {type: array, items: {x-kubernetes-preserve-unknown-fields: true, enum: [a]}}", "enum-narrowed .spec.a[*]"},
		{"a: {type: object, additionalProperties: {type: string}}", "a: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {b: {type: integer}, c: {type: string}}}", "type-changed .spec.a.b"},
	} {
		got := strings.Join(rulesAndPaths(upgrade.Compare(definition(t, object(c.old), "", ""), definition(t, object(c.now), "", ""))), ",")
		if got != c.want {
			t.Errorf("%s to %s: got %q, want %q", c.old, c.now, got, c.want)
		}
	}
	changes := upgrade.Compare(definition(t, object(open), "", ""), definition(t, object("a: {type: object, additionalProperties: {type: object, properties: {b: {type: string}}}}"), "", ""))
	if want := "the values had no schema and now have the type object: other values are rejected, and undeclared fields inside are dropped"; len(changes) != 1 || changes[0].Message != want {
		t.Errorf("got %+v, want %q", changes, want)
	}
}

// Every resource has apiVersion, kind and metadata.name, even if its schema does not declare them.
func TestMeta(t *testing.T) {
	meta := func(fields string) string {
		return "{type: object, properties: {metadata: {type: object" + fields + "}}}"
	}
	embedded := func(more, fields string) string {
		return object("a: {type: object, x-kubernetes-embedded-resource: true" + more + ", properties: {spec: {type: object}" + fields + "}}")
	}
	for _, c := range []struct{ name, old, now, want string }{
		{"a name", meta(""), meta(", properties: {name: {type: string, maxLength: 10}}"), "bound-tightened .metadata.name"},
		{"a prefix of names", "{type: object}", meta(", properties: {generateName: {type: string, pattern: ^x}}"), "pattern-added .metadata.generateName"},
		{"a wider name", meta(", properties: {name: {type: string, maxLength: 10}}"), meta(""), ""},
		{"no metadata", meta(", properties: {name: {type: string, maxLength: 10}}"), "{type: object}", ""},
		{"fields that every object has", "{type: object}", "{type: object, required: [apiVersion, kind, metadata], properties: {apiVersion: {type: string}, kind: {type: string}, metadata: {type: object}}}", ""},
		{"the kind", "{type: object}", "{type: object, properties: {kind: {type: string, enum: [Thing]}}}", ""},
		{"the declared kind", "{type: object, properties: {kind: {type: string}}}", "{type: object, properties: {kind: {type: string, enum: [Thing]}}}", ""},
		{"another kind", "{type: object}", "{type: object, properties: {kind: {type: string, enum: [Other]}}}", "enum-narrowed .kind"},
		{"an embedded kind", embedded("", ""), embedded("", ", kind: {type: string, enum: [Pod]}"), "enum-narrowed .a.kind"},
		{"an embedded name", embedded("", ""), embedded("", ", metadata: {type: object, properties: {name: {type: string, maxLength: 9}, labels: {type: object, additionalProperties: {type: string}}}}"), "bound-tightened .a.metadata.name"},
		{"required fields of an embedded object", embedded("", ""), embedded(", required: [apiVersion, kind]", ", apiVersion: {type: string}, kind: {type: string}"), ""},
		{"required metadata of an embedded object", embedded("", ""), embedded(", required: [metadata]", ", metadata: {type: object}"), "field-required .a.metadata"},
		{"undeclared metadata of an embedded object", embedded("", ", metadata: {type: object}"), embedded("", ""), ""},
		{"an object that is no longer embedded", embedded("", ""), object("a: {type: object, properties: {spec: {type: object}}}"), "field-gone .a.apiVersion,field-gone .a.kind,field-gone .a.metadata"},
		{"a rule about the name", meta(""), "{type: object, x-kubernetes-validations: [{rule: '!has(self.metadata.name)'}], properties: {metadata: {type: object, properties: {name: {type: string}}}}}", "rule-added ."},
	} {
		got := strings.Join(rulesAndPaths(upgrade.Compare(definitionOf(t, "", "", served("v1", true, c.old)), definitionOf(t, "", "", served("v1", true, c.now)))), ",")
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// A field that is new in a version is compared with the field of the old storage version, because
// servers return its stored value.
func TestNewFieldOfStoredObjects(t *testing.T) {
	versions := func(stored, other string) string {
		return served("v1beta1", true, object("spec: "+object(stored))) + served("v1", false, object("spec: "+object(other)))
	}
	const webhook = "conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {service: {namespace: a, name: b}}}}"
	for _, c := range []struct{ name, more, old, now, want string }{
		{"another type", "", versions("a: {type: string}, b: {type: string}", "a: {type: string}"), versions("a: {type: string}, b: {type: string}", "a: {type: string}, b: {type: integer}"),
			"type-changed .spec.b: the field is new, but the old storage version v1beta1 has it; compared with it, the type changed from string to integer: a write is rejected while the object has a value of the old type"},
		{"the same type", "", versions("b: {type: string}", "a: {type: string}"), versions("b: {type: string}", "a: {type: string}, b: {type: string}"), ""},
		{"fewer fields", "", versions("b: "+object("c: {type: string}"), ""), versions("b: "+object("c: {type: string}"), "b: {type: object}"), ""},
		{"a webhook", webhook, versions("b: {type: string}", ""), versions("b: {type: string}", "b: {type: integer}"), ""},
		{"not stored", "", versions("a: {type: string}", "b: {type: string}"), versions("a: {type: string}, b: {type: integer}", "b: {type: string}"), ""},
	} {
		var got []string
		for _, x := range upgrade.Compare(definitionOf(t, "", c.more, c.old), definitionOf(t, "", c.more, c.now)) {
			got = append(got, x.Rule+" "+x.Path+": "+x.Message)
			if x.Version != "v1" {
				t.Errorf("%s: got version %s", c.name, x.Version)
			}
		}
		if strings.Join(got, ",") != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// A new status subresource does not break anything if the old schema had no status.
func TestNewStatus(t *testing.T) {
	crdOf := func(fields, version string) *crd.Definition {
		all, err := crd.Read("crd.yaml", []byte(fmt.Sprintf(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Thing, plural: things}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {%s}}}%s}
`, fields, version)))
		if err != nil {
			t.Fatal(err)
		}
		return all[0]
	}
	old, now := crdOf("spec: {type: object}", ""), crdOf("spec: {type: object}, status: {type: object}", ", subresources: {status: {}}")
	if got := rulesAndPaths(upgrade.Compare(old, now)); got != nil {
		t.Errorf("got %q", got)
	}
}

// A new storage version that lacks a field is a breaking change.
func TestStorage(t *testing.T) {
	doc := func(alpha, v1, fields string) *crd.Definition {
		all, err := crd.Read("crd.yaml", []byte(fmt.Sprintf(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Thing, plural: things}
  versions:
  - {name: v1alpha1, served: true, storage: %s, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {a: {type: string}, b: {type: string}}}}}}}
  - {name: v1, served: true, storage: %s, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {%s}}}}}}
`, alpha, v1, fields)))
		if err != nil {
			t.Fatal(err)
		}
		return all[0]
	}
	got := rulesAndPaths(upgrade.Compare(doc("true", "false", "a: {type: string}"), doc("false", "true", "a: {type: string}")))
	if want := []string{"storage-version .", "lost-in-storage .spec.b"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	more, err := crd.Read("crd.yaml", []byte(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Thing, plural: things}
  versions:
  - {name: v1alpha1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {a: {type: string}, b: {type: string}}}}}}}
  - {name: v1, served: true, storage: false, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {a: {type: string}}}}}}}
  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}
`))
	if err != nil {
		t.Fatal(err)
	}
	if got := rulesAndPaths(upgrade.Compare(doc("true", "false", "a: {type: string}"), more[0])); got != nil {
		t.Errorf("with another version: got %q", got)
	}
	got = rulesAndPaths(upgrade.Compare(doc("true", "false", "a: {type: string}, b: {type: string}"), doc("false", "true", "a: {type: string}, b: {type: string}")))
	if want := []string{"storage-version ."}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Compare compares the old storage version with a version that only the new definition serves. It
// does not if a webhook converts objects, or if the old definition serves the version, too.
func TestNewVersion(t *testing.T) {
	const (
		atomic = "{type: array, x-kubernetes-list-type: atomic, items: {type: string}}"
		set    = "{type: array, x-kubernetes-list-type: set, items: {type: string, maxLength: 5}}"
		rules  = "x-kubernetes-validations: [{rule: 'self.tags == oldSelf.tags'}, {rule: 'size(self.tags) < 3'}], "
	)
	version := func(name string, storage bool, rules, tags string) string {
		return fmt.Sprintf("\n  - {name: %s, served: true, storage: %t, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, %sproperties: {tags: %s}}}}}}", name, storage, rules, tags)
	}
	const webhook = "{strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {service: {namespace: a, name: b}}}}"
	for _, c := range []struct {
		name, conversion, old, now string
		want                       []string
		versions                   []upgrade.NewVersion
	}{
		{"a new storage version", "{strategy: None}", version("v1", true, "", atomic), version("v1", false, "", atomic) + version("v2", true, rules, set),
			[]string{"storage-version .", "rule-added .spec", "items-unique .spec.tags", "bound-tightened .spec.tags[*]"}, []upgrade.NewVersion{{Stored: "v1", Name: "v2", Served: true, Storage: true}}},
		{"a new version", "{strategy: None}", version("v1", true, "", atomic), version("v1", true, "", atomic) + version("v2", false, rules, set),
			[]string{"items-unique .spec.tags"}, []upgrade.NewVersion{{Stored: "v1", Name: "v2", Served: true}}},
		{"a webhook", webhook, version("v1", true, "", atomic), version("v1", false, "", atomic) + version("v2", true, rules, set),
			[]string{"storage-version ."}, nil},
		{"an old version becomes the storage version", "{strategy: None}", version("v1", true, "", atomic) + version("v2", false, rules, set), version("v1", false, "", atomic) + version("v2", true, rules, set),
			[]string{"storage-version ."}, []upgrade.NewVersion{{Stored: "v1", Name: "v2", Storage: true}}},
		{"an old version changes", "{strategy: None}", version("v1", true, "", atomic) + version("v2", false, "", atomic), version("v1", false, "", atomic) + version("v2", true, "", set),
			[]string{"items-unique .spec.tags", "bound-tightened .spec.tags[*]", "storage-version ."}, []upgrade.NewVersion{{Stored: "v1", Name: "v2", Storage: true}}},
	} {
		read := func(versions string) *crd.Definition {
			all, err := crd.Read("crd.yaml", []byte(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Thing, plural: things}
  conversion: `+c.conversion+`
  versions:`+versions+"\n"))
			if err != nil {
				t.Fatal(err)
			}
			return all[0]
		}
		old, now := read(c.old), read(c.now)
		if got := rulesAndPaths(upgrade.Compare(old, now)); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
		if got := upgrade.NewVersions(old, now); !slices.Equal(got, c.versions) {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.versions)
		}
		for _, x := range upgrade.Compare(old, now) {
			if x.Rule == "items-unique" && (x.Version != "v2" || strings.HasPrefix(c.name, "a new") && x.Message != "compared with the old storage version v1, the list type is now set: duplicates are rejected") {
				t.Errorf("%s: got %+v", c.name, x)
			}
		}
	}
}

// Compare does not report changes that neither reject nor change existing objects.
func TestHarmless(t *testing.T) {
	for _, c := range []struct{ name, old, now string }{
		{"nothing", "a: {type: string}", "a: {type: string}"},
		{"a new field", "a: {type: string}", "a: {type: string}, b: {type: string}"},
		{"a new field with a default inside", "a: {type: string}", "a: {type: string}, b: {type: object, properties: {c: {type: string, default: x}}}"},
		{"an undeclared field that was required", "a: {type: object, required: [b], properties: {c: {type: string}}}", "a: {type: object, required: [b], properties: {c: {type: string}, d: {type: string}}}"},
		{"a new object with what it requires", "a: {type: string}", "a: {type: string}, b: {type: object, required: [c], properties: {c: {type: string}}}"},
		{"a description", "a: {type: string}", "a: {type: string, description: an a}"},
		{"an empty enum", "a: {type: string}", "a: {type: string, enum: []}"},
		{"a smaller multipleOf", "a: {type: integer, multipleOf: 10}", "a: {type: integer, multipleOf: 5}"},
		{"a smaller multipleOf that is no binary fraction", "a: {type: number, multipleOf: 0.3}", "a: {type: number, multipleOf: 0.1}"},
		{"a tenth of multipleOf", "a: {type: number, multipleOf: 1}", "a: {type: number, multipleOf: 0.1}"},
		{"an enum of decimal multiples", "a: {type: number, enum: [0.7, 1]}", "a: {type: number, multipleOf: 0.1}"},
		{"multiples of 1", "a: {type: integer}", "a: {type: integer, multipleOf: 1}"},
		{"as many fields as before", "a: {type: object, properties: {b: {type: string}, c: {type: string}}}", "a: {type: object, maxProperties: 2, properties: {b: {type: string}, c: {type: string}, d: {type: string}}}"},
		{"more fields, but no object has them", "a: {type: object, maxProperties: 5, properties: {b: {type: string}, c: {type: string}}}", "a: {type: object, maxProperties: 2, properties: {b: {type: string}, c: {type: string}, d: {type: string}}}"},
		{"an enum of multiples", "a: {type: integer, enum: [5, 15]}", "a: {type: integer, multipleOf: 5}"},
		{"the types of an integer or string", "a: {x-kubernetes-int-or-string: true}", "a: {x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}"},
		{"the types of an integer or string, in allOf", "a: {x-kubernetes-int-or-string: true}", "a: {x-kubernetes-int-or-string: true, allOf: [{anyOf: [{type: integer}, {type: string}]}]}"},
		{"more values", "a: {type: string, enum: [x]}", "a: {type: string, enum: [y, x]}"},
		{"any value", "a: {type: string, enum: [x]}", "a: {type: string}"},
		{"a higher maximum", "a: {type: integer, maximum: 5}", "a: {type: integer, maximum: 6}"},
		{"no maximum", "a: {type: integer, maximum: 5}", "a: {type: integer}"},
		{"a bound without effect", "a: {type: string}", "a: {type: string, minLength: 0}"},
		{"a bound that is no longer exclusive", "a: {type: integer, minimum: 1, exclusiveMinimum: true}", "a: {type: integer, minimum: 1}"},
		{"any number", "a: {type: integer}", "a: {type: number}"},
		{"a number, too", "a: {type: string}", "a: {x-kubernetes-int-or-string: true}"},
		{"null", "a: {type: string}", "a: {type: string, nullable: true}"},
		{"bounds of a string that its enum satisfies", "a: {type: string, enum: [x, yy]}", "a: {type: string, minLength: 1, maxLength: 2, pattern: '^(x|y+)$'}"},
		{"bounds of an integer that its enum satisfies", "a: {type: integer, enum: [1, 3]}", "a: {type: integer, minimum: 1, maximum: 3}"},
		{"no empty text, which the pattern did not take", "a: {type: string, pattern: '^[a-z]+$'}", "a: {type: string, pattern: '^[a-z]+$', minLength: 1}"},
		{"a larger format", "a: {type: integer, format: int32}", "a: {type: integer, format: int64}"},
		{"64 bits", "a: {type: integer}", "a: {type: integer, format: int64}"},
		{"fewer bits, beyond the bounds", "a: {type: integer, minimum: 0, maximum: 9}", "a: {type: integer, format: int32, minimum: 0, maximum: 9}"},
		{"bounds equal to those of the format", "a: {type: integer, format: int32}", "a: {type: integer, minimum: -2147483648, maximum: 2147483647}"},
		{"a format that is not checked", "a: {type: string}", "a: {type: string, format: quantity}"},
		{"no pattern", "a: {type: string, pattern: '^x'}", "a: {type: string}"},
		{"a wider pattern", "a: {type: string, pattern: '^[a-z]+$'}", "a: {type: string, pattern: '^[a-z-]+$'}"},
		{"another spelling of a default", "a: {type: string, default: 1h}", "a: {type: string, default: 1h0m0s}"},
		{"no set", "a: {type: array, x-kubernetes-list-type: set, items: {type: string}}", "a: {type: array, items: {type: string}}"},
		{"a set of one", "a: {type: array, maxItems: 1, items: {type: string}}", "a: {type: array, maxItems: 1, x-kubernetes-list-type: set, items: {type: string}}"},
		{"a map with more keys", "a: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k, l], properties: {k: {type: string}, l: {type: string}}}}", "a: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k, l], items: {type: object, required: [k, l], properties: {k: {type: string}, l: {type: string}}}}"},
		{"no rule", "a: {type: integer, x-kubernetes-validations: [{rule: self > 1}]}", "a: {type: integer}"},
		{"another message", "a: {type: integer, x-kubernetes-validations: [{rule: self > 1}]}", "a: {type: integer, x-kubernetes-validations: [{rule: self > 1, message: no}]}"},
		{"no condition", "a: {type: integer, not: {enum: [5]}}", "a: {type: integer}"},
		{"an alternative with a new field", "a: {type: object, properties: {b: {type: string}, c: {type: string}}, oneOf: [{not: {anyOf: [{required: [b]}, {required: [c]}]}}, {required: [b]}, {required: [c]}]}", "a: {type: object, properties: {b: {type: string}, c: {type: string}, d: {type: string}}, oneOf: [{not: {anyOf: [{required: [b]}, {required: [c]}, {required: [d]}]}}, {required: [b]}, {required: [c]}, {required: [d]}]}"},
		{"a negated condition about a new field", "a: {type: object, properties: {b: {type: string}}}", "a: {type: object, properties: {b: {type: string}, c: {type: string}}, not: {required: [b, c]}}"},
		{"a condition that is always true", conditions(""), conditions("oneOf: [{properties: {b: {}}}]")},
		{"an alternative that is always true", conditions(""), conditions("anyOf: [{}, {required: [b]}]")},
		{"no alternatives", conditions(""), conditions("anyOf: [], oneOf: [], allOf: []")},
		{"another order of alternatives", conditions("oneOf: [{required: [b]}, {required: [c]}]"), conditions("oneOf: [{required: [c]}, {required: [b]}]")},
		{"another order in alternatives", conditions("anyOf: [{required: [b, c]}]"), conditions("anyOf: [{required: [c, b]}]")},
		{"an alternative that another one includes", conditions("anyOf: [{required: [b]}, {required: [c]}]"), conditions("anyOf: [{required: [b]}, {required: [c]}, {required: [b, c]}]")},
		{"one more alternative", conditions("anyOf: [{required: [b]}]"), conditions("anyOf: [{required: [b]}, {required: [d]}]")},
		{"a condition under another keyword", conditions("anyOf: [{required: [b]}]"), conditions("allOf: [{required: [b]}]")},
		{"a condition that is already required", conditions("required: [b]"), conditions("required: [b], anyOf: [{required: [b]}, {required: [c]}]")},
		{"a condition that forbids less", conditions("not: {required: [b]}"), conditions("not: {required: [b, c]}")},
		{"one of two instead of neither both nor none", conditions("anyOf: [{required: [b]}, {required: [c]}], not: {required: [b, c]}"), conditions("oneOf: [{required: [b]}, {required: [c]}]")},
		{"properties that say nothing", conditions("oneOf: [{required: [b]}, {required: [c]}]"), conditions("oneOf: [{properties: {b: {}}, required: [b]}, {properties: {c: {}}, required: [c]}]")},
		{"more values in an alternative", conditions("anyOf: [{properties: {b: {enum: [x]}}}, {required: [c]}]"), conditions("anyOf: [{properties: {b: {enum: [y, x]}}}, {required: [c]}]")},
		{"different values exclude each other", conditions("allOf: [{properties: {b: {enum: [x]}}, required: [b]}]"), conditions("oneOf: [{properties: {b: {enum: [x]}}}, {properties: {b: {enum: [y]}}}]")},
		{"a wider bound in an alternative", conditions("anyOf: [{properties: {b: {minLength: 3}}}]"), conditions("anyOf: [{properties: {b: {minLength: 2}}}]")},
		{"a condition deeper down", conditions("anyOf: [{properties: {e: {required: [f], properties: {f: {pattern: x}}}}}, {required: [b]}]"), conditions("anyOf: [{required: [b]}, {properties: {e: {properties: {f: {pattern: x}}, required: [f]}}}]")},
		{"anything", "a: {type: string}", "a: {x-kubernetes-preserve-unknown-fields: true}"},
		{"fields become values of a map", "a: {type: object, properties: {b: {type: string}}}", "a: {type: object, additionalProperties: {type: string}}"},
		{"unknown fields are kept", "a: {type: object, properties: {b: {type: string}}}", "a: {type: object, x-kubernetes-preserve-unknown-fields: true}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := rulesAndPaths(upgrade.Compare(definition(t, object(c.old), "", ""), definition(t, object(c.now), "", ""))); got != nil {
				t.Errorf("got %q", got)
			}
		})
	}
	text := object("a: {type: string}")
	for name, now := range map[string]*crd.Definition{
		"a column":                  definition(t, text, "", "additionalPrinterColumns: [{name: A, type: string, jsonPath: .spec.a}]"),
		"a scale":                   definition(t, text, "", "subresources: {scale: {specReplicasPath: .spec.a, statusReplicasPath: .status.a}}"),
		"conversion of one version": definition(t, object("a: {type: string}"), "conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {url: 'https://x'}}}", ""),
	} {
		if got := rulesAndPaths(upgrade.Compare(definition(t, text, "", ""), now)); got != nil {
			t.Errorf("%s: got %q", name, got)
		}
	}
}

// CompareValues compares only the accepted values, and ignores references.
func TestCompareValues(t *testing.T) {
	schema := func(text string) map[string]any {
		docs, err := manifest.ReadValues("schema.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return docs[0].(map[string]any)
	}
	old := schema("{type: object, properties: {a: {type: string}, b: {type: integer}, c: {allOf: [{$ref: '#/x'}], default: {}}, d: {type: array, items: {$ref: '#/x'}}, gone: {type: string}}}")
	now := schema("{type: object, required: [a], properties: {a: {type: string, enum: [x]}, b: {type: integer, default: 3, maximum: 9}, c: {$ref: '#/y'}, d: {type: array, items: {allOf: [{$ref: '#/x'}], default: {}}}}}")
	if got, want := rulesAndPaths(upgrade.CompareValues(old, now)), []string{"enum-narrowed .a", "bound-tightened .b"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := upgrade.CompareValues(now, old); len(got) > 0 {
		t.Errorf("from new to old: got %v", got)
	}
	if old["properties"].(map[string]any)["c"].(map[string]any)["allOf"] == nil {
		t.Error("the schema was changed")
	}
}

// internal/rules lists the rule of every change that Compare can report.
func TestRulesAreListed(t *testing.T) {
	listed := rules.Upgrade()
	old := definition(t, object("a: {type: string}"), "", "")
	for _, c := range upgrade.Compare(old, definition(t, object("b: {type: string}"), "", "")) {
		if !slices.ContainsFunc(listed, func(r rules.Rule) bool { return r.ID == c.Rule }) {
			t.Errorf("%s is not listed", c.Rule)
		}
		if c.At.File != "crd.yaml" || c.At.Line == 0 || c.Version != "v1" || c.Message == "" {
			t.Errorf("got %+v", c)
		}
	}
}
