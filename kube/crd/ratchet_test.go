// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd_test

import (
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/crd/internal/crdtest"
)

func rulesOf(fs crd.Findings) string {
	var all []string
	for _, f := range fs {
		all = append(all, string(f.Rule)+"@"+f.Path[strings.LastIndexByte(f.Path, '.')+1:])
	}
	return strings.Join(all, " ")
}

func TestValidateUpdate(t *testing.T) {
	const bad = `type: object
properties:
  a: {type: string, default: 5}
  b: {type: string}
  l: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, properties: {k: {type: string}}}}`
	structural := strings.Replace(bad, "  l:", "  m:", 1)
	structural = structural[:strings.Index(structural, "  m:")]
	good := crdtest.Document(structural)
	preserving := func(schema string) string {
		return strings.Replace(crdtest.Document(schema), "  group:", "  preserveUnknownFields: true\n  group:", 1)
	}
	for _, c := range []struct {
		name, old, now, violations, kept string
	}{
		{"nothing wrong", crdtest.Document("{type: object}"), crdtest.Document("{type: object}"), "", ""},
		{"a default that stays", good, good, "", "default-value@default"},
		{"a rule of the schema that stays", crdtest.Document(bad), crdtest.Document(bad), "", "default-value@default key-without-default@k"},
		{"another wrong default", good, strings.Replace(good, "default: 5", "default: 6", 1), "default-value@default", ""},
		{"one more wrong default", good, strings.Replace(good, "b: {type: string}", "b: {type: string, default: 7}", 1), "default-value@default", "default-value@default"},
		{"corrected", good, strings.Replace(good, "default: 5", "default: x", 1), "", ""},
		{"new wrong default", crdtest.Document("{type: object}"), good, "default-value@default", ""},
		{"versions in another order", good, strings.Replace(good, "  - name: v1",
			"  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}\n  - name: v1", 1), "", "default-value@default"},
		{"in another version", good, strings.Replace(good, "name: v1\n", "name: v2\n", 1), "stored-version-gone@versions default-value@default", ""},
		{"another group", crdtest.Document("{type: object}"), strings.ReplaceAll(crdtest.Document("{type: object}"), "example.com", "example.org"), "changed@group", ""},
		{"another plural", crdtest.Document("{type: object}"), strings.ReplaceAll(crdtest.Document("{type: object}"), "things", "thingses"), "changed@plural", ""},
		{"another kind and scope", crdtest.Document("{type: object}"), strings.NewReplacer("Thing", "Thong", "Namespaced", "Cluster").Replace(crdtest.Document("{type: object}")),
			"changed@scope changed@kind", ""},
		{"another kind before it is established", crdtest.Document("{type: object}") + "status: {conditions: [{type: Established, status: 'False'}]}\n",
			strings.Replace(crdtest.Document("{type: object}"), "Thing", "Thong", 1), "", ""},
		{"preserving all fields", preserving("{type: object}"), preserving("{type: object}"), "", "versions@preserveUnknownFields"},
		{"a default in a CRD that preserves all fields", preserving("{type: object}"), preserving("{type: object, properties: {a: {type: string, default: x}}}"),
			"versions@preserveUnknownFields", "versions@preserveUnknownFields"},
		{"a stored version goes", crdtest.Document("{type: object}") + "status: {storedVersions: [v0, v1]}\n", crdtest.Document("{type: object}"), "stored-version-gone@versions", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			violations, kept := crdtest.Read(t, c.now).ValidateUpdate(crdtest.Read(t, c.old))
			if got := rulesOf(violations); got != c.violations {
				t.Errorf("got the violations %q, want %q:\n%v", got, c.violations, violations)
			}
			if got := rulesOf(kept); got != c.kept {
				t.Errorf("got kept %q, want %q:\n%v", got, c.kept, kept)
			}
		})
	}
}

// TestValidateStored checks a new CRD, an update, and objects that are not CRDs.
func TestValidateStored(t *testing.T) {
	bad := crdtest.Read(t, crdtest.Document("{type: object, properties: {a: {}}}")).Object().Content
	for _, c := range []struct {
		name         string
		object, live map[string]any
		want         string
	}{
		{"new", bad, nil, "type@a"}, {"unchanged", bad, bad, ""},
	} {
		found, err := crd.ValidateStored(c.object, c.live)
		if got := rulesOf(found); got != c.want || err != nil {
			t.Errorf("%s: got %q, %v, want %q", c.name, got, err, c.want)
		}
	}
	service := map[string]any{"apiVersion": "v1", "kind": "Service", "metadata": map[string]any{"name": "a"}}
	for _, pair := range [][2]map[string]any{{service, nil}, {bad, service}} {
		if found, err := crd.ValidateStored(pair[0], pair[1]); err == nil {
			t.Errorf("got %v and no error for a Service", found)
		}
	}
}

// ValidateUpdate must not change the findings that Validate returns.
func TestValidateUpdateKeepsFindings(t *testing.T) {
	old, now := crdtest.Read(t, crdtest.Document("{type: object}")), crdtest.Read(t, strings.ReplaceAll(crdtest.Document("{type: object, properties: {a: {}}}"), "example.com", "example.org"))
	before := now.Validate()
	first, _ := now.ValidateUpdate(old)
	second, _ := now.ValidateUpdate(old)
	if len(first) != 2 || first.Error() != second.Error() || now.Validate().Error() != before.Error() || len(before) != 1 {
		t.Errorf("got\n%v\nthen\n%v", first, second)
	}
}
