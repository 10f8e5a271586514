// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dovetail-ssa/dovetail/kube/crd/served"
	"github.com/dovetail-ssa/dovetail/kube/predict"
	"github.com/dovetail-ssa/dovetail/kube/testserver"
)

// Each metadata rule must give the same result for built-in and custom kinds, and in a
// create, an update and an apply. The prediction must have the same result as the server.
func TestMetadataOfAllRequests(t *testing.T) {
	s := start(t, testserver.Options{})
	types, err := served.New(served.Options{Release: "1.37"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := types.Define([]byte(colours)); err != nil {
		t.Fatal(err)
	}
	statusOf := func(method, path, media, body string) (int, *metav1.Status) {
		t.Helper()
		code, text := send(t, s, method, path, media, body)
		status := &metav1.Status{}
		if code >= 300 {
			if err := json.Unmarshal([]byte(text), status); err != nil {
				t.Fatal(err)
			}
		}
		return code, status
	}
	const js, apply = "application/json", "application/apply-patch+yaml"
	if code, status := statusOf("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", js, colours); code != 201 {
		t.Fatal(status)
	}
	kinds := []struct{ apiVersion, kind, path string }{
		{"v1", "ConfigMap", "/api/v1/namespaces/default/configmaps"},
		{"example.com/v1", "Paint", "/apis/example.com/v1/namespaces/default/paints"},
	}
	for _, k := range kinds {
		if code, status := statusOf("POST", k.path, js, `{"apiVersion":"`+k.apiVersion+`","kind":"`+k.kind+`","metadata":{"name":"there"}}`); code != 201 {
			t.Fatal(status)
		}
	}
	for _, c := range []struct{ name, metadata, field string }{
		{"bad_name", "", "metadata.name"},
		{"there", `"labels":{"bad key":"x"}`, "metadata.labels"},
		{"there", `"labels":{"a":"bad value"}`, "metadata.labels"},
		{"there", `"annotations":{"bad key":"x"}`, "metadata.annotations"},
		{"there", `"annotations":{"a":"` + strings.Repeat("x", 256<<10) + `"}`, "metadata.annotations"},
		{"there", `"finalizers":["bad finalizer"]`, "metadata.finalizers"},
		{"there", `"finalizers":["orphan","foregroundDeletion"]`, "metadata.finalizers"},
		{"there", `"ownerReferences":[{"apiVersion":"v1","kind":"A","name":"a","uid":""}]`, "metadata.ownerReferences[0].uid"},
		{"there", `"ownerReferences":[{"apiVersion":"a/b/c","kind":"A","name":"a","uid":"1"}]`, "metadata.ownerReferences[0].apiVersion"},
		{"there", `"ownerReferences":[{"apiVersion":"v1","kind":"A","name":"a","uid":"1","controller":true},{"apiVersion":"v1","kind":"A","name":"b","uid":"2","controller":true}]`, "metadata.ownerReferences"},
	} {
		messages := map[string]bool{}
		note := func(how string, causes []metav1.StatusCause) {
			t.Helper()
			i := slices.IndexFunc(causes, func(cause metav1.StatusCause) bool { return cause.Field == c.field })
			if i < 0 {
				t.Errorf("%s of %.80s: no cause at %s: %v", how, c.metadata, c.field, causes)
				return
			}
			messages[causes[i].Message] = true
		}
		for _, k := range kinds {
			name := c.name
			text := func(name string) string {
				more := ""
				if c.metadata != "" {
					more = "," + c.metadata
				}
				return `{"apiVersion":"` + k.apiVersion + `","kind":"` + k.kind + `","metadata":{"name":"` + name + `","namespace":"default"` + more + `}}`
			}
			fresh := name
			if name == "there" {
				fresh = "new"
			}
			for _, r := range []struct{ method, path, media, name string }{
				{"POST", k.path, js, fresh},
				{"PATCH", k.path + "/" + fresh + "?fieldManager=m", apply, fresh},
				{"PATCH", k.path + "/" + name + "?fieldManager=m", apply, name},
				{"PUT", k.path + "/" + name, js, name},
			} {
				body := text(r.name)
				if r.method == "PUT" {
					if name != "there" {
						continue // an update cannot create these kinds
					}
					live := struct{ Metadata metav1.ObjectMeta }{}
					answer, err := http.Get(s.URL() + r.path)
					if err != nil {
						t.Fatal(err)
					}
					if err := json.NewDecoder(answer.Body).Decode(&live); err != nil {
						t.Fatal(err)
					}
					answer.Body.Close()
					body = strings.Replace(body, `"metadata":{`, `"metadata":{"resourceVersion":"`+live.Metadata.ResourceVersion+`",`, 1)
				}
				code, status := statusOf(r.method, r.path, r.media, body)
				if code != http.StatusUnprocessableEntity {
					t.Errorf("%s %s: answer %d: %s", r.method, r.path, code, status.Message)
					continue
				}
				note(r.method+" "+r.path, status.Details.Causes)
			}
			var object map[string]any
			if err := json.Unmarshal([]byte(text(name)), &object); err != nil {
				t.Fatal(err)
			}
			live := map[string]any{"apiVersion": k.apiVersion, "kind": k.kind, "metadata": map[string]any{"name": name, "namespace": "default", "uid": "u"}}
			for _, verb := range []predict.Verb{predict.Create, predict.Update, predict.Apply, predict.ApplyForce} {
				q := &predict.Request{Verb: verb, Manager: "m", Time: time.Unix(0, 0), Object: object, Live: live}
				if verb == predict.Create || name != "there" {
					q.Live = nil
				}
				_, err := types.Server().Predict(q)
				var invalid *predict.InvalidError
				if !errors.As(err, &invalid) {
					t.Errorf("verb %v of %s: %v", verb, text(name)[:100], err)
					continue
				}
				var causes []metav1.StatusCause
				for _, cause := range invalid.Causes {
					causes = append(causes, metav1.StatusCause{Field: cause.Field, Message: cause.Message})
				}
				note("prediction", causes)
			}
		}
		if len(messages) != 1 {
			t.Errorf("%.80s: several messages: %v", c.metadata, messages)
		}
	}
}

// Each request must get the same response as from an API server. The requests contain metadata that
// the server changes or rejects.
func TestMetadataChangedByServer(t *testing.T) {
	s, err := testserver.New(testserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const (
		js, apply, merge = "application/json", "application/apply-patch+yaml", "application/merge-patch+json"
		maps             = "/api/v1/namespaces/default/configmaps"
		paints           = "/apis/example.com/v1/namespaces/default/paints"
		classes          = "/apis/node.k8s.io/v1/runtimeclasses"
		owner            = `{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u"}`
		paint            = `{"apiVersion":"example.com/v1","kind":"Paint","metadata":{"name":"a"`
		required         = "metadata.resourceVersion: Invalid value: 0: must be specified for an update"
	)
	for _, c := range []struct {
		method, path, media, body string
		code                      int
		want, warning             string
	}{
		{"POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", js, colours, 201, "", ""},
		// Nulls in labels and annotations of custom resources become empty strings.
		{"POST", paints, js, paint + `,"labels":{"b":null},"annotations":{"c":null},"generateName":""},"spec":{"colour":"red"}}`, 201, `"labels":{"b":""}`, ""},
		{"GET", paints + "/a", js, "", 200, `"f:annotations":{".":{},"f:c":{}},"f:labels":{".":{},"f:b":{}}`, ""},
		{"PATCH", paints + "/a?fieldManager=m", apply, paint + `,"labels":{"d":null}}}`, 200, `"labels":{"b":"","d":""}`, ""},
		// The server removes equal owner references.
		{"POST", maps, js, `{"metadata":{"name":"a","ownerReferences":[` + owner + `,` + owner + `]}}`, 201, `"ownerReferences":[` + owner + `]`, "duplicate UID(s) observed: u"},
		{"PUT", maps + "/a", js, `{"metadata":{"name":"a","ownerReferences":[` + owner + `,` + owner + `]}}`, 200, `"ownerReferences":[` + owner + `]`, "duplicate UID(s) observed: u"},
		// Only a DELETE can set the fields about the deletion.
		{"PATCH", maps + "/a", merge, `{"metadata":{"deletionTimestamp":"2020-01-01T00:00:00Z"}}`, 422, "metadata.deletionTimestamp", ""},
		{"PATCH", maps + "/a?fieldManager=m", apply, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","deletionGracePeriodSeconds":0}}`, 422, "metadata.deletionGracePeriodSeconds", ""},
		// Some kinds need a resourceVersion.
		{"PATCH", maps + "/a?fieldManager=m", apply, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","resourceVersion":"","uid":""}}`, 200, `"uid":"`, ""},
		{"PATCH", maps + "/a", merge, `{"metadata":{"resourceVersion":null}}`, 200, "", ""},
		{"PATCH", paints + "/a?fieldManager=m&force=true", apply, paint + `,"resourceVersion":""},"spec":{"colour":"pink"}}`, 422, `"message":"paints.example.com \"a\" is invalid: ` + required + `"`, ""},
		{"PATCH", paints + "/a?fieldManager=m", apply, paint + `,"resourceVersion":""}}`, 422, `"details":{"name":"a","group":"example.com","kind":"paints"`, ""},
		{"PATCH", paints + "/a", merge, `{"metadata":{"resourceVersion":null}}`, 422, required, ""},
		{"POST", classes, js, `{"metadata":{"name":"c"},"handler":"h"}`, 201, "", ""},
		{"PUT", classes + "/c", js, `{"metadata":{"name":"c"},"handler":"h"}`, 422, required, ""},
		// A request that removes the last finalizer completes a deletion.
		{"PATCH", maps + "/a", merge, `{"metadata":{"finalizers":["example.com/x"]}}`, 200, "", ""},
		{"DELETE", maps + "/a", js, "", 200, `"deletionTimestamp"`, ""},
		{"PUT", maps + "/a", js, `{"metadata":{"name":"a","deletionGracePeriodSeconds":5,"finalizers":["example.com/x"]}}`, 422, "metadata.deletionGracePeriodSeconds", ""},
		{"PUT", maps + "/a", js, `{"metadata":{"name":"a"}}`, 200, `"deletionTimestamp"`, ""},
		{"GET", maps + "/a", js, "", 404, "", ""},
	} {
		r := httptest.NewRequest(c.method, "http://x"+c.path, strings.NewReader(c.body))
		r.Header.Set("Content-Type", c.media)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		warning := strings.Join(w.Header().Values("Warning"), "\n")
		if w.Code != c.code || !strings.Contains(w.Body.String(), c.want) || !strings.Contains(warning, c.warning) || c.warning == "" && warning != "" {
			t.Errorf("%s %s %s: status %d, want %d %s: %s, warning %q", c.method, c.path, c.body, w.Code, c.code, c.want, w.Body, warning)
		}
	}
}

// TestCreateWithResourceVersion creates objects that have a resourceVersion. As on a real server,
// only the storage rejects them: after validation, and not in a dry run.
func TestCreateWithResourceVersion(t *testing.T) {
	s, err := testserver.New(testserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct {
		query, version, key string
		want                int
	}{
		{"", "7", "a", 500}, {"", "7", "no key", 422}, {"", "0", "a", 201}, {"", "abc", "a", 201}, {"?dryRun=All", "7", "a", 201},
	} {
		body := fmt.Sprintf(`{"metadata": {"name": "m%d", "resourceVersion": %q}, "data": {%q: "b"}}`, i, c.version, c.key)
		r := httptest.NewRequest("POST", "http://x/api/v1/namespaces/default/configmaps"+c.query, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("%+v: status %d: %.300s", c, w.Code, w.Body)
		}
	}
}
