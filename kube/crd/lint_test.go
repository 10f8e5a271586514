// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/crd/internal/crdtest"
)

func TestLint(t *testing.T) {
	crdtest.CheckBlocks(t, "testdata/lint.txt", func(t *testing.T, in string) string {
		d := crdtest.Read(t, crdtest.Document(in))
		if found := d.Validate(); len(found) > 0 {
			t.Errorf("Validate reports errors: %v", found)
		}
		return lines(d.Lint())
	})
}

// Lint ignores versions that are not served. It returns nothing for a CRD that was not
// read completely.
func TestLintIgnores(t *testing.T) {
	in := crdtest.Document("{type: object, properties: {a: {type: array, items: {type: string}}}}")
	if got := crdtest.Read(t, in).Lint(); len(got) != 1 {
		t.Fatalf("got %v", got)
	}
	if got := crdtest.Read(t, strings.Replace(in, "served: true", "served: false", 1)).Lint(); len(got) > 0 {
		t.Errorf("got %v", got)
	}
	if got := crdtest.Read(t, crdtest.Head+`        {"type": "object", "not": `+strings.Repeat(`{"not": `, 1000)+"{}"+strings.Repeat("}", 1001)).Lint(); len(got) > 0 {
		t.Errorf("got %v", got)
	}
}

// A key has different defaults in two versions, so a list item without the key is a
// different item in each version.
func TestLintKeyDefaults(t *testing.T) {
	version := func(name, storage, protocol string) string {
		return `{"name": "` + name + `", "served": true, "storage": ` + storage + `, "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object", "properties": {
			"ports": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port", "protocol"], "items": {"type": "object", "required": ["port"], "properties": {
				"port": {"type": "integer"}, "protocol": {"type": "string", "default": ` + protocol + `}}}}}}}}}}`
	}
	for protocol, want := range map[string]int{`"TCP"`: 0, `"UDP"`: 1} {
		d := crdtest.Read(t, `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "svcs.example.com"}, "spec": {"group": "example.com", "scope": "Namespaced",
			"names": {"kind": "Svc", "plural": "svcs"}, "versions": [`+version("v1", "true", `"TCP"`)+", "+version("v2", "false", protocol)+`]}}`)
		found := d.Lint()
		if len(found) != want || want > 0 && found[0].Rule != crd.KeyDefaultDiffers {
			t.Errorf("%s: got %v", protocol, found)
		}
	}
}

// A list is merged differently in two served versions. Lint reports it once, except if a webhook
// converts objects, if only one of the versions is served, or if the list is inside an atomic list.
func TestLintMergeTypes(t *testing.T) {
	const (
		atomic = `{"type": "array", "x-kubernetes-list-type": "atomic", "items": {"type": "object", "required": ["port"], "properties": {"port": {"type": "integer"}}}}`
		keyed  = `{"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port"], "items": {"type": "object", "required": ["port"], "properties": {"port": {"type": "integer"}}}}`
		inside = `{"type": "array", "x-kubernetes-list-type": "atomic", "items": {"type": "object", "properties": {"ports": `
	)
	version := func(name string, storage, served bool, ports string) string {
		return fmt.Sprintf(`{"name": %q, "served": %t, "storage": %t, "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object", "properties": {"ports": %s}}}}}}`, name, served, storage, ports)
	}
	const webhook = `"conversion": {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"], "clientConfig": {"service": {"namespace": "a", "name": "b"}}}},`
	for _, c := range []struct {
		name, conversion, v1, v2 string
		served                   bool
		want                     string
	}{
		{"list types", "", atomic, keyed, true, "this field is a list with the keys [port] here and an atomic list in version v1, but servers"},
		{"the same list type", "", keyed, keyed, true, ""},
		{"a webhook", webhook, atomic, keyed, true, ""},
		{"not served", "", atomic, keyed, false, ""},
		{"inside an atomic list", "", inside + atomic + "}}}", inside + keyed + "}}}", true, ""},
		{"map types", "", `{"type": "object", "additionalProperties": {"type": "string"}}`, `{"type": "object", "x-kubernetes-map-type": "atomic", "additionalProperties": {"type": "string"}}`, true, "this field is an atomic map here and a granular map in version v1, but"},
	} {
		d := crdtest.Read(t, `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "svcs.example.com"}, "spec": {`+c.conversion+`"group": "example.com", "scope": "Namespaced",
			"names": {"kind": "Svc", "plural": "svcs"}, "versions": [`+version("v1", true, true, c.v1)+", "+version("v2", false, c.served, c.v2)+", "+version("v3", false, c.served, c.v2)+`]}}`)
		var got []string
		for _, f := range d.Lint() {
			if f.Rule == crd.MergeTypeDiffers {
				got = append(got, f.Path+" "+f.Message)
			}
		}
		if c.want == "" {
			if len(got) > 0 {
				t.Errorf("%s: got %q", c.name, got)
			}
			continue
		}
		const path = ".spec.versions[%d].schema.openAPIV3Schema.properties.spec.properties.ports "
		if len(got) != 2 || !strings.HasPrefix(got[0], fmt.Sprintf(path, 1)+c.want) || !strings.HasPrefix(got[1], fmt.Sprintf(path, 2)+c.want) {
			t.Errorf("%s: got %q", c.name, got)
		}
	}
}

// A field has different types in two served versions. Lint reports it once, except if a webhook converts
// objects.
func TestLintFieldTypes(t *testing.T) {
	version := func(name string, storage bool, field string) string {
		return fmt.Sprintf("  - {name: %s, served: true, storage: %t, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {f: %s}}}}}}\n", name, storage, field)
	}
	const webhook = "conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {service: {namespace: a, name: b}}}}"
	for _, c := range []struct{ conversion, v1, v2, want string }{
		{"", "{type: string}", "{type: integer}", "properties.f: this field has the type integer here and string in version v1, but"},
		{"", "{type: string}", "{x-kubernetes-int-or-string: true}", "properties.f: this field has the type integer or string here and string in version v1, but"},
		{"", "{type: array, x-kubernetes-list-type: atomic, items: {type: string}}", "{type: array, x-kubernetes-list-type: atomic, items: {type: integer}}", "properties.f.items: this field has the type integer here and string in version v1, but"},
		{"", "{type: string}", "{type: string}", ""},
		{"", "{x-kubernetes-preserve-unknown-fields: true}", "{type: string}", ""},
		{webhook, "{type: string}", "{type: integer}", ""},
	} {
		d := crdtest.Read(t, `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Thing, plural: things}
  `+c.conversion+`
  versions:
`+version("v1", true, c.v1)+version("v2", false, c.v2)+version("v3", false, c.v2))
		var got []string
		for _, f := range d.Lint() {
			if f.Rule == crd.TypeDiffers {
				got = append(got, f.Path+": "+f.Message)
			}
		}
		switch {
		case c.want == "" && len(got) > 0, c.want != "" && (len(got) != 2 || !strings.Contains(got[0], c.want)):
			t.Errorf("%s and %s: got %q, want %q twice", c.v1, c.v2, got, c.want)
		}
	}
}

// The advice of missing-list-type names keys that a list may have: lint accepts the list with them.
func TestLintSuggestsKeys(t *testing.T) {
	for _, c := range []struct{ items, want, keys string }{
		{"required: [name], properties: {name: {type: string}, port: {type: integer}}", "[name] if this key identifies an item", "[name]"},
		{"required: [port], properties: {name: {type: string}, port: {type: integer}, protocol: {type: string, default: TCP}}", "[port, protocol] if these keys identify an item", "[port, protocol]"},
		{"required: [port], properties: {name: {type: string}, port: {type: integer}, protocol: {type: string}}", "[port] if this key identifies an item", "[port]"},
		{"properties: {name: {type: string}, port: {type: integer}}", "[name] and make name required if this key", ""},
		{"required: [name], properties: {name: {type: string, nullable: true}}", "[name] and remove nullable from name if this key", ""},
		{"properties: {name: {type: string, nullable: true, default: a}}", "[name] and remove nullable from name if this key", ""},
		{"properties: {name: {type: string, nullable: true}}", "[name] and make name required and not nullable if this key", ""},
		{"properties: {id: {type: string, default: a}, name: {type: string}}", "[id] if this key identifies an item", "[id]"},
	} {
		list := "{type: object, properties: {a: {type: array%s, items: {type: object, " + c.items + "}}}}"
		found := crdtest.Read(t, crdtest.Document(fmt.Sprintf(list, ""))).Lint()
		if len(found) != 1 || !strings.Contains(found[0].Message, "x-kubernetes-list-map-keys "+c.want) {
			t.Errorf("%s: got %v", c.items, found)
		}
		if c.keys == "" {
			continue
		}
		d := crdtest.Read(t, crdtest.Document(fmt.Sprintf(list, ", x-kubernetes-list-type: map, x-kubernetes-list-map-keys: "+c.keys)))
		if found := append(d.Validate(), d.Lint()...); len(found) > 0 {
			t.Errorf("%s with the keys %s: %v", c.items, c.keys, found)
		}
	}
}
