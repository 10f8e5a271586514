// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd_test

import (
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/crd/internal/crdtest"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

const betaCRD = `apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  names: {kind: Thing, plural: things}
  version: v1
  preserveUnknownFields: false
  subresources: {status: {}}
  additionalPrinterColumns:
  - {name: Mode, type: string, JSONPath: .spec.mode}
  validation:
    openAPIV3Schema:
      type: object
      properties:
        spec:
          type: object
          properties:
            mode: {type: string, maxLength: 4DEFAULT}
            ports:
              type: array
              x-kubernetes-list-type: map
              x-kubernetes-list-map-keys: [port]
              items: {type: object, required: [port], properties: {port: {type: integer}}}
`

// In v1beta1, spec has fields that apply to all versions. Reading copies them to each
// version.
func TestBeta(t *testing.T) {
	d := crdtest.Read(t, strings.Replace(betaCRD, "DEFAULT", "", 1))
	if found := d.Validate(); len(found) > 0 {
		t.Errorf("got %v", found)
	}
	v, ok := d.Version("v1")
	if !ok || !v.Served || !v.Storage || !d.Namespaced {
		t.Fatalf("got %+v of %+v", v, d)
	}
	object := func(spec map[string]any) map[string]any {
		return map[string]any{"apiVersion": "example.com/v1", "kind": "Thing", "metadata": map[string]any{"name": "a", "namespace": "b"}, "spec": spec}
	}
	if found, err := v.Validate(object(map[string]any{"mode": "fast"}), nil); err != nil || len(found) > 0 {
		t.Errorf("got %v, %v", found, err)
	}
	if found, err := v.Validate(object(map[string]any{"mode": "too long", "x": int64(1)}), nil); err != nil || len(found) != 2 {
		t.Errorf("got %v, %v", found, err)
	}
	want := `1: .apiVersion: Kubernetes 1.22 and later do not serve this version; use apiextensions.k8s.io/v1
4: .spec: v1 has no default for scope; add scope: Namespaced
7: .spec.version: v1 does not have the field version; remove it, and if the CRD has no field versions, add versions: [{name: v1, served: true, storage: true}]
8: .spec.preserveUnknownFields: v1 does not need this field; remove it
9: .spec.subresources: in v1, each version has its own field for this; move the value to subresources in each version
10: .spec.additionalPrinterColumns: in v1, each version has its own field for this; move the value to additionalPrinterColumns in each version
11: .spec.additionalPrinterColumns[0].JSONPath: v1 calls this field jsonPath; rename it
12: .spec.validation: in v1, each version has its own field for this; move the value to schema in each version
`
	var got strings.Builder
	for _, f := range d.Lint() {
		_, line, _ := strings.Cut(f.Error(), ":")
		got.WriteString(line + "\n")
		if f.Rule != crd.OldVersion {
			t.Errorf("rule %s", f.Rule)
		}
	}
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}

// The KEP "Defaulting for custom resources" forbids defaults in new CRDs of v1beta1. An
// existing CRD keeps its defaults and may get more. The defaults apply to the objects
// of the CRD.
func TestBetaDefaults(t *testing.T) {
	with := func(def string) *crd.Definition { return crdtest.Read(t, strings.Replace(betaCRD, "DEFAULT", def, 1)) }
	d := with(", default: fast")
	found := d.Validate()
	if len(found) != 1 || found[0].Rule != crd.DefaultVersion || found[0].Line != 19 {
		t.Errorf("got %v", found)
	}
	if violations, _ := d.ValidateUpdate(with("")); len(violations) != 1 || violations[0].Rule != crd.DefaultVersion {
		t.Errorf("the first default: got %v", violations)
	}
	if violations, _ := d.ValidateUpdate(with(", default: slow")); len(violations) > 0 {
		t.Errorf("another default: got %v", violations)
	}
	if violations, _ := with(", default: far too slow").ValidateUpdate(d); len(violations) != 1 || violations[0].Rule != openapi.DefaultValue {
		t.Errorf("a wrong default: got %v", violations)
	}
	v, _ := d.Version("v1")
	stored, err := v.Default(map[string]any{"apiVersion": "example.com/v1", "kind": "Thing", "metadata": map[string]any{"name": "a"}, "spec": map[string]any{}})
	if err != nil || stored["spec"].(map[string]any)["mode"] != "fast" {
		t.Errorf("got %v, %v", stored, err)
	}
}

func TestBetaMistakes(t *testing.T) {
	for _, c := range []struct {
		name, old, new string
		rule           crd.Rule
		path           string
		line           int
	}{
		{"a schema twice", "  version: v1\n", "  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]\n", crd.Versions, ".spec.versions[0].schema", 7},
		{"another version", "  version: v1\n", "  version: v1\n  versions: [{name: v2, served: true, storage: true}]\n", crd.Versions, ".spec.version", 7},
		{"a column", "JSONPath: .spec.mode", "JSONPath: spec.mode", crd.Columns, ".spec.additionalPrinterColumns[0].JSONPath", 11},
		{"a schema", "maxLength: 4", "maxLength: x", crd.Malformed, ".spec.validation.openAPIV3Schema.properties.spec.properties.mode.maxLength", 19},
		{"a list", "[port]", "[prt]", crd.ListMapKeys, ".spec.validation.openAPIV3Schema.properties.spec.properties.ports.x-kubernetes-list-map-keys[0]", 23},
		{"a webhook", "  version: v1\n", "  version: v1\n  conversion: {strategy: Webhook, webhookClientConfig: {url: 'http://x'}}\n", crd.Conversion, ".spec.conversion.webhookClientConfig.url", 8},
		{"versions of a webhook", "  version: v1\n", "  version: v1\n  conversion: {strategy: Webhook, webhookClientConfig: {url: 'https://x'}, conversionReviewVersions: [v7]}\n", crd.Conversion, ".spec.conversion.conversionReviewVersions", 8},
		{"a webhook and unknown fields", "  preserveUnknownFields: false\n", "  conversion: {strategy: Webhook, webhookClientConfig: {url: 'https://x'}}\n", crd.Versions, ".spec.preserveUnknownFields", 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := strings.Replace(strings.Replace(betaCRD, "DEFAULT", "", 1), c.old, c.new, 1)
			found := crdtest.Read(t, in).Validate()
			if len(found) != 1 || found[0].Rule != c.rule || found[0].Path != c.path || found[0].Line != c.line {
				t.Errorf("got %v, want %s at %s, line %d", found, c.rule, c.path, c.line)
			}
		})
	}
}

// A CRD of v1beta1 keeps all fields and needs no schema, unless preserveUnknownFields is
// false.
func TestBetaUnknownFields(t *testing.T) {
	all := strings.Replace(strings.Replace(betaCRD, "DEFAULT", "", 1), "  preserveUnknownFields: false\n", "", 1)
	bare, _, _ := strings.Cut(all, "  validation:")
	for _, in := range []string{all, bare} {
		d := crdtest.Read(t, in)
		if found := d.Validate(); len(found) > 0 {
			t.Errorf("got %v", found)
		}
		v, _ := d.Version("v1")
		object := map[string]any{"apiVersion": "example.com/v1", "kind": "Thing", "metadata": map[string]any{"name": "a", "namespace": "b"},
			"spec": map[string]any{"x": int64(1)}}
		if found, err := v.Validate(object, nil); err != nil || len(found) > 0 {
			t.Errorf("got %v, %v", found, err)
		}
		if stored, err := v.Default(object); err != nil || stored["spec"].(map[string]any)["x"] != int64(1) {
			t.Errorf("got %v, %v", stored, err)
		}
	}
}
