// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v2"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/kube/publish"
	"github.com/dovetail-ssa/dovetail/test/internal/plain"
)

const widgetType = "com.example.v1.Widget"

// beyondDefaults lists fields of testdata/crd.json that differ between OpenAPI v2 and v3 even
// after the defaults of v3 are added to v2. In v2, apiextensions omits more than defaults, and
// an overlay cannot add the other omitted parts.
var beyondDefaults = map[string]string{
	"nullableList": "a nullable field loses its type, items and nullability",
	"nullableMap":  "a nullable field loses its type, properties and nullability",
	"nullableText": "a nullable field loses its type and nullability",
	"open":         "a field that preserves unknown fields loses its type and properties",
	"openItems":    "items that preserve unknown fields lose their type and properties",
}

func TestCRDOverlay(t *testing.T) {
	v2, v3 := published(t, crdJSON(t))
	bare, overlaid, whole := openapi.New(openapi.Options{}), openapi.New(openapi.Options{}), openapi.New(openapi.Options{})
	for catalog, doc := range map[*openapi.Catalog][]byte{bare: v2, overlaid: v2, whole: v3} {
		if err := catalog.AddOpenAPI("document", doc); err != nil {
			t.Fatal(err)
		}
	}
	if err := overlaid.AddDefaults("v3", v3); err != nil {
		t.Fatal(err)
	}
	without, got, want := fields(t, bare), fields(t, overlaid), fields(t, whole)
	restored := 0
	for name := range want {
		_, beyond := beyondDefaults[name]
		if (got[name] != want[name]) != beyond {
			t.Errorf("field %s, which may differ: %v\ngot\n%s\nwant\n%s", name, beyond, got[name], want[name])
		}
		if !beyond && without[name] != want[name] {
			restored++
		}
	}
	if restored != 5 {
		t.Errorf("the overlay restores %d fields, want 5: embedded, labels, port, ports, replicas", restored)
	}
	if len(got) != len(want) {
		t.Errorf("got fields %v, want %v", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
}

// TestCRDMarkers publishes a CRD with markers. The types of an API server have no fields for
// markers, so the server drops them. publish.Markers must add them again, in OpenAPI v2 and v3.
func TestCRDMarkers(t *testing.T) {
	var crd struct {
		Spec struct {
			Versions []struct {
				Schema struct{ OpenAPIV3Schema *spec.Schema }
			}
		}
	}
	decode(t, crdJSON(t), &crd)
	written := crd.Spec.Versions[0].Schema.OpenAPIV3Schema
	const marker = "x-kubernetes-immutable"
	if written.Properties["replicas"].Extensions[marker] != true {
		t.Fatal("the CRD has no marker")
	}
	v2, v3 := published(t, crdJSON(t))
	if strings.Contains(string(v2)+string(v3), marker) {
		t.Error("apiextensions now supports " + marker)
	}
	for form, s := range widgets(t, v2, v3) {
		got := publish.Markers(s, written)
		if got.Properties["replicas"].Extensions[marker] != true {
			t.Errorf("%s: got %v", form, plain.Text(got.Properties["replicas"]))
		}
		if text := strings.ReplaceAll(plain.Text(got), `,"`+marker+`":true`, ""); text != plain.Text(s) {
			t.Errorf("%s: more than the marker changed: got\n%s\nwant\n%s", form, text, plain.Text(s))
		}
	}
}

// TestPublishCases runs the cases of the KEP "Immutable fields". It checks the schema that is
// published for a CRD with markers, in OpenAPI v2 and v3.
func TestPublishCases(t *testing.T) {
	const file = "../../spec/testdata/immutability.yaml"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		PublishCases []struct {
			ID        string
			Note      string
			CRD       any
			Published map[string]map[string]any
		}
	}
	docs, err := manifest.ReadValues(file, data)
	if err != nil {
		t.Fatal(err)
	}
	decode(t, []byte(plain.Text(docs[0])), &all)
	for _, c := range all.PublishCases {
		t.Run(c.ID, func(t *testing.T) {
			var crd map[string]any
			decode(t, crdJSON(t), &crd)
			crd["spec"].(map[string]any)["versions"].([]any)[0].(map[string]any)["schema"] = map[string]any{"openAPIV3Schema": c.CRD}
			text := []byte(plain.Text(crd))
			var written spec.Schema
			decode(t, []byte(plain.Text(c.CRD)), &written)
			v2, v3 := published(t, text)
			for form, s := range widgets(t, v2, v3) {
				got := publish.Markers(s, &written)
				for path, marks := range c.Published {
					at := *got
					for _, name := range strings.Split(path, ".") {
						at = at.Properties[name]
					}
					for name, want := range marks {
						if at.Extensions[name] != want {
							t.Errorf("%s: %s: want %s %v, found %s", form, path, name, want, plain.Text(at))
						}
					}
				}
			}
		})
	}
	if len(all.PublishCases) == 0 {
		t.Error("no cases")
	}
}

// widgets returns the type of widgets in both OpenAPI documents.
func widgets(t *testing.T, v2, v3 []byte) map[string]*spec.Schema {
	t.Helper()
	var swagger spec.Swagger
	var doc spec3.OpenAPI
	decode(t, v2, &swagger)
	decode(t, v3, &doc)
	widget := swagger.Definitions[widgetType]
	return map[string]*spec.Schema{"v2": &widget, "v3": doc.Components.Schemas[widgetType]}
}

// published returns the OpenAPI documents that an API server publishes for a CRD.
func published(t *testing.T, crdJSON []byte) (v2, v3 []byte) {
	t.Helper()
	var crd apiextensionsv1.CustomResourceDefinition
	decode(t, crdJSON, &crd)
	swagger, err := builder.BuildOpenAPIV2(&crd, "v1", builder.Options{V2: true})
	if err != nil {
		t.Fatal(err)
	}
	doc, err := builder.BuildOpenAPIV3(&crd, "v1", builder.Options{V2: false})
	if err != nil {
		t.Fatal(err)
	}
	return []byte(plain.Text(publish.Swagger(swagger))), []byte(plain.Text(doc))
}

func crdJSON(t *testing.T) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/crd.json")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// fields returns the fields of the widget type, each as YAML.
func fields(t *testing.T, c *openapi.Catalog) map[string]string {
	t.Helper()
	s, _, ok := c.LookupType(widgetType)
	if !ok {
		t.Fatal("no type")
	}
	td, _ := s.FindNamedType(widgetType)
	all := map[string]string{}
	for _, f := range td.Map.Fields {
		data, err := yaml.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		all[f.Name] = string(data)
	}
	return all
}
