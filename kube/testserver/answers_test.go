// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver_test

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-ssa/dovetail/kube/testserver"
)

const colours = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"paints.example.com"},
"spec":{"group":"example.com","scope":"Namespaced","names":{"kind":"Paint","plural":"paints"},"versions":[{"name":"v1","served":true,"storage":true,
"subresources":{"scale":{"specReplicasPath":".spec.litres","statusReplicasPath":".status.litres"}},
"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{"litres":{"type":"integer"},"colour":{"type":"string","enum":["red","blue"]}}}}}}}]}}`

// send sends a request and returns the status and the text of the response.
func send(t *testing.T, s *testserver.Server, method, path, media, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequest(method, s.URL()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", media)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

// TestMergedObjectIsDecoded checks that a server decodes the merged object of an apply into
// its Go type. The merge itself accepts values that do not fit this type. The decoding fails
// before the object is validated, so an invalid value in another field is not reported.
func TestMergedObjectIsDecoded(t *testing.T) {
	s := start(t, testserver.Options{})
	for _, c := range []struct{ path, object, has string }{
		{"/api/v1/namespaces/default/secrets/s", `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"data":{"q":"not base64!"}}`,
			"failed to convert new object (default/s; /v1, Kind=Secret) to proper version: unable to convert unstructured object to /v1, Kind=Secret: error decoding from json: illegal base64 data"},
		{"/api/v1/namespaces/default/secrets/s", `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"data":{"q":"not base64!","bad key":"YQ=="}}`, "illegal base64 data"},
		{"/apis/coordination.k8s.io/v1/namespaces/default/leases/l", `{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"l"},"spec":{"renewTime":"yesterday"}}`, "unable to convert unstructured object"},
		{"/apis/coordination.k8s.io/v1/namespaces/default/leases/l", `{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"l"},"spec":{"leaseDurationSeconds":1.5}}`, "cannot convert float64 to int32"},
	} {
		if code, text := send(t, s, "PATCH", c.path+"?fieldManager=m", "application/apply-patch+yaml", c.object); code != 500 || !strings.Contains(text, c.has) {
			t.Errorf("%s:\n%d %s", c.object, code, text)
		}
	}
	// If an integer is too large for its Go type, the decoding drops its upper bits.
	lease := `{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"l"},"spec":{"leaseDurationSeconds":4294967311}}`
	if code, text := send(t, s, "PATCH", "/apis/coordination.k8s.io/v1/namespaces/default/leases/l?fieldManager=m", "application/apply-patch+yaml", lease); code != 201 || !strings.Contains(text, `"leaseDurationSeconds":15`) {
		t.Errorf("%d %s", code, text)
	}
}

// TestErrorsOfCustomResources checks that the response has the errors of the server in its order.
func TestErrorsOfCustomResources(t *testing.T) {
	s := start(t, testserver.Options{Definitions: [][]byte{[]byte(`{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "widgets.example.com"}, "spec": {
		"group": "example.com", "scope": "Namespaced", "names": {"kind": "Widget", "plural": "widgets"}, "versions": [{"name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
		"schema": {"openAPIV3Schema": {"type": "object", "properties": {
			"spec": {"type": "object", "x-kubernetes-validations": [{"rule": "self.size >= self.min", "message": "size must be at least min"}], "properties": {
				"size": {"type": "integer", "default": 0}, "min": {"type": "integer", "default": 0}, "name": {"type": "string", "pattern": "^[a-z]+$"}, "colour": {"type": "string", "enum": ["red"]}}},
			"status": {"type": "object", "properties": {"phase": {"type": "string", "enum": ["Ready"]}}}}}}}]}}`)}})
	const (
		widgets = "/apis/example.com/v1/namespaces/default/widgets"
		js      = "application/json"
		merge   = "application/merge-patch+json"
		prefix  = `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a"},"spec":`
		ordered = `is invalid: [spec.name: Invalid value: \"B\": spec.name in body should match '^[a-z]+$', spec: Invalid value: size must be at least min]"`
		skipped = `{"reason":"FieldValueInvalid","message":"Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation","field":"\u003cnil\u003e"}]`
	)
	for _, c := range []struct {
		method, path, media, body string
		code                      int
		has                       string
	}{
		{"POST", widgets, js, prefix + `{"min":5,"name":"B"}}`, 422, ordered},
		{"POST", widgets, js, prefix + `{"min":5,"colour":"pink"}}`, 422, skipped},
		{"POST", widgets, js, strings.Replace(prefix, `"a"`, `"A"`, 1) + `{"min":5,"colour":"pink"}}`, 422, skipped},
		{"POST", widgets, js, prefix + `{}}`, 201, ""},
		{"PATCH", widgets + "/a", merge, `{"spec":{"min":5,"name":"B"}}`, 422, ordered},
		{"PATCH", widgets + "/a", merge, `{"spec":{"min":5,"colour":"pink"}}`, 422, skipped},
		{"PATCH", widgets + "/a?fieldManager=m&force=true", "application/apply-patch+yaml", prefix + `{"min":5,"colour":"pink"}}`, 422, skipped},
		{"PATCH", widgets + "/a/status", merge, `{"status":{"phase":"B"}}`, 422, skipped},
	} {
		code, text := send(t, s, c.method, c.path, c.media, c.body)
		if code != c.code || !strings.Contains(text, c.has) {
			t.Errorf("%s %s %s: %d %s, want %d %s", c.method, c.path, c.body, code, text, c.code, c.has)
		}
	}
}

// TestAnswers sends requests of clients in other languages, and compares the responses
// with the recorded responses of a kube-apiserver.
func TestAnswers(t *testing.T) {
	s := start(t, testserver.Options{})
	send := func(method, path, media, body string) (int, string) { return send(t, s, method, path, media, body) }
	const (
		maps, paints = "/api/v1/namespaces/default/configmaps", "/apis/example.com/v1/namespaces/default/paints"
		secrets      = "/api/v1/namespaces/default/secrets"
		js, apply    = "application/json", "application/apply-patch+yaml"
		merge        = "application/merge-patch+json"
		deployments  = "/apis/apps/v1/namespaces/default/deployments"
		deployment   = `{"metadata":{"name":"d"},"spec":{"replicas":2,"selector":{"matchLabels":{"a":"b"}},
			"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"c"}]}}}}`
	)
	for _, c := range []struct {
		method, path, media, body string
		code                      int
		has                       string
	}{
		{"POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", js, colours, 201, ""},
		// Items of a list have no kind, except custom resources.
		{"POST", paints, js, `{"apiVersion":"example.com/v1","kind":"Paint","metadata":{"name":"listed"}}`, 201, ""},
		{"GET", paints, js, "", 200, `"items":[{"apiVersion":"example.com/v1","kind":"Paint",`},
		{"DELETE", paints + "/listed", js, "", 200, ""},
		{"POST", secrets, js, `{"metadata":{"name":"listed"}}`, 201, `"kind":"Secret"`},
		{"GET", secrets, js, "", 200, `"items":[{"metadata":{`},
		{"DELETE", secrets + "/listed", js, "", 200, ""},
		// Values that do not fit their Go type are rejected.
		{"POST", "/api/v1/namespaces/default/secrets", js, `{"metadata":{"name":"s"},"data":{"q":"not base64!"}}`, 400, "cannot be handled as a Secret: illegal base64"},
		{"POST", "/apis/apps/v1/namespaces/default/deployments", js, `{"metadata":{"name":"d"},"spec":{"replicas":1.5}}`, 400, "int32"},
		{"POST", "/apis/apps/v1/namespaces/default/deployments", js, `{"metadata":{"name":"d"},"spec":{"replicas":99999999999}}`, 400, "int32"},
		{"POST", "/api/v1/namespaces/default/pods", js, `{"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"lots"}}}]}}`, 400, "quantities must match"},
		{"POST", "/apis/coordination.k8s.io/v1/namespaces/default/leases", js, `{"metadata":{"name":"l"},"spec":{"renewTime":"yesterday"}}`, 400, "cannot be handled as a Lease"},
		{"PATCH", "/apis/apps/v1/namespaces/default/deployments/d?fieldManager=m", apply, `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"replicas":1.5}}`, 500, "failed to convert"},
		// Custom resources are validated.
		{"POST", paints, js, `{"apiVersion":"example.com/v1","kind":"Paint","metadata":{"name":"a"},"spec":{"colour":5}}`, 422, `"reason":"FieldValueTypeInvalid"`},
		{"POST", paints, js, `{"apiVersion":"example.com/v1","kind":"Paint","metadata":{"name":"a"},"spec":{"colour":"red"}}`, 201, ""},
		{"PATCH", paints + "/a", merge, `{"spec":{"colour":5}}`, 422, `"field":"spec.colour"`},
		{"PATCH", paints + "/a", merge, `{"spec":{"colour":"green"}}`, 422, `"reason":"FieldValueNotSupported","message":"Unsupported value: \"green\": supported values: \"red\", \"blue\"","field":"spec.colour"`},
		// A Scale is validated and merged on its own.
		{"POST", deployments, js, deployment, 201, ""},
		{"GET", deployments + "/d/scale", js, "", 200, `"spec":{"replicas":2},"status":{"replicas":0,"selector":"a=b"}`},
		{"PATCH", deployments + "/d/scale", merge, `{"spec":{"replicas":-1}}`, 422,
			`"message":"Scale.autoscaling \"d\" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0"`},
		{"PATCH", deployments + "/d/scale", merge, `{"spec":{"replicas":4294967296}}`, 422, "cannot unmarshal number 4294967296"},
		{"PATCH", deployments + "/d/scale", "application/strategic-merge-patch+json", `{"spec":{"replicas":4}}`, 200, `"spec":{"replicas":4}`},
		{"PUT", deployments + "/d/scale", js, `{"metadata":{"name":"d"},"spec":{"replicas":5}}`, 200, `"spec":{"replicas":5}`},
		{"PUT", deployments + "/d/scale", js, `{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"d"}}`, 400, `Deployment in version \"v1\" cannot be handled as a Scale: the path of the request is for autoscaling/v1, Kind=Scale`},
		{"PUT", deployments + "/d/scale", js, `{"metadata":{"name":"e"},"spec":{"replicas":5}}`, 400, "the name of the object (e) does not match"},
		{"PATCH", deployments + "/d/scale?fieldManager=m", apply, `{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"d"},"spec":{"replicas":6}}`, 409, `"field":".spec.replicas"`},
		{"PATCH", deployments + "/d/scale?fieldManager=m&force=true", apply, `{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"d"},"spec":{"replicas":6}}`, 200, `"spec":{"replicas":6}`},
		{"PATCH", deployments + "/d/scale?fieldManager=m", apply, `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"replicas":6}}`, 400, "invalid object type: apps/v1, Kind=Deployment"},
		{"PATCH", deployments + "/e/scale?fieldManager=m", apply, `{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"e"},"spec":{"replicas":6}}`, 404, ""},
		{"PATCH", paints + "/a/scale", merge, `{}`, 400, `the spec replicas field \".spec.litres\" cannot be empty`},
		{"PATCH", paints + "/a/scale", merge, `{"spec":{"replicas":-1}}`, 422, `Paint.example.com \"a\" is invalid: .spec.litres: Invalid value: -1: should be a non-negative integer`},
		{"PATCH", paints + "/a/scale", "application/strategic-merge-patch+json", `{}`, 415, ""},
		{"PUT", paints + "/a/scale", js, `{"metadata":{"name":"a"},"spec":{"replicas":2}}`, 200, `"spec":{"replicas":2}`},
		{"PUT", paints + "/a/scale", js, `{"metadata":{"name":"a"}}`, 200, `"spec":{"replicas":0}`},
		{"POST", paints, js, `{"apiVersion":"example.com/v1","kind":"Paint","metadata":{"name":"b"},"spec":{"litres":-1}}`, 422, `.spec.litres: Invalid value: -1: should be a non-negative integer`},
		// These requests need a kind and a name.
		{"POST", paints, js, `{"apiVersion":"example.com/v1","metadata":{"name":"b"}}`, 400, "Object 'Kind' is missing"},
		{"POST", maps, js, `{"metadata":{"name":"m"}}`, 201, ""},
		{"PATCH", maps + "/m?fieldManager=m", apply, `{"metadata":{"name":"m"}}`, 400, "invalid object type: /, Kind="},
		{"PUT", maps + "/m", js, `{"data":{"a":"1"}}`, 400, "name must be provided"},
		// A server decodes an object before it looks for the live object and for the namespace.
		{"POST", "/api/v1/namespaces/nowhere/configmaps?fieldValidation=Strict", js, `{"metadata":{"name":"m"},"dat":{}}`, 400, `strict decoding error: unknown field \"dat\"`},
		{"POST", "/api/v1/namespaces/nowhere/configmaps?fieldValidation=Strict", js, `{"metadata":{"name":"m","name":"m"}}`, 400, "duplicate field"},
		{"POST", "/api/v1/namespaces/nowhere/secrets", js, `{"metadata":{"name":"s"},"data":{"q":"not base64!"}}`, 400, "illegal base64"},
		{"POST", "/apis/example.com/v1/namespaces/nowhere/paints?fieldValidation=Strict", js, `{"apiVersion":"example.com/v1","kind":"Paint","metadata":{"name":"a"},"color":5}`, 400, `unknown field \"color\"`},
		{"POST", maps + "?fieldValidation=Strict", js, `{"metadata":{"name":"m"},"dat":{}}`, 400, "unknown field"},
		{"PUT", maps + "/absent?fieldValidation=Strict", js, `{"metadata":{"name":"absent"},"dat":{}}`, 400, "unknown field"},
		{"PATCH", maps + "/m?fieldValidation=Strict", merge, `{"dat":{}}`, 422, `patch: Invalid value`},
		{"PATCH", maps + "/m?fieldValidation=Strict", merge, `{"data":{"a":"1"},"data":{"a":"1"}}`, 422, `duplicate field`},
		// The kind and the version match the path.
		{"POST", maps, js, `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"}}`, 400, `Secret in version \"v1\" cannot be handled as a ConfigMap: `},
		{"POST", "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers", js, `{"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler","metadata":{"name":"h"}}`, 400,
			`"the API version in the data (autoscaling/v1) does not match the expected API version (autoscaling/v2)"`},
		{"POST", paints, js, `{"apiVersion":"v1","kind":"Paint","metadata":{"name":"b"}}`, 400, `"the API version in the data (v1) does not match the expected API version (example.com/v1)"`},
		{"PUT", maps + "/m", js, `{"apiVersion":"v2","kind":"ConfigMap","metadata":{"name":"m"}}`, 400, `"the API version in the data (v2) does not match the expected API version (v1)"`},
		{"PATCH", maps + "/m", merge, `{"kind":"Secret"}`, 400, "the patched object is of v1, Kind=Secret: want v1, Kind=ConfigMap"},
		{"PUT", maps + "/m", js, `{"apiVersion":null,"kind":"","metadata":{"name":"m"}}`, 200, ""},
		// The response to an unknown path is a Status only below /api and in built-in groups.
		{"GET", "/api/v1/nothings", js, "", 404, `"message":"the server could not find the requested resource","reason":"NotFound"`},
		{"GET", "/api/v2", js, "", 404, `"message":"the server could not find the requested resource"`},
		{"GET", "/apis/apps/v9/deployments", js, "", 404, `"message":"the server could not find the requested resource"`},
		{"GET", "/apis/apps/v9", js, "", 404, `"message":"the server could not find the requested resource"`},
		{"GET", "/apis/example.org", js, "", 404, "404 page not found\n"},
		{"GET", "/apis/example.org/v1", js, "", 404, "404 page not found\n"},
		{"GET", "/apis/example.org/v1/namespaces/default/paints", js, "", 404, "404 page not found\n"},
		{"POST", "/apis/example.com/v1/namespaces/default/brushes", js, "{}", 404, "404 page not found\n"},
		{"GET", "/openapi/v3/apis/example.org/v1", js, "", 404, "404 page not found\n"},
		{"GET", "/metrics", js, "", 404, "404 page not found\n"},
		// It looks for the namespace before it validates the object.
		{"POST", "/api/v1/namespaces/nowhere/configmaps", js, `{"metadata":{"name":"m"},"data":{"bad key":"1"}}`, 404, `namespaces \"nowhere\" not found`},
		{"POST", "/apis/example.com/v1/namespaces/nowhere/paints", js, `{"apiVersion":"example.com/v1","kind":"Paint","metadata":{"name":"a"},"spec":{"colour":5}}`, 404, `namespaces \"nowhere\" not found`},
		// In an apply, it looks for the namespace after the merge, and for duplicate fields in between.
		{"PATCH", "/api/v1/namespaces/nowhere/configmaps/m?fieldManager=m", apply, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m"},"dat":{}}`, 500, "field not declared in schema"},
		{"PATCH", "/api/v1/namespaces/nowhere/configmaps/m?fieldManager=m&fieldValidation=Strict", apply, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m"},"data":{"a":"1","a":"1"}}`, 400, "error strict decoding patch"},
		{"PATCH", "/api/v1/namespaces/nowhere/configmaps/m?fieldManager=m", apply, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m"},"data":{"bad key":"1"}}`, 404, `namespaces \"nowhere\" not found`},
		{"PATCH", "/api/v1/namespaces/nowhere/configmaps/m?fieldManager=m", apply, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m"},"data":{"a":"1"}}`, 404, `namespaces \"nowhere\" not found`},
		// The number of remaining items is reported only if the request has no selectors.
		{"POST", maps, js, `{"metadata":{"name":"n"}}`, 201, ""},
		{"POST", maps, js, `{"metadata":{"name":"o"}}`, 201, ""},
		{"GET", maps + "?limit=1", js, "", 200, `"remainingItemCount":2`},
		// Contradictory list options are rejected.
		{"GET", maps + "?resourceVersionMatch=Exact", js, "", 422, "resourceVersionMatch is forbidden unless resourceVersion is provided"},
		{"GET", maps + "?resourceVersionMatch=Exact&resourceVersion=0", js, "", 422, "is forbidden for resourceVersion"},
		{"GET", maps + "?watch=1&sendInitialEvents=true", js, "", 422, "sendInitialEvents"},
		{"GET", maps + "?limit=1&continue=e30&resourceVersion=1", js, "", 400, "not allowed when using continue"},
		// A Namespace that is being deleted accepts no new objects.
		{"POST", "/api/v1/namespaces", js, `{"metadata":{"name":"going"}}`, 201, ""},
		{"DELETE", "/api/v1/namespaces/going", js, "", 200, ""},
		{"POST", "/api/v1/namespaces/going/configmaps", js, `{"metadata":{"name":"m"}}`, 403, `"reason":"NamespaceTerminating"`},
		// A client can finish the deletion in place of the controllers.
		{"GET", "/api/v1", js, "", 200, `{"name":"namespaces/finalize","singularName":"","namespaced":false,"kind":"Namespace","verbs":["update"]}`},
		{"GET", "/api/v1/namespaces/going/finalize", js, "", 405, ""},
		{"PATCH", "/api/v1/namespaces/going/finalize", merge, `{"spec":{"finalizers":[]}}`, 405, ""},
		{"PUT", "/api/v1/namespaces/going/finalize", js, `{"metadata":{"name":"going"},"spec":{"finalizers":["kubernetes"]}}`, 200, `"phase":"Terminating"`},
		{"GET", "/api/v1/namespaces/going", js, "", 200, `"phase":"Terminating"`},
		{"PUT", "/api/v1/namespaces/going/finalize", js, `{"metadata":{"name":"going"}}`, 200, `"phase":"Terminating"`},
		{"GET", "/api/v1/namespaces/going", js, "", 404, ""},
		{"POST", secrets, js, `{"metadata":{"name":"owner"}}`, 201, ""},
		{"DELETE", secrets + "/owner?propagationPolicy=Foreground", js, "", 200, `"finalizers":["foregroundDeletion"]`},
		{"PATCH", secrets + "/owner", merge, `{"metadata":{"finalizers":null}}`, 200, ""},
		{"GET", secrets + "/owner", js, "", 404, ""},
	} {
		if code, text := send(c.method, c.path, c.media, c.body); code != c.code || !strings.Contains(text, c.has) {
			t.Errorf("%s %s %s:\n%d %s, want %d %s", c.method, c.path, c.body, code, text, c.code, c.has)
		}
	}
	if code, text := send("GET", maps+"?limit=1&labelSelector=a!=b", js, ""); code != 200 || strings.Contains(text, "remainingItemCount") {
		t.Errorf("the response to a request with selectors has the number of remaining items: %d %s", code, text)
	}

	// The Python client sends True instead of true. A watch sends a bookmark before it ends,
	// if there is enough time.
	began := time.Now()
	code, text := send("GET", maps+"?watch=True&timeoutSeconds=3&allowWatchBookmarks=true&resourceVersion=1", js, "")
	if lines := strings.Split(strings.TrimSpace(text), "\n"); code != 200 || len(lines) != 4 || !strings.HasPrefix(lines[3], `{"object":{"apiVersion":"v1","kind":"ConfigMap"`) || !strings.Contains(lines[3], "BOOKMARK") {
		t.Errorf("watched after %v: %d %s", time.Since(began), code, text)
	}
	if code, text := send("GET", maps+"?watch=False", js, ""); code != 200 || !strings.Contains(text, "ConfigMapList") {
		t.Errorf("listed: %d %s", code, text)
	}

	// Deleting a definition deletes its objects, and watches must show this.
	answer, err := http.Get(s.URL() + paints + "?watch=1")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if code, text := send("DELETE", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/paints.example.com", js, ""); code != 200 {
		t.Fatalf("%d %s", code, text)
	}
	var seen []string
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		seen = append(seen, lines.Text())
	}
	if len(seen) != 2 || !strings.Contains(seen[0], `"type":"ADDED"`) || !strings.Contains(seen[1], `"type":"DELETED"`) || !strings.Contains(seen[1], `"colour":"red","litres":0`) {
		t.Errorf("seen: %s", seen)
	}
}
