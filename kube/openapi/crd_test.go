// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"strings"
	"testing"
)

// crd returns a CRD of kind Widget. schema is its schema as YAML on one line.
func crd(schema string) []byte {
	return []byte(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema: ` + strings.ReplaceAll(strings.TrimSpace(schema), "\n", "\n        ") + "\n")
}

const widget = "com.example.v1.Widget"

func crdYAML(t *testing.T, doc []byte) string {
	t.Helper()
	c := New(Options{})
	if err := c.AddCRD("crd.yaml", doc); err != nil {
		t.Fatal(err)
	}
	s, _, ok := c.Lookup("example.com/v1", "Widget")
	if !ok {
		t.Fatal("no Widget")
	}
	td, _ := s.FindNamedType(widget)
	return yamlOf(t, td)
}

const plainWidget = `name: com.example.v1.Widget
map:
  fields:
  - name: apiVersion
    type:
      scalar: string
  - name: kind
    type:
      scalar: string
  - name: metadata
    type:
      namedType: io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
`

func TestCRD(t *testing.T) {
	for _, test := range []struct{ name, schema, want string }{{
		name:   "the schema of metadata in the CRD is replaced",
		schema: `{type: object, properties: {metadata: {type: object, properties: {name: {type: string, maxLength: 5}}}}}`,
		want:   plainWidget,
	}, {
		name:   "unknown fields at the root",
		schema: `{type: object, x-kubernetes-preserve-unknown-fields: true}`,
		want:   plainWidget + "  elementType:\n    namedType: __untyped_deduced_\n",
	}, {
		name: "embedded resource",
		schema: `{type: object, properties: {template: {type: object, x-kubernetes-embedded-resource: true,
 x-kubernetes-preserve-unknown-fields: true, properties: {spec: {type: object, properties: {a: {type: string}}}}}}}`,
		want: plainWidget + `  - name: template
    type:
      map:
        fields:
        - name: apiVersion
          type:
            scalar: string
        - name: kind
          type:
            scalar: string
        - name: metadata
          type:
            namedType: io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
        - name: spec
          type:
            map:
              fields:
              - name: a
                type:
                  scalar: string
              elementType:
                namedType: __untyped_deduced_
              unknownFields: prune
        elementType:
          namedType: __untyped_deduced_
        required:
        - apiVersion
        - kind
`,
	}, {
		name: "defaults, int-or-string, nullable",
		schema: `{type: object, properties: {spec: {type: object, default: {}, properties: {
 n: {type: string, nullable: true, default: x}, p: {x-kubernetes-int-or-string: true, default: 1},
 l: {type: array, items: {type: object, default: {a: b}, properties: {a: {type: string}}}}}}}}`,
		want: plainWidget + `  - name: spec
    type:
      map:
        fields:
        - name: l
          type:
            list:
              elementType:
                map:
                  fields:
                  - name: a
                    type:
                      scalar: string
              elementRelationship: atomic
              elementDefault:
                a: b
        - name: "n"
          type:
            scalar: string
            nullable: true
          default: x
        - name: p
          type:
            scalar: untyped
            list:
              elementType:
                namedType: __untyped_atomic_
              elementRelationship: atomic
            map:
              elementType:
                namedType: __untyped_deduced_
              unknownFields: prune
          default: 1
    default: {}
`,
	}} {
		t.Run(test.name, func(t *testing.T) {
			if got := crdYAML(t, crd(strings.ReplaceAll(test.schema, " n: {", ` "n": {`))); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// A file may contain several CRDs, other objects, and Lists.
func TestCRDFiles(t *testing.T) {
	one := string(crd(`{type: object}`))
	other := strings.NewReplacer("example.com", "example.org", "Widget", "Gadget", "widgets", "gadgets",
		"Namespaced", "Cluster", "storage: true", "subresources: {status: {}, scale: {specReplicasPath: .spec.replicas}}").Replace(one)
	list := "apiVersion: v1\nkind: List\nitems:\n" +
		"- " + strings.ReplaceAll(strings.TrimSpace(one), "\n", "\n  ") + "\n" +
		"- " + strings.ReplaceAll(strings.TrimSpace(other), "\n", "\n  ") + "\n"
	for name, test := range map[string]struct {
		doc      string
		warnings int
	}{
		"documents": {"---\n" + one + "---\n# nothing\n---\n" + other, 0},
		"list":      {list, 0},
		"mixed":     {one + "---\napiVersion: v1\nkind: ConfigMap\n---\n" + other, 1},
	} {
		t.Run(name, func(t *testing.T) {
			c := New(Options{})
			if err := c.AddCRD("crds.yaml", []byte(test.doc)); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, k := range c.Kinds() {
				got = append(got, strings.Join(append([]string{k.APIVersion, k.Kind, k.Type, k.Resource, k.Scope.String(), k.Source}, k.Subresources...), " "))
			}
			want := []string{
				"example.com/v1 Widget com.example.v1.Widget widgets Namespaced crds.yaml",
				"example.com/v1 WidgetList com.example.v1.WidgetList   crds.yaml",
				"example.org/v1 Gadget org.example.v1.Gadget gadgets Cluster crds.yaml scale status",
				"example.org/v1 GadgetList org.example.v1.GadgetList   crds.yaml",
			}
			if got, want := strings.Join(got, "\n"), strings.Join(want, "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if got := len(c.Warnings()); got != test.warnings {
				t.Errorf("got %d warnings, want %d: %v", got, test.warnings, c.Warnings())
			}
		})
	}
}

func TestCRDServedVersions(t *testing.T) {
	doc := string(crd(`{type: object}`))
	doc += strings.NewReplacer("name: v1", "name: v0", "served: true", "served: false").Replace(doc[strings.Index(doc, "  - name: v1"):])
	c := New(Options{})
	if err := c.AddCRD("crd.yaml", []byte(doc)); err != nil {
		t.Fatal(err)
	}
	if _, _, ok := c.Lookup("example.com/v0", "Widget"); ok {
		t.Error("a version that is not served was found")
	}
	if _, _, ok := c.Lookup("example.com/v1", "Widget"); !ok {
		t.Error("the served version was not found")
	}
}

// spec.preserveUnknownFields applies to every struct of the CRD. Only a CRD in which
// this field is true may have versions without a schema.
func TestCRDPreserveUnknownFields(t *testing.T) {
	doc := strings.Replace(string(crd(`{type: object, properties: {spec: {type: object, properties: {a: {type: string}}}}}`)),
		"  scope:", "  preserveUnknownFields: true\n  scope:", 1)
	if got := crdYAML(t, []byte(doc)); strings.Count(got, "namedType: __untyped_deduced_") != 2 {
		t.Errorf("got\n%s", got)
	}
	doc = doc[:strings.Index(doc, "    schema:")]
	want := "name: com.example.v1.Widget\nmap:\n  elementType:\n    namedType: __untyped_deduced_\n"
	if got := crdYAML(t, []byte(doc)); got != want {
		t.Errorf("without a schema: got\n%s\nwant\n%s", got, want)
	}
}
