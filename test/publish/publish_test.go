// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	openapi_v2 "github.com/google/gnostic-models/openapiv2"
	openapi_v3 "github.com/google/gnostic-models/openapiv3"
	"google.golang.org/protobuf/proto"
	generated "k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	"k8s.io/kube-openapi/pkg/builder"
	"k8s.io/kube-openapi/pkg/builder3"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/handler"
	"k8s.io/kube-openapi/pkg/handler3"
	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/dovetail-ssa/dovetail/kube/publish"
	"github.com/dovetail-ssa/dovetail/test/internal/plain"
)

// definitions returns the definitions that a generator of kube-openapi writes for Go types.
func definitions(ref common.ReferenceCallback) map[string]common.OpenAPIDefinition {
	return generated.GetOpenAPIDefinitions(ref)
}

func reference(path string) spec.Ref { return spec.MustCreateRef("#/definitions/" + path) }

// TestPruneDefaults checks that V2 removes the same defaults as kube-openapi.
func TestPruneDefaults(t *testing.T) {
	all, changed := spec.Definitions{}, 0
	for name, d := range definitions(reference) {
		all[name] = d.Schema
	}
	want := handler.PruneDefaults(all)
	got := publish.V2.Definitions(all)
	for name := range all {
		if !reflect.DeepEqual(got[name], want[name]) {
			t.Errorf("%s: got %v, want %v", name, plain.Text(got[name]), plain.Text(want[name]))
		}
		if !reflect.DeepEqual(all[name], want[name]) {
			changed++
		}
	}
	if len(all) < 100 || changed < 30 {
		t.Errorf("%d definitions, %d with defaults: too little was tested", len(all), changed)
	}
}

// widget returns a definition with immutability markers, as a generator would write it.
func widget(common.ReferenceCallback) map[string]common.OpenAPIDefinition {
	immutable := *spec.StringProperty().WithDefault("fast")
	immutable.AddExtension("x-kubernetes-immutable", true)
	keys := *spec.MapProperty(spec.StringProperty())
	keys.AddExtension("x-kubernetes-immutable-keys", true)
	s := spec.Schema{}
	s.Typed("object", "").SetProperty("mode", immutable).SetProperty("labels", keys)
	return map[string]common.OpenAPIDefinition{"Widget": {Schema: s}}
}

// TestHandlersKeepMarkers publishes definitions with V2 or V3 and with the builders and
// handlers of kube-openapi, as JSON and as protobuf. Clients must receive the markers. They
// must receive the defaults only in v3.
func TestHandlersKeepMarkers(t *testing.T) {
	info := &spec.Info{InfoProps: spec.InfoProps{Title: "widgets", Version: "1"}}
	swagger, err := builder.BuildOpenAPIDefinitionsForResources(&common.Config{Info: info, GetDefinitions: widget}, "Widget")
	if err != nil {
		t.Fatal(err)
	}
	models, err := builder3.BuildOpenAPIDefinitionsForResources(&common.OpenAPIV3Config{Info: info, GetDefinitions: widget}, "Widget")
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	handler.NewOpenAPIService(publish.Swagger(swagger)).RegisterOpenAPIVersionedService("/openapi/v2", mux)
	v3 := handler3.NewOpenAPIService()
	v3.UpdateGroupVersion("apis/example.com/v1", &spec3.OpenAPI{
		Version:    "3.0.0",
		Info:       info,
		Paths:      &spec3.Paths{},
		Components: &spec3.Components{Schemas: publish.V3.Models(models)},
	})
	mux.HandleFunc("/openapi/v3/apis/example.com/v1", v3.HandleGroupVersion)
	server := httptest.NewServer(mux)
	defer server.Close()

	const protobuf = "application/com.github.proto-openapi.spec.v%s.v1.0+protobuf"
	var doc2 spec.Swagger
	decode(t, get(t, server.URL+"/openapi/v2", "application/json"), &doc2)
	check(t, "v2 JSON", doc2.Definitions["Widget"], nil)

	var binary2 openapi_v2.Document
	if err := proto.Unmarshal(get(t, server.URL+"/openapi/v2", strings.Replace(protobuf, "%s", "2", 1)), &binary2); err != nil {
		t.Fatal(err)
	}
	var from2 spec.Swagger
	if _, err := from2.FromGnostic(&binary2); err != nil {
		t.Fatal(err)
	}
	check(t, "v2 protobuf", from2.Definitions["Widget"], nil)

	var doc3 spec3.OpenAPI
	const group = "/openapi/v3/apis/example.com/v1"
	decode(t, get(t, server.URL+group, "application/json"), &doc3)
	check(t, "v3 JSON", *doc3.Components.Schemas["Widget"], "fast")

	var binary3 openapi_v3.Document
	if err := proto.Unmarshal(get(t, server.URL+group, strings.Replace(protobuf, "%s", "3", 1)), &binary3); err != nil {
		t.Fatal(err)
	}
	text, err := binary3.YAMLValue("")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"x-kubernetes-immutable: true", "x-kubernetes-immutable-keys: true", "default: fast"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("v3 protobuf: no %s in\n%s", want, text)
		}
	}
}

func check(t *testing.T, form string, s spec.Schema, def any) {
	t.Helper()
	mode, labels := s.Properties["mode"], s.Properties["labels"]
	if mode.Extensions["x-kubernetes-immutable"] != true {
		t.Errorf("%s: got %v, want x-kubernetes-immutable", form, plain.Text(mode))
	}
	if labels.Extensions["x-kubernetes-immutable-keys"] != true {
		t.Errorf("%s: got %v, want x-kubernetes-immutable-keys", form, plain.Text(labels))
	}
	if mode.Default != def {
		t.Errorf("%s: got default %v, want %v", form, mode.Default, def)
	}
}

func get(t *testing.T, url, accept string) []byte {
	t.Helper()
	request, err := http.NewRequest("GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept", accept)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v: %s", url, response.Status, err, data)
	}
	return data
}

func decode(t *testing.T, data []byte, v any) {
	t.Helper()
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatal(err)
	}
}
