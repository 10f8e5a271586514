// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dovetail-ssa/dovetail/kube/testserver"
)

const (
	js        = "application/json"
	apply     = "application/apply-patch+yaml"
	merge     = "application/merge-patch+json"
	jsonPatch = "application/json-patch+json"
	strategic = "application/strategic-merge-patch+json"
	maps      = "/api/v1/namespaces/default/configmaps"
)

// record sends a request to a server, and returns the response.
func record(s *testserver.Server, method, path, media, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://x"+path, strings.NewReader(body))
	r.Header.Set("Content-Type", media)
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// decode decodes JSON.
func decode(t *testing.T, data []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
}

// TestStatusesOfWrites compares responses to writes with the responses of a kube-apiserver.
func TestStatusesOfWrites(t *testing.T) {
	s, err := testserver.New(testserver.Options{Definitions: [][]byte{[]byte(colours)}})
	if err != nil {
		t.Fatal(err)
	}
	const (
		budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
		classes = "/apis/node.k8s.io/v1/runtimeclasses"
		paints  = "/apis/example.com/v1/namespaces/default/paints"
		class   = `{"apiVersion":"node.k8s.io/v1","kind":"RuntimeClass","metadata":{"name":"r"},"handler":"h"}`
		owner   = `{"apiVersion":"v1","kind":"A","name":"a","uid":"1"}`
		warning = `299 - ".metadata.ownerReferences contains duplicate entries;`
		unknown = `299 - "json patch unknown field \"[0].foo\""`
	)
	for _, c := range []struct {
		method, path, media, body string
		code                      int
		has, warns                string
	}{
		// For some kinds, an update must specify the resourceVersion.
		{"POST", budgets, js, `{"metadata":{"name":"b"},"spec":{"minAvailable":1}}`, 201, "", ""},
		{"PUT", budgets + "/b", js, `{"metadata":{"name":"b"},"spec":{"minAvailable":2}}`, 422,
			`poddisruptionbudgets.policy \"b\" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`, ""},
		{"PUT", budgets + "/b", js, `{"metadata":{"name":"b","resourceVersion":"0"},"spec":{"minAvailable":2}}`, 422, "must be specified for an update", ""},
		{"PATCH", budgets + "/b", merge, `{"metadata":{"resourceVersion":null},"spec":{"minAvailable":2}}`, 422, "must be specified for an update", ""},
		{"PATCH", budgets + "/b", merge, `{"spec":{"minAvailable":2}}`, 200, "", ""},
		{"PATCH", budgets + "/b?fieldManager=m", apply, `{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"b"},"spec":{"maxUnavailable":null}}`, 200, "", ""},
		{"POST", maps, js, `{"metadata":{"name":"m"},"data":{"a":"1"}}`, 201, "", ""},
		{"PUT", maps + "/m", js, `{"metadata":{"name":"m","resourceVersion":"0"},"data":{"a":"2"}}`, 200, `"data":{"a":"2"}`, ""},
		// For some kinds, an update creates a missing object.
		{"PUT", classes + "/r", js, class, 201, "", ""},
		{"PUT", classes + "/r", js, class, 422, `runtimeclasses.node.k8s.io \"r\" is invalid`, ""},
		{"PUT", "/api/v1/namespaces/default/limitranges/l", js, `{"metadata":{"name":"l","uid":"x"}}`, 409, "Precondition failed: UID in precondition: x, UID in object meta: ", ""},
		// Only an update and a delete have preconditions about the uid. A patch cannot change the uid.
		{"PUT", maps + "/m", js, `{"metadata":{"name":"m","uid":"x"}}`, 409, "Precondition failed: UID in precondition: x, UID in object meta: ", ""},
		{"PATCH", maps + "/m", merge, `{"metadata":{"uid":"x"}}`, 422, `metadata.uid: Invalid value: \"x\": field is immutable`, ""},
		{"PATCH", maps + "/m?fieldManager=m", apply, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m","uid":"x"}}`, 422, `metadata.uid: Invalid value: \"x\": field is immutable`, ""},
		{"DELETE", maps + "/m", js, `{"preconditions":{"uid":"x"}}`, 409, `Operation cannot be fulfilled on ConfigMap \"m\": the UID in the precondition (x) does not match the UID in record (`, ""},
		{"DELETE", maps + "/m", js, `{"preconditions":{"resourceVersion":"1"}}`, 409, "the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (", ""},
		{"DELETE", maps + "/m", js, `{"apiVersion":"v1","kind":"Pod"}`, 400, "", ""},
		{"GET", maps + "/m", js, "", 200, "", ""},
		{"DELETE", maps + "/m?dryRun=All", js, `{"apiVersion":"apps/v1","kind":"DeleteOptions"}`, 200, "", ""},
		// The replicas of a custom resource may be missing.
		{"POST", paints, js, `{"apiVersion":"example.com/v1","kind":"Paint","metadata":{"name":"p"}}`, 201, "", ""},
		{"GET", paints + "/p/scale", js, "", 500, `Internal error occurred: the spec replicas field \".spec.litres\" does not exist`, ""},
		{"PUT", paints + "/p/scale", js, `{"spec":{"replicas":1}}`, 400, "the name of the object (p based on URL) was undeterminable: name must be provided", ""},
		{"PUT", paints + "/p/scale", js, `{"metadata":{"name":"p"},"spec":{"replicas":1}}`, 200, `"spec":{"replicas":1}`, ""},
		{"GET", paints + "/p/scale", js, "", 200, `"spec":{"replicas":1}`, ""},
		// The server removes repeated owner references.
		{"POST", maps, js, `{"metadata":{"name":"o","ownerReferences":[` + owner + `,` + owner + `]}}`, 201, `"ownerReferences":[` + owner + `]`, warning},
		{"PATCH", maps + "/o", jsonPatch, `[{"op":"add","path":"/metadata/ownerReferences/-","value":` + owner + `}]`, 200, `"ownerReferences":[` + owner + `]`, warning},
		{"PATCH", paints + "/p", merge, `{"metadata":{"ownerReferences":[` + owner + `,` + owner + `]}}`, 200, `"ownerReferences":[` + owner + `]`, warning},
		{"PUT", maps + "/o", js, `{"metadata":{"name":"o","ownerReferences":[` + owner + `,` + strings.Replace(owner, `"a"`, `"b"`, 1) + `]}}`, 200, `"name":"b"`, ""},
		// A merge patch removes nulls in new lists and maps.
		{"PATCH", maps + "/o", merge, `{"metadata":{"annotations":{"x":null,"y":"1"}}}`, 200, `"annotations":{"y":"1"}`, ""},
		{"PATCH", maps + "/o", merge, `{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"A","name":"a","uid":"1","controller":null}]}}`, 200, `"ownerReferences":[` + owner + `]`, ""},
		// A JSON patch may have unknown and duplicate fields.
		{"PATCH", maps + "/o", jsonPatch, `[{"op":"add","path":"/data","value":{"x":"1"},"foo":2}]`, 200, `"data":{"x":"1"}`, unknown},
		{"PATCH", maps + "/o?fieldValidation=Ignore", jsonPatch, `[{"op":"add","path":"/data","value":{"x":"1"},"foo":2}]`, 200, `"data":{"x":"1"}`, ""},
		{"PATCH", maps + "/o?fieldValidation=Strict", jsonPatch, `[{"op":"add","path":"/data","value":{"x":"1"},"foo":2}]`, 422, `strict decoding error: json patch unknown field \"[0].foo\"`, ""},
		{"PATCH", maps + "/o?fieldValidation=Strict", jsonPatch, `[{"op":"add","op":"add","path":"/data","value":{"x":"1"}}]`, 422, `json patch duplicate field \"[0].op\"`, ""},
		{"PATCH", maps + "/o", jsonPatch, `[{"op":1}]`, 400, "error decoding patch", ""},
		// The status of a failed strategic merge patch depends on the error.
		{"PATCH", maps + "/o", strategic, `{"data":{"$patch":"foo"}}`, 500, "", ""},
		{"PATCH", maps + "/o", strategic, `{"data":{"$retainKeys":5}}`, 400, "invalid patch format of retainKeys", ""},
	} {
		w := record(s, c.method, c.path, c.media, c.body)
		warnings := strings.Join(w.Header()["Warning"], "\n")
		if w.Code != c.code || !strings.Contains(w.Body.String(), c.has) || !strings.HasPrefix(warnings, c.warns) || c.warns == "" && warnings != "" {
			t.Errorf("%s %s %s:\n%d %s%s\nwant %d %s %s", c.method, c.path, c.body, w.Code, w.Body, warnings, c.code, c.has, c.warns)
		}
	}
}

// TestDeprecation checks that each response for a deprecated version contains a warning.
func TestDeprecation(t *testing.T) {
	version := func(name, more string) string {
		return `{"name":"` + name + `","served":true,"storage":` + fmt.Sprint(name == "v1") + more + `,"subresources":{"status":{}},"schema":{"openAPIV3Schema":{"type":"object"}}}`
	}
	definition := func(plural, kind, versions string) []byte {
		return []byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"` + plural + `.example.com"},"spec":{
"group":"example.com","scope":"Cluster","names":{"kind":"` + kind + `","plural":"` + plural + `"},"versions":[` + versions + `]}}`)
	}
	s, err := testserver.New(testserver.Options{Definitions: [][]byte{
		definition("inks", "Ink", version("v1", "")+","+version("v1beta1", `,"deprecated":true`)+","+version("v1alpha1", `,"deprecated":true,"deprecationWarning":"use a pen"`)),
		definition("pens", "Pen", version("v1", `,"deprecated":true`)),
	}})
	if err != nil {
		t.Fatal(err)
	}
	const (
		endpoints = "/api/v1/namespaces/default/endpoints"
		old       = "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"
		beta      = "example.com/v1beta1 Ink is deprecated; use example.com/v1 Ink"
		inks      = "/apis/example.com/v1beta1/inks"
	)
	for _, c := range []struct{ method, path, media, body, want string }{
		{"POST", endpoints, js, `{"metadata":{"name":"e"}}`, old},
		{"GET", endpoints, js, "", old},
		{"GET", endpoints + "/missing", js, "", old},
		{"PATCH", endpoints + "/e", merge, `{"metadata":{"labels":{"a":"b"}}}`, old},
		{"PATCH", endpoints + "/e?fieldManager=m", apply, `{"apiVersion":"v1","kind":"Endpoints","metadata":{"name":"e"}}`, old},
		{"DELETE", endpoints, js, "", old},
		{"GET", maps, js, "", ""},
		{"POST", inks, js, `{"apiVersion":"example.com/v1beta1","kind":"Ink","metadata":{"name":"i"}}`, beta},
		{"PATCH", inks + "/i?fieldManager=m", apply, `{"apiVersion":"example.com/v1beta1","kind":"Ink","metadata":{"name":"i"}}`, beta},
		{"PATCH", inks + "/i/status", merge, `{}`, beta},
		{"GET", inks + "/i", js, "", beta},
		{"GET", "/apis/example.com/v1/inks/i", js, "", ""},
		{"GET", "/apis/example.com/v1alpha1/inks", js, "", "use a pen"},
		{"GET", "/apis/example.com/v1/pens", js, "", "example.com/v1 Pen is deprecated"},
	} {
		w := record(s, c.method, c.path, c.media, c.body)
		want := ""
		if c.want != "" {
			want = `299 - "` + c.want + `"`
		}
		if got := strings.Join(w.Header()["Warning"], "\n"); w.Code >= 400 && w.Code != 404 || got != want {
			t.Errorf("%s %s: %d, warnings %s, want %s", c.method, c.path, w.Code, got, want)
		}
	}
}

// TestVersionsOfClaims reads and changes a ResourceClaim in versions with different fields.
func TestVersionsOfClaims(t *testing.T) {
	s, err := testserver.New(testserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const beta, stable = "/apis/resource.k8s.io/v1beta1/namespaces/default/resourceclaims", "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims"
	const asBeta, asStable = `"requests":[{"allocationMode":"ExactCount","count":2,"deviceClassName":"c","name":"r"}]`, `"requests":[{"exactly":{"allocationMode":"ExactCount","count":2,"deviceClassName":"c"},"name":"r"}]`
	for _, c := range []struct {
		method, path, media, body string
		code                      int
		has                       string
	}{
		{"POST", beta, js, `{"metadata":{"name":"a"},"spec":{"devices":{"requests":[{"name":"r","deviceClassName":"c","count":2}]}}}`, 201, asBeta},
		{"GET", stable + "/a", js, "", 200, asStable},
		{"GET", stable, js, "", 200, asStable},
		{"GET", stable + "?watch=1&timeoutSeconds=1", js, "", 200, asStable},
		{"PATCH", stable + "/a", merge, `{"metadata":{"labels":{"l":"1"}}}`, 200, asStable},
		{"PATCH", beta + "/a", merge, `{"metadata":{"labels":{"l":"2"}}}`, 200, asBeta},
		{"PATCH", stable + "/b?fieldManager=m", apply, `{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"b"},"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"c","count":2}}]}}}`, 201, asStable},
		{"GET", beta + "/b", js, "", 200, asBeta},
	} {
		if w := record(s, c.method, c.path, c.media, c.body); w.Code != c.code || !strings.Contains(w.Body.String(), c.has) {
			t.Errorf("%s %s: %d %s, want %d %s", c.method, c.path, w.Code, w.Body, c.code, c.has)
		}
	}
}

// TestMergePatchOfList checks that a merge patch of a list removes the nulls in its items.
func TestMergePatchOfList(t *testing.T) {
	free := strings.Replace(colours, `"litres":`, `"free":{"type":"object","x-kubernetes-preserve-unknown-fields":true},"litres":`, 1)
	s, err := testserver.New(testserver.Options{Definitions: [][]byte{[]byte(free)}})
	if err != nil {
		t.Fatal(err)
	}
	const paints = "/apis/example.com/v1/namespaces/default/paints"
	record(s, "POST", paints, js, `{"apiVersion":"example.com/v1","kind":"Paint","metadata":{"name":"p"},"spec":{"free":{"l":[1]}}}`)
	for patch, want := range map[string]string{
		`{"spec":{"free":{"l":[{"a":null,"b":2},null]}}}`: `"free":{"l":[{"b":2},null]}`,
		`{"spec":{"free":{"n":9007199254740993}}}`:        `"n":9007199254740993`,
	} {
		w := record(s, "PATCH", paints+"/p?dryRun=All", merge, patch)
		if got := w.Body.String(); w.Code != 200 || !strings.Contains(got, want) {
			t.Errorf("%s: %s", patch, fmt.Sprint(w.Code, got))
		}
	}
}

// An apply of a null that a custom resource does not store increases the generation, and changes the
// resourceVersion. So does metadata that is not stored, except at the endpoint of the status.
func TestUnstoredValuesCauseWrites(t *testing.T) {
	s, err := testserver.New(testserver.Options{Definitions: [][]byte{[]byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"gates.example.com"},
		"spec":{"group":"example.com","scope":"Namespaced","names":{"kind":"Gate","plural":"gates"},"versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{}},
		"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{"template":{"type":"object"}}},"status":{"type":"object","properties":{"s":{"type":"string"}}}}}}}]}}`)}})
	if err != nil {
		t.Fatal(err)
	}
	const path = "/apis/example.com/v1/namespaces/default/gates/g"
	for _, c := range []struct {
		subresource, metadata, fields string
		generation                    int64 // the increase
		writes                        bool
	}{
		{"", ``, `"spec":{"template":{"creationTimestamp":null}}`, 1, true},
		{"", ``, `"spec":{"template":{}}`, 0, false},
		{"", `,"annotations":null`, `"spec":{"template":{}}`, 0, true},
		{"/status", `,"annotations":null`, `"status":{"s":"x"}`, 0, false},
	} {
		body := `{"apiVersion":"example.com/v1","kind":"Gate","metadata":{"name":"g"` + c.metadata + `},` + c.fields + `}`
		var revisions []string
		var generations []int64
		for range 3 {
			w := record(s, "PATCH", path+c.subresource+"?fieldManager=m", apply, body)
			var u unstructured.Unstructured
			if err := u.UnmarshalJSON(w.Body.Bytes()); err != nil || w.Code > 201 {
				t.Fatalf("%s: %d %s", body, w.Code, w.Body)
			}
			revisions, generations = append(revisions, u.GetResourceVersion()), append(generations, u.GetGeneration())
		}
		if writes := revisions[1] != revisions[2]; writes != c.writes || generations[2]-generations[1] != c.generation {
			t.Errorf("%s: resourceVersions %v, generations %v", body, revisions, generations)
		}
	}
}
