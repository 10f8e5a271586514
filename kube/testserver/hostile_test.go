// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/testserver"
)

// The server must answer malformed requests with a Kubernetes Status that has a client
// error code. It must store nothing.
func TestHostileRequests(t *testing.T) {
	s, err := testserver.New(testserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const maps = "/api/v1/namespaces/default/configmaps"
	deep := strings.Repeat(`{"a":`, 20_000) + "1" + strings.Repeat("}", 20_000)
	double := `[` + strings.Repeat(`{"op":"copy","from":"/data","path":"/data/x"},`, 60) + `{"op":"test","path":"/kind","value":"x"}]`
	small := `{"metadata": {"name": "m"}, "data": {"a": "1"}}`
	for _, c := range []struct {
		name, method, path, media, body string
		want                            []int
	}{
		{"a body that is too long", "POST", maps, "application/json", small[:2] + strings.Repeat(" ", 3<<20) + small[2:], []int{413}},
		{"deep JSON", "POST", maps, "application/json", `{"metadata": {"name": "m"}, "data": ` + deep + `}`, []int{400}},
		{"JSON that is not quite so deep", "POST", maps, "application/json", `{"metadata": {"name": "n"}, "data": {"a": ` + deep[5*11_000:len(deep)-11_000] + `}}`, []int{400, 422}},
		{"deep YAML", "PATCH", maps + "/m?fieldManager=a", "application/apply-patch+yaml", "data: " + deep, []int{400}},
		{"aliases", "POST", maps, "application/yaml", "a: &a [x, x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b, *b, *b]\nd: &d [*c, *c, *c, *c, *c, *c]\ne: &e [*d, *d, *d, *d, *d, *d]\nf: &f [*e, *e, *e, *e, *e, *e]\ng: [*f, *f, *f, *f, *f, *f, *f]\n", []int{400}},
		{"no JSON", "POST", maps, "application/json", "{", []int{400}},
		{"a list", "POST", maps, "application/json", "[]", []int{400}},
		{"null", "POST", maps, "application/json", "null", []int{400}},
		{"nothing", "POST", maps, "application/json", "", []int{400}},
		{"metadata that is a text", "POST", maps, "application/json", `{"metadata": "m"}`, []int{400}},
		{"a name that is a number", "POST", maps, "application/json", `{"metadata": {"name": 1}}`, []int{400}},
		{"labels that are a text", "POST", maps, "application/json", `{"metadata": {"name": "l", "labels": "a"}}`, []int{400, 422}},
		{"data that is a list", "POST", maps, "application/json", `{"metadata": {"name": "l"}, "data": []}`, []int{400, 422}},
		{"another kind", "POST", maps, "application/json", `{"kind": "Secret", "metadata": {"name": "l"}}`, []int{400}},
		{"another namespace", "POST", maps, "application/json", `{"metadata": {"name": "l", "namespace": "other"}}`, []int{400}},
		{"CBOR", "POST", maps, "application/cbor", "x", []int{415}},
		{"bad protocol buffers", "POST", maps, "application/vnd.kubernetes.protobuf", "k8s\x00\xff\xff\xff", []int{400}},
		{"a patch of no kind", "PATCH", maps + "/m", "application/json", "{}", []int{415}},
		{"a merge patch that is a list", "PATCH", maps + "/m", "application/merge-patch+json", "[]", []int{400}},
		{"a patch that doubles and doubles", "PATCH", maps + "/m", "application/json-patch+json", double, []int{413, 422}},
		{"a patch of too much", "PATCH", maps + "/m", "application/json-patch+json", `[` + strings.Repeat(`{"op":"test","path":"/kind","value":"ConfigMap"},`, 20_000) + `{"op":"test","path":"/kind","value":"ConfigMap"}]`, []int{413}},
		{"a strategic patch that is wrong", "PATCH", "/api/v1/namespaces/default/pods/none", "application/strategic-merge-patch+json", `{"spec": {"containers": "x"}}`, []int{404}},
		{"an apply without a manager", "PATCH", maps + "/m", "application/apply-patch+yaml", "{}", []int{422}},
		{"force of a patch", "PATCH", maps + "/m?force=true", "application/merge-patch+json", "{}", []int{422}},
		{"managed fields in an apply", "PATCH", maps + "/m?fieldManager=a", "application/apply-patch+yaml", `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m", "managedFields": [{}]}}`, []int{400}},
		{"a dry run of something", "POST", maps + "?dryRun=some", "application/json", small, []int{422}},
		{"a selector that is none", "GET", maps + "?labelSelector=%3D%3D%3D", "", "", []int{400}},
		{"a field that is none", "GET", maps + "?fieldSelector=spec.a%3Db", "", "", []int{400}},
		{"a token that is none", "GET", maps + "?continue=%00", "", "", []int{400}},
		{"a version that is none", "GET", maps + "?resourceVersion=x", "", "", []int{400}},
		{"a watch of the future", "GET", maps + "?watch=1&resourceVersion=99999", "", "", []int{504}},
		{"a negative limit", "GET", maps + "?limit=-1", "", "", []int{200}},
		{"no resource", "GET", "/api/v1/nothings", "", "", []int{404}},
		{"no version", "GET", "/apis/apps/v9/deployments", "", "", []int{404}},
		{"no group", "GET", "/apis//v1/x", "", "", []int{404}},
		{"dots", "GET", "/api/v1/namespaces/../secrets", "", "", []int{200}},
		{"an empty name", "GET", "/api/v1/namespaces//configmaps", "", "", []int{404}},
		{"too many parts", "GET", maps + "/m/status/x/y", "", "", []int{404}},
		{"no subresource", "GET", maps + "/m/status", "", "", []int{404}},
		{"another method", "PUT", "/apis", "application/json", "{}", []int{405}},
		{"all of all namespaces", "DELETE", "/api/v1/configmaps", "", "", []int{405}},
		{"a long path", "GET", "/" + strings.Repeat("a/", 5000), "", "", []int{404}},
		{"a scale that is a text", "PUT", "/apis/apps/v1/namespaces/default/deployments/none/scale", "application/json", `{"spec": {"replicas": "x"}}`, []int{400}},
		{"a definition that is none", "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "application/json", `{"metadata": {"name": "a.b"}, "spec": {}}`, []int{400, 422}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if strings.HasPrefix(c.path, maps+"/m") && c.method == "PATCH" {
				s.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("POST", maps, strings.NewReader(small)))
			}
			r := httptest.NewRequest(c.method, "http://x"+c.path, strings.NewReader(c.body))
			r.Header.Set("Content-Type", c.media)
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			ok := false
			for _, want := range c.want {
				ok = ok || w.Code == want
			}
			if !ok {
				t.Errorf("status %d, want %v: %.300s", w.Code, c.want, w.Body)
			}
			var status struct {
				Kind string
				Code int
			}
			if w.Code == 404 && w.Body.String() == "404 page not found\n" && !strings.HasPrefix(c.path, "/api/") {
				return // an API server also sends plain text
			}
			if err := json.Unmarshal(w.Body.Bytes(), &status); w.Code >= 400 && (err != nil || status.Kind != "Status" || status.Code != w.Code) {
				t.Errorf("no Status: %v, %.300s", err, w.Body)
			}
			if w.Body.Len() > 20_000 && w.Code >= 400 {
				t.Errorf("an error of %d bytes", w.Body.Len())
			}
		})
	}
}

// All paths must require the token, except those of health checks and the version.
func TestToken(t *testing.T) {
	s, err := testserver.New(testserver.Options{Token: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	for given, want := range map[string]int{"": 401, "Bearer other": 401, "Bearer secret": 200} {
		for path, want := range map[string]int{"/api": want, "/openapi/v2": want, "/": want, "/api/v1/namespaces": want, "/readyz": 200, "/version": 200} {
			r := httptest.NewRequest("GET", path, nil)
			r.Header.Set("Authorization", given)
			w := httptest.NewRecorder()
			if s.ServeHTTP(w, r); w.Code != want {
				t.Errorf("%s, %q: %d, want %d", path, given, w.Code, want)
			}
		}
	}
}

// If nobody reads from a watch, the watch must block neither writes nor the end of the
// server.
func TestSlowWatches(t *testing.T) {
	s := start(t, testserver.Options{})
	address := strings.TrimPrefix(s.URL(), "http://")
	for range 50 {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		fmt.Fprint(c, "GET /api/v1/configmaps?watch=1 HTTP/1.1\r\nHost: x\r\n\r\n")
	}
	text := strings.Repeat("x", 1<<18)
	for i := range 200 {
		body := fmt.Sprintf(`{"metadata": {"generateName": "m-"}, "data": {"a": %q}}`, text)
		answer, err := http.Post(s.URL()+"/api/v1/namespaces/default/configmaps", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
		if answer.StatusCode != http.StatusCreated {
			t.Fatalf("%d: status %d", i, answer.StatusCode)
		}
	}
	s.Close()
}

// If a watch starts at a revision that is no longer in the history, the client must list
// again. A watch that requests initial events must start with the existing objects.
func TestWatch(t *testing.T) {
	s := start(t, testserver.Options{})
	linesOf := func(path, query string) []string {
		t.Helper()
		answer, err := http.Get(s.URL() + path + "?watch=1&timeoutSeconds=1&" + query)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		var all []string
		for in := bufio.NewScanner(answer.Body); in.Scan(); {
			var e struct {
				Type   string
				Object struct {
					Metadata struct {
						Name                string
						ResourceVersion     string
						Labels, Annotations map[string]string
					}
				}
			}
			if err := json.Unmarshal(in.Bytes(), &e); err != nil {
				t.Fatal(err)
			}
			m := e.Object.Metadata
			line := strings.TrimSpace(e.Type + " " + m.Name + m.Annotations["k8s.io/initial-events-end"])
			if m.Labels["app"] != "" {
				line += " app=" + m.Labels["app"] + " " + m.ResourceVersion
			}
			all = append(all, line)
		}
		return all
	}
	lines := func(query string) []string { return linesOf("/api/v1/namespaces", query) }
	want := "ADDED default,ADDED kube-node-lease,ADDED kube-public,ADDED kube-system,BOOKMARK true"
	if got := strings.Join(lines("sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan"), ","); got != want {
		t.Errorf("got %s", got)
	}
	if got := strings.Join(lines("resourceVersion=3"), ","); got != "ADDED kube-system" {
		t.Errorf("got %s", got)
	}
	// A watch that requests no initial events and no revision starts now.
	for _, query := range []string{"", "&resourceVersion=0"} {
		if got := lines("sendInitialEvents=false&resourceVersionMatch=NotOlderThan" + query); len(got) > 0 {
			t.Errorf("got %s", got)
		}
	}
	// When an object no longer matches the selectors or is deleted, the event has the object as it was
	// before the change, with the new revision.
	for _, c := range []struct{ method, path, media, body string }{
		{"POST", maps, js, `{"metadata":{"name":"m","labels":{"app":"x"}}}`},
		{"PATCH", maps + "/m", merge, `{"metadata":{"labels":{"app":"y"}}}`},
		{"DELETE", maps + "/m", js, ""},
	} {
		if code, text := send(t, s, c.method, c.path, c.media, c.body); code >= 300 {
			t.Fatalf("%d %s", code, text)
		}
	}
	for selector, want := range map[string]string{"app=x": "ADDED m app=x 5,DELETED m app=x 6", "app=y": "ADDED m app=y 6,DELETED m app=y 7"} {
		if got := strings.Join(linesOf(maps, "resourceVersion=4&labelSelector="+url.QueryEscape(selector)), ","); got != want {
			t.Errorf("%s: got %s", selector, got)
		}
	}
}
