// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/dovetail-ssa/dovetail/kube/internal/specs"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// TestBuiltinDefinitions publishes the definitions of every built-in group. V3 must return
// the same map. V2 must remove all defaults and change nothing else, and must share
// definitions that have no defaults. The original definitions must not change.
func TestBuiltinDefinitions(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the documents of a release")
	}
	defaults, shared := 0, 0
	for _, file := range must(specs.V3(openapi.Release()))(t) {
		var doc spec3.OpenAPI
		decode(t, file, &doc)
		if doc.Components == nil || doc.Components.Schemas == nil {
			continue
		}
		models := doc.Components.Schemas
		definitions := make(spec.Definitions, len(models))
		for name, m := range models {
			definitions[name] = *m
		}
		before := encode(t, models)
		if !sameMap(V3.Models(models), models) || !sameMap(V3.Definitions(definitions), definitions) {
			t.Errorf("%s: V3 does not return its argument", file)
		}
		published := V2.Models(models)
		for name, m := range models {
			want, n := withoutDefaults(encode(t, m))
			defaults += n
			if got := encode(t, published[name]); !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %s: got\n%v\nwant\n%v", filepath.Base(file), name, got, want)
			}
			if (published[name] == m) != (n == 0) {
				t.Errorf("%s, %s: %d defaults, shared %v", filepath.Base(file), name, n, published[name] == m)
			}
			if n == 0 {
				shared++
			}
		}
		if got := encode(t, V2.Definitions(definitions)); !reflect.DeepEqual(got, encode(t, published)) {
			t.Errorf("%s: definitions and models are published differently", file)
		}
		if !reflect.DeepEqual(encode(t, models), before) {
			t.Errorf("%s: the models have changed", file)
		}
		if !sameMap(V2.Models(published), published) {
			t.Errorf("%s: publishing a result again made a copy", file)
		}
	}
	if defaults < 1000 || shared < 100 {
		t.Errorf("too few cases: %d defaults, %d definitions without", defaults, shared)
	}
	t.Logf("%d defaults removed, %d definitions shared", defaults, shared)
}

// TestBuiltinSwagger publishes the OpenAPI v2 document of a release, which has no
// defaults, so nothing may be copied. After one default is added, only the parts that
// contain it may be copied.
func TestBuiltinSwagger(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the documents of a release")
	}
	var doc spec.Swagger
	decode(t, must(specs.V2(openapi.Release()))(t), &doc)
	if Swagger(&doc) != &doc {
		t.Error("a document without defaults was copied")
	}
	const name = "io.k8s.api.core.v1.ServicePort"
	port := doc.Definitions[name]
	port.Properties = maps.Clone(port.Properties)
	protocol := port.Properties["protocol"]
	protocol.Default = "TCP"
	port.Properties["protocol"] = protocol
	with := doc
	with.Definitions = maps.Clone(doc.Definitions)
	with.Definitions[name] = port
	got := Swagger(&with)
	if got == &with || with.Definitions[name].Properties["protocol"].Default != "TCP" {
		t.Error("the document was changed")
	}
	if got.Paths != doc.Paths || !sameMap(got.Definitions["io.k8s.api.core.v1.PodSpec"].Properties, doc.Definitions["io.k8s.api.core.v1.PodSpec"].Properties) {
		t.Error("parts without a default were copied")
	}
	if !reflect.DeepEqual(encode(t, got), encode(t, &doc)) {
		t.Error("the result is not the original document without the default")
	}
}

// TestNothingToStrip checks that publishing definitions without defaults allocates
// nothing.
func TestNothingToStrip(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the documents of a release")
	}
	var doc spec.Swagger
	decode(t, must(specs.V2(openapi.Release()))(t), &doc)
	models := make(map[string]*spec.Schema, len(doc.Definitions))
	for name, s := range doc.Definitions {
		models[name] = &s
	}
	for name, publish := range map[string]func(){
		"definitions": func() { V2.Definitions(doc.Definitions) },
		"models":      func() { V2.Models(models) },
		"schema":      func() { V2.Schema(models["io.k8s.api.core.v1.PodSpec"]) },
	} {
		if n := testing.AllocsPerRun(5, publish); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// TestPlaces checks that defaults are removed in every place where a schema can
// contain another schema. It also checks that such schemas are copied before they
// are changed.
func TestPlaces(t *testing.T) {
	leaf := func() spec.Schema {
		return *spec.StringProperty().WithDefault("x")
	}
	ptr := func() *spec.Schema { s := leaf(); return &s }
	places := map[string]spec.SchemaProps{
		"Default":              {Default: "x"},
		"Items one":            {Items: &spec.SchemaOrArray{Schema: ptr()}},
		"Items several":        {Items: &spec.SchemaOrArray{Schemas: []spec.Schema{{}, leaf()}}},
		"AllOf":                {AllOf: []spec.Schema{leaf()}},
		"OneOf":                {OneOf: []spec.Schema{leaf()}},
		"AnyOf":                {AnyOf: []spec.Schema{leaf()}},
		"Not":                  {Not: ptr()},
		"Properties":           {Properties: map[string]spec.Schema{"a": leaf(), "b": {}}},
		"AdditionalProperties": {AdditionalProperties: &spec.SchemaOrBool{Allows: true, Schema: ptr()}},
		"PatternProperties":    {PatternProperties: map[string]spec.Schema{"a": leaf()}},
		"Dependencies":         {Dependencies: spec.Dependencies{"a": {Schema: ptr()}, "b": {Property: []string{"a"}}}},
		"AdditionalItems":      {AdditionalItems: &spec.SchemaOrBool{Schema: ptr()}},
		"Definitions":          {Definitions: spec.Definitions{"a": leaf()}},
	}
	// If a new version of kube-openapi has another field with schemas, add it to
	// the list below.
	var fields []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[spec.SchemaProps]()) {
		if holdsSchema(f.Type) {
			fields = append(fields, f.Name)
		}
	}
	want := []string{"Items", "AllOf", "OneOf", "AnyOf", "Not", "Properties", "AdditionalProperties",
		"PatternProperties", "Dependencies", "AdditionalItems", "Definitions"}
	if !slices.Equal(fields, want) {
		t.Errorf("a schema has schemas in %v, want %v", fields, want)
	}
	for name, props := range places {
		s := &spec.Schema{SchemaProps: props}
		s.AddExtension("x-kubernetes-immutable", true)
		s.AddExtension("x-kubernetes-immutable-keys", true)
		s.AddExtension("x-kubernetes-list-type", "map")
		before := encode(t, s)
		got := V2.Schema(s)
		want, n := withoutDefaults(before)
		if n == 0 || got == s {
			t.Errorf("%s: %d defaults are left, same schema returned: %v", name, n, got == s)
		}
		if g := encode(t, got); !reflect.DeepEqual(g, want) {
			t.Errorf("%s: got %v, want %v", name, g, want)
		}
		if !reflect.DeepEqual(encode(t, s), before) {
			t.Errorf("%s: the schema has changed", name)
		}
		if !reflect.DeepEqual(got.Extensions, s.Extensions) {
			t.Errorf("%s: got extensions %v", name, got.Extensions)
		}
		if V2.Schema(got) != got || V3.Schema(s) != s {
			t.Errorf("%s: copied without need", name)
		}
	}
	if V2.Schema(nil) != nil || V2.Models(nil) != nil || Swagger(nil) != nil {
		t.Error("publishing nil does not return nil")
	}
}

func holdsSchema(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return holdsSchema(t.Elem())
	case reflect.Struct:
		if t == reflect.TypeFor[spec.Schema]() {
			return true
		}
		for i := range t.NumField() {
			if t.Field(i).Type == reflect.TypeFor[*spec.Schema]() {
				return true
			}
		}
	}
	return false
}

// TestSwaggerPaths checks that schemas in paths lose their defaults, and that a query
// parameter keeps its default.
func TestSwaggerPaths(t *testing.T) {
	body := func() *spec.Schema { return spec.StringProperty().WithDefault("x") }
	inBody := func(name string) spec.Parameter {
		return spec.Parameter{ParamProps: spec.ParamProps{Name: name, In: "body", Schema: body()}}
	}
	query := spec.Parameter{
		ParamProps:   spec.ParamProps{Name: "limit", In: "query"},
		SimpleSchema: spec.SimpleSchema{Type: "integer", Default: 500},
	}
	doc := &spec.Swagger{SwaggerProps: spec.SwaggerProps{
		Parameters: map[string]spec.Parameter{"p": inBody("p")},
		Responses:  map[string]spec.Response{"r": {ResponseProps: spec.ResponseProps{Schema: body()}}},
		Paths: &spec.Paths{Paths: map[string]spec.PathItem{"/a": {PathItemProps: spec.PathItemProps{
			Post: &spec.Operation{OperationProps: spec.OperationProps{
				Parameters: []spec.Parameter{query, inBody("b")},
				Responses: &spec.Responses{ResponsesProps: spec.ResponsesProps{
					StatusCodeResponses: map[int]spec.Response{200: {ResponseProps: spec.ResponseProps{Schema: body()}}},
				}},
			}},
		}}}},
	}}
	before := encode(t, doc)
	got := Swagger(doc)
	op := got.Paths.Paths["/a"].Post
	for at, s := range map[string]*spec.Schema{
		"parameter": got.Parameters["p"].Schema, "response": got.Responses["r"].Schema,
		"body": op.Parameters[1].Schema, "answer": op.Responses.StatusCodeResponses[200].Schema,
	} {
		if s.Default != nil || len(s.Type) != 1 {
			t.Errorf("%s: got %v", at, encode(t, s))
		}
	}
	if op.Parameters[0].Default != 500 {
		t.Error("the query parameter has lost its default")
	}
	if !reflect.DeepEqual(encode(t, doc), before) {
		t.Error("the document has changed")
	}
}

// TestMergeSchema checks that publishing does not change the merge schema of the
// definitions. A merge schema made from published definitions may differ only in its
// missing defaults. After the defaults of the original are added to it, it must be
// equal to the original.
func TestMergeSchema(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the documents of a release")
	}
	const group = "api__v1_openapi.json"
	files := must(specs.V3(openapi.Release()))(t)
	file := files[slices.IndexFunc(files, func(f string) bool { return filepath.Base(f) == group })]
	var doc spec3.OpenAPI
	decode(t, file, &doc)
	whole := catalog(t, doc.Components.Schemas)
	published := V2.Models(doc.Components.Schemas)
	again := catalog(t, doc.Components.Schemas)
	bare := catalog(t, published)
	const name = "io.k8s.api.core.v1.Service"
	want := typeText(t, whole, name)
	if typeText(t, again, name) != want {
		t.Error("publishing has changed the merge schema")
	}
	n := 0
	for _, f := range bare.Lint() {
		if f.Rule == openapi.KeyUnsatisfied {
			n++
		}
	}
	if typeText(t, bare, name) == want || n != 5 {
		t.Errorf("%d keys of the published schema have no default, want 5", n)
	}
	if err := bare.AddDefaultsOf(whole); err != nil {
		t.Fatal(err)
	}
	for _, name := range whole.Types() {
		if typeText(t, bare, name) != typeText(t, whole, name) {
			t.Errorf("%s differs after the defaults were added", name)
		}
	}
}

func catalog(t *testing.T, models map[string]*spec.Schema) *openapi.Catalog {
	t.Helper()
	data := must(json.Marshal(map[string]any{"openapi": "3.0.0", "components": map[string]any{"schemas": models}}))(t)
	c := openapi.New(openapi.Options{})
	if err := c.AddOpenAPI("models", data); err != nil {
		t.Fatal(err)
	}
	return c
}

func typeText(t *testing.T, c *openapi.Catalog, name string) string {
	t.Helper()
	s, _, ok := c.LookupType(name)
	if !ok {
		t.Fatalf("no type %s", name)
	}
	return string(must(json.Marshal(s.Types))(t))
}

// withoutDefaults returns the decoded JSON of a schema without defaults, and the number
// of removed defaults.
func withoutDefaults(v any) (any, int) {
	m, ok := v.(map[string]any)
	if !ok {
		if list, ok := v.([]any); ok {
			out, n := make([]any, len(list)), 0
			for i, c := range list {
				less, k := withoutDefaults(c)
				out[i], n = less, n+k
			}
			return out, n
		}
		return v, 0
	}
	out, n := map[string]any{}, 0
	for name, c := range m {
		switch name {
		case "default":
			n++
		case "properties", "patternProperties", "dependencies", "definitions":
			below := map[string]any{}
			for name, c := range c.(map[string]any) {
				less, k := withoutDefaults(c)
				below[name], n = less, n+k
			}
			out[name] = below
		case "items", "allOf", "anyOf", "oneOf", "not", "additionalProperties", "additionalItems":
			less, k := withoutDefaults(c)
			out[name], n = less, n+k
		default:
			out[name] = c
		}
	}
	return out, n
}

func sameMap[M ~map[string]V, V any](a, b M) bool {
	return reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer()
}

func decode(t *testing.T, file string, v any) {
	t.Helper()
	if err := json.Unmarshal(must(os.ReadFile(file))(t), v); err != nil {
		t.Fatal(err)
	}
}

func encode(t *testing.T, v any) (out any) {
	t.Helper()
	if err := json.Unmarshal(must(json.Marshal(v))(t), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
