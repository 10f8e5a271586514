// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/schemaconv"
	"k8s.io/kube-openapi/pkg/validation/spec"
	smdschema "sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/yaml"

	"github.com/dovetail-ssa/dovetail/test/internal/cputime"
)

// BenchmarkFirstUse measures the cost of the first object of each kind. A run starts with a
// schema that nothing has used. At the end, the run has validated the object, which can now be
// merged.
//
//	Builtin  the types of a release of Kubernetes, in one schema
//	CRDs     37 definitions of well-known projects, each in a schema of its own, with the types
//	         that an API server adds
//	Alike    300 definitions that differ only in the names of the kind and of one field
//
// The benchmarks named "schema" start with types in the form of structured-merge-diff. Those
// named "converter" start with OpenAPI, and call apimachinery's NewTypeConverter. This function
// converts OpenAPI to types, with the same code for both engines.
//
// The objects have metadata, and an empty map for each field whose type has fields. In the
// benchmarks named "whole", objects have all fields of their types, to a depth of ten levels,
// and one item in each list. Before the measurement, the benchmark decodes the documents and
// collects garbage. It measures the CPU time of the process.
func BenchmarkFirstUse(b *testing.B) {
	for _, from := range []struct {
		name string
		docs func() []openAPI
	}{{"Builtin", builtinDocuments}, {"CRDs", realDocuments}, {"Alike", alikeDocuments}} {
		docs := from.docs()
		b.Run(from.name+"/schema", func(b *testing.B) { measureFirstUse(b, docs, openAPI.parser) })
		b.Run(from.name+"/converter", func(b *testing.B) { measureFirstUse(b, docs, openAPI.converter) })
		for _, d := range docs {
			d.fill()
		}
		b.Run(from.name+"/whole", func(b *testing.B) { measureFirstUse(b, docs, openAPI.converter) })
	}
}

// openAPI is the OpenAPI document of one schema, with one object of each kind in it.
type openAPI struct {
	schemas map[string]*spec.Schema
	objects map[string]*unstructured.Unstructured // the key is the name of the object's type
}

// parser returns a function that creates a parser for the types of the document and validates
// the objects.
func (d openAPI) parser() func() any {
	s, err := schemaconv.ToSchemaFromOpenAPI(d.schemas, false)
	must(err)
	return func() any {
		p := &typed.Parser{Schema: smdschema.Schema{Types: s.Types}}
		for name, obj := range d.objects {
			_, err := p.Type(name).FromUnstructured(obj.Object)
			must(err)
		}
		return p
	}
}

func (d openAPI) converter() func() any {
	return func() any {
		c, err := managedfields.NewTypeConverter(d.schemas, false)
		must(err)
		for _, obj := range d.objects {
			_, err := c.ObjectToTyped(obj)
			must(err)
		}
		return c
	}
}

// fill replaces the objects by objects with all fields.
func (d openAPI) fill() {
	for name, obj := range d.objects {
		gvk := obj.GroupVersionKind()
		obj.Object = d.value(*d.schemas[name], 10).(map[string]any)
		obj.SetGroupVersionKind(gvk)
	}
}

// value returns a value of type s with all fields, to the given number of levels.
func (d openAPI) value(s spec.Schema, levels int) any {
	ref := s.Ref.String()
	if len(s.AllOf) == 1 {
		ref = s.AllOf[0].Ref.String()
	}
	if of := d.schemas[filepath.Base(ref)]; ref != "" && of != nil {
		s = *of
	}
	switch {
	case s.Type.Contains("object"):
		m := map[string]any{}
		if levels > 0 {
			for name, f := range s.Properties {
				m[name] = d.value(f, levels-1)
			}
			if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
				m["any"] = d.value(*s.AdditionalProperties.Schema, levels-1)
			}
		}
		return m
	case s.Type.Contains("array"):
		if levels < 2 { // an item without fields would have no key
			return []any{}
		}
		return []any{d.value(*s.Items.Schema, levels-1)}
	case s.Type.Contains("boolean"):
		return true
	case s.Type.Contains("integer"), s.Type.Contains("number"):
		return int64(1)
	}
	return "a"
}

func measureFirstUse(b *testing.B, docs []openAPI, prepare func(openAPI) func() any) {
	b.ReportAllocs()
	b.StopTimer()
	b.ResetTimer()
	var spent time.Duration
	for range b.N {
		uses := make([]func() any, len(docs))
		for i, d := range docs {
			uses[i] = prepare(d)
		}
		// The first collection moves the contents of pools aside, and the second one frees
		// them.
		runtime.GC()
		runtime.GC()
		used := make([]any, len(docs))
		start, _ := cputime.Used()
		b.StartTimer()
		for i, use := range uses {
			used[i] = use()
		}
		b.StopTimer()
		end, _ := cputime.Used()
		spent += end - start
		runtime.KeepAlive(used)
	}
	if spent > 0 {
		b.ReportMetric(float64(spent)/float64(b.N), "cpu-ns/op")
	}
}

// builtinDocuments returns the OpenAPI document that an API server of a release publishes for
// built-in types.
func builtinDocuments() []openAPI {
	all := map[string]*spec.Schema{}
	for _, file := range moduleFiles("k8s.io/kubernetes@v1.37.2", "api/openapi-spec/v3/*.json") {
		var doc struct {
			Components struct{ Schemas map[string]*spec.Schema }
		}
		must(json.Unmarshal(mustRead(file), &doc))
		maps.Copy(all, doc.Components.Schemas)
	}
	return []openAPI{documentOf(all)}
}

func realDocuments() (docs []openAPI) {
	for _, in := range []struct{ module, files string }{
		{"github.com/cert-manager/cert-manager@v1.17.2", "deploy/crds/*.yaml"},
		{"sigs.k8s.io/gateway-api@v1.3.0", "config/crd/standard/gateway.networking.k8s.io_*.yaml"},
		{"github.com/prometheus-operator/prometheus-operator@v0.82.2", "example/prometheus-operator-crd/*.yaml"},
		{"github.com/crossplane/crossplane@v1.20.0", "cluster/crds/*.yaml"},
	} {
		for _, file := range moduleFiles(in.module, in.files) {
			var d crdFile
			must(yaml.Unmarshal(mustRead(file), &d))
			docs = append(docs, d.document())
		}
	}
	if len(docs) != 37 {
		panic(fmt.Sprintf("%d definitions", len(docs)))
	}
	return docs
}

func alikeDocuments() (docs []openAPI) {
	file := moduleFiles("github.com/cert-manager/cert-manager@v1.17.2", "deploy/crds/crd-certificates.yaml")[0]
	text, err := yaml.YAMLToJSON(mustRead(file))
	must(err)
	for i := range 300 {
		var d crdFile
		one := strings.ReplaceAll(string(text), `"Certificate"`, fmt.Sprintf(`"Certificate%d"`, i))
		one = strings.ReplaceAll(one, `"commonName"`, fmt.Sprintf(`"commonName%d"`, i))
		must(json.Unmarshal([]byte(one), &d))
		docs = append(docs, d.document())
	}
	return docs
}

// crdFile has the parts of a CustomResourceDefinition that this benchmark uses.
type crdFile struct {
	Spec struct {
		Group    string
		Names    struct{ Kind string }
		Versions []struct {
			Name   string
			Schema struct{ OpenAPIV3Schema json.RawMessage }
		}
	}
}

// document returns the OpenAPI document from which an API server creates a type converter. It
// has every version of the kind, and the types that all kinds use.
func (d *crdFile) document() openAPI {
	all := map[string]*spec.Schema{}
	for name, s := range static() {
		c := *s
		all[name] = &c
	}
	for _, v := range d.Spec.Versions {
		var s spec.Schema
		must(json.Unmarshal(v.Schema.OpenAPIV3Schema, &s))
		if s.Properties == nil {
			s.Properties = map[string]spec.Schema{}
		}
		for _, name := range []string{"apiVersion", "kind"} {
			s.Properties[name] = *spec.StringProperty()
		}
		s.Properties["metadata"] = spec.Schema{SchemaProps: spec.SchemaProps{AllOf: []spec.Schema{
			*spec.RefSchema(refPrefix + "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"),
		}}}
		s.AddExtension("x-kubernetes-group-version-kind", []any{map[string]any{"group": d.Spec.Group, "version": v.Name, "kind": d.Spec.Names.Kind}})
		all[strings.Join([]string{d.Spec.Group, v.Name, d.Spec.Names.Kind}, ".")] = &s
	}
	return documentOf(all)
}

func documentOf(all map[string]*spec.Schema) openAPI {
	d := openAPI{schemas: all, objects: map[string]*unstructured.Unstructured{}}
	for name, s := range all {
		kinds, _ := s.Extensions["x-kubernetes-group-version-kind"].([]any)
		if meta := s.Properties["metadata"].AllOf; len(kinds) != 1 || len(meta) == 0 || !strings.HasSuffix(meta[0].Ref.String(), ".ObjectMeta") {
			continue
		}
		kind := kinds[0].(map[string]any)
		obj := &unstructured.Unstructured{Object: map[string]any{}}
		for field, f := range s.Properties {
			if f.Type.Contains("object") || len(f.AllOf) > 0 && field != "metadata" && all[filepath.Base(f.AllOf[0].Ref.String())].Type.Contains("object") {
				obj.Object[field] = map[string]any{}
			}
		}
		obj.SetGroupVersionKind(schema.GroupVersionKind{Group: kind["group"].(string), Version: kind["version"].(string), Kind: kind["kind"].(string)})
		obj.SetName("first")
		obj.SetNamespace("default")
		obj.SetLabels(map[string]string{"app": "first"})
		d.objects[name] = obj
	}
	return d
}

// moduleFiles returns the files of a module whose paths match pattern. It downloads the module
// if the module cache does not contain it.
func moduleFiles(module, pattern string) []string {
	found, err := filepath.Glob(filepath.Join(downloaded(module), pattern))
	must(err)
	if len(found) == 0 {
		panic(module + " has no " + pattern)
	}
	return slices.Sorted(slices.Values(found))
}

func mustRead(file string) []byte {
	text, err := os.ReadFile(file)
	must(err)
	return text
}
