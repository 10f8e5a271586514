// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/crd/internal/crdtest"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// A wrong default is reported beside every other error of a CRD. The test adds one to each CRD
// with errors in testdata.
func TestDefaultBesideErrors(t *testing.T) {
	const field = "addedByTheTest"
	beside := map[crd.Rule]bool{}
	for _, file := range []string{"structural", "markers", "envelope", "defaults", "rules"} {
		for _, in := range crdtest.Inputs(t, "testdata/"+file+".txt") {
			d := crdtest.Read(t, crdtest.Document(in))
			before := d.Validate()
			versions, _ := at(d.Object().Content, "spec", "versions").([]any)
			for i, v := range versions {
				schema, _ := at(v, "schema", "openAPIV3Schema").(map[string]any)
				if schema == nil {
					continue
				}
				properties, ok := schema["properties"].(map[string]any)
				if schema["properties"] == nil {
					properties = map[string]any{}
					schema["properties"] = properties
				} else if !ok {
					continue
				}
				properties[field] = map[string]any{"type": "integer", "default": "3"}
				found := crd.New(d.Object()).Validate()
				delete(properties, field)
				if !slices.ContainsFunc(found, func(f *crd.Finding) bool {
					return f.Rule == openapi.DefaultValue && strings.HasSuffix(f.Path, "."+field+".default")
				}) {
					t.Errorf("no finding for the wrong default in version %d:\n%s\ngot %v", i, in, found)
				}
				for _, f := range before {
					beside[f.Rule] = true
				}
			}
		}
	}
	for _, rule := range crd.DocumentRules {
		if !beside[rule] && rule != crd.TooDeep && rule != crd.TooLarge && rule != crd.NoSchema && rule != crd.DefaultVersion {
			t.Errorf("no case has a wrong default beside the rule %s", rule)
		}
	}
}

// at returns the value at a path of field names, or nil.
func at(v any, path ...string) any {
	for _, name := range path {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	return v
}

func TestUnchecked(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"no error", "{type: object, properties: {a: {type: integer, default: 3}}}", ""},
		{"a marker", "{type: object, properties: {a: {type: integer, default: 3, x-kubernetes-immutable: false}}}", ""},
		{"a sibling", "{type: object, properties: {a: {type: integer, default: 3}, b: {}}}", ""},
		{"no type", "{type: object, properties: {a: {default: 3}}}", "a.default by type"},
		{"below a default", "{type: object, properties: {a: {type: object, default: {}, properties: {b: {}}}}}", "a.default by type"},
		{"wrong type in the schema", "{type: object, properties: {a: {type: integer, default: 3, minimum: x}}}", "a.default by malformed"},
		{"a sibling that cannot be converted", "{type: object, properties: {a: {type: integer, default: 3}, b: {type: integer, $ref: x}}}", ""},
		{"rules", "{type: object, x-kubernetes-validations: [{rule: 'true'}], properties: {a: {}}}", "openAPIV3Schema by type"},
		{"default with a broken rule", "{type: object, properties: {a: {type: integer, default: 3, x-kubernetes-validations: [{rule: 'x'}]}}}", "a.default by validations"},
		{"default with a rule beside an error", "{type: object, properties: {a: {type: integer, default: 3, x-kubernetes-validations: [{rule: 'self > 1'}]}, b: {}}}", "openAPIV3Schema by type, a.default by type"},
		{"too deep", "{type: object, properties: {a: " + strings.Repeat("{type: array, items: ", 600) + "{type: string}" + strings.Repeat("}", 600) + "}}", " by too-deep"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := crdtest.Read(t, crdtest.Document(c.in))
			var got []string
			for _, u := range d.Unchecked() {
				if !slices.Contains(d.Validate(), u.Cause) {
					t.Errorf("the cause %v is not a finding", u.Cause)
				}
				got = append(got, u.Path[strings.LastIndexByte(strings.TrimSuffix(u.Path, ".default"), '.')+1:]+" by "+string(u.Cause.Rule))
			}
			if all := strings.Join(got, ", "); all != c.want {
				t.Errorf("got %q, want %q:\n%v", all, c.want, d.Validate())
			}
		})
	}
}

// If a CRD has too many errors, some of them are omitted, and with them the causes.
func TestUncheckedOmitted(t *testing.T) {
	doc := crdtest.Document("{type: object, properties: {" + manyErrors(600) + "}}")
	d := crdtest.Read(t, doc)
	found, unchecked := d.Validate(), d.Unchecked()
	if last := unchecked[len(unchecked)-1]; last.Path != "" || len(last.Rules) > 0 || last.Cause != found[len(found)-1] {
		t.Errorf("got %+v", last)
	}
}

func manyErrors(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("a%d: {}", i))
	}
	return strings.Join(all, ", ")
}
