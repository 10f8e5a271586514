// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-ssa/dovetail/kube/testserver"
)

// exchange sends a request to a server that does not listen. It returns the response and the object
// in it.
func exchange(t *testing.T, s *testserver.Server, method, path, body string) (*httptest.ResponseRecorder, map[string]any) {
	t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		r.Header.Set("Content-Type", "application/merge-patch+json")
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	var object map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &object); err != nil {
		t.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
	}
	return w, object
}

// newServer returns a server that does not listen.
func newServer(t *testing.T, o testserver.Options) *testserver.Server {
	t.Helper()
	s, err := testserver.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// must sends a request that must succeed, and returns the object in the response.
func must(t *testing.T, s *testserver.Server, method, path, body string) map[string]any {
	t.Helper()
	w, object := exchange(t, s, method, path, body)
	if w.Code >= 300 {
		t.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
	}
	return object
}

func metadataOf(object map[string]any) map[string]any {
	metadata, _ := object["metadata"].(map[string]any)
	return metadata
}

// TestGracePeriods deletes Pods several times. A deletion can only shorten the grace period, and a
// grace period of 0 removes the Pod.
func TestGracePeriods(t *testing.T) {
	const gone = -1
	began := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	type step struct {
		after   int    // the time of the request, in seconds after the first request
		options string // the query of the deletion
		grace   int    // the wanted grace period in seconds, or gone
		end     int    // the wanted deletionTimestamp, in seconds after the first request
	}
	running := `{"metadata":{"name":"p"},"spec":{"nodeName":"n","containers":[{"name":"c","image":"c"}]}}`
	for name, c := range map[string]struct {
		pod, patch string
		steps      []step
	}{
		"default, then forced":       {running, "", []step{{0, "", 30, 30}, {1, "gracePeriodSeconds=0", gone, 0}}},
		"default, then shorter":      {running, "", []step{{0, "", 30, 30}, {1, "gracePeriodSeconds=5", 5, 5}, {1, "gracePeriodSeconds=0", gone, 0}}},
		"longer and equal":           {running, "", []step{{0, "gracePeriodSeconds=10", 10, 10}, {1, "", 10, 10}, {2, "gracePeriodSeconds=10", 10, 10}, {2, "gracePeriodSeconds=60", 10, 10}}},
		"shorter in the past":        {running, "", []step{{0, "", 30, 30}, {20, "gracePeriodSeconds=10", 1, 20}}},
		"negative":                   {running, "", []step{{0, "gracePeriodSeconds=-1", 1, 1}, {0, "gracePeriodSeconds=-1", 1, 1}}},
		"forced at once":             {running, "", []step{{0, "gracePeriodSeconds=0", gone, 0}}},
		"of the Pod":                 {strings.Replace(running, `"spec":{`, `"spec":{"terminationGracePeriodSeconds":7,`, 1), "", []step{{0, "", 7, 7}}},
		"without a node":             {strings.Replace(running, `"nodeName":"n",`, "", 1), "", []step{{0, "gracePeriodSeconds=9", gone, 0}}},
		"that has ended":             {running, `{"status":{"phase":"Failed"}}`, []step{{0, "", gone, 0}}},
		"with a finalizer":           {strings.Replace(running, `"name":"p"`, `"name":"p","finalizers":["a.b/c"]`, 1), "", []step{{0, "", 30, 30}, {1, "gracePeriodSeconds=0", 0, 1}, {2, "", 0, 1}}},
		"dry run, then the deletion": {running, "", []step{{0, "dryRun=All", 30, 30}, {1, "gracePeriodSeconds=3", 3, 4}}},
	} {
		now := began
		s := newServer(t, testserver.Options{Now: func() time.Time { return now }})
		const path = "/api/v1/namespaces/default/pods"
		must(t, s, "POST", path, c.pod)
		if c.patch != "" {
			must(t, s, "PATCH", path+"/p/status", c.patch)
		}
		for _, step := range c.steps {
			now = began.Add(time.Duration(step.after) * time.Second)
			w, answer := exchange(t, s, "DELETE", path+"/p?"+step.options, "")
			found, stored := exchange(t, s, "GET", path+"/p", "")
			if step.grace == gone {
				if w.Code != 200 || found.Code != 404 || answer["kind"] != "Pod" || metadataOf(answer)["deletionGracePeriodSeconds"] != 0.0 {
					t.Errorf("%s: DELETE ?%s: %d %s, then GET %d", name, step.options, w.Code, w.Body, found.Code)
				}
				continue
			}
			if !strings.Contains(step.options, "dryRun") && !reflect.DeepEqual(answer, stored) {
				t.Errorf("%s: DELETE ?%s returns %v, and the server has %v", name, step.options, answer, stored)
			}
			end := began.Add(time.Duration(step.end) * time.Second).Format(time.RFC3339)
			if m := metadataOf(answer); m["deletionGracePeriodSeconds"] != float64(step.grace) || m["deletionTimestamp"] != end {
				t.Errorf("%s: DELETE ?%s: grace period %v until %v, want %d until %s", name, step.options, m["deletionGracePeriodSeconds"], m["deletionTimestamp"], step.grace, end)
			}
		}
	}
}

// TestPropagationPolicies deletes an object several times. The last policy determines the finalizer of
// the garbage collector.
func TestPropagationPolicies(t *testing.T) {
	const (
		background, foreground, orphan = "propagationPolicy=Background", "propagationPolicy=Foreground", "propagationPolicy=Orphan"
		warning                        = "child pods are preserved by default when jobs are deleted"
		gone                           = "gone"
		template                       = `"template":{"metadata":{"labels":{"a":"b"}},"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"c"}]}}`
	)
	type step struct{ options, want string } // want lists the finalizers
	in := func(path string) string { return "/apis/" + path }
	for _, c := range []struct {
		path, object string
		steps        []step
	}{
		{"/api/v1/namespaces/default/configmaps", `{}`, []step{{"", gone}}},
		{"/api/v1/namespaces/default/configmaps", `{}`, []step{{background, gone}}},
		{"/api/v1/namespaces/default/configmaps", `{}`, []step{{orphan, "orphan"}, {"", "orphan"}, {foreground, "foregroundDeletion"}, {"", "foregroundDeletion"}, {background, gone}}},
		{"/api/v1/namespaces/default/configmaps", `{}`, []step{{foreground, "foregroundDeletion"}, {orphan, "orphan"}}},
		{"/api/v1/namespaces/default/configmaps", `{}`, []step{{"orphanDependents=true", "orphan"}, {"orphanDependents=false", gone}}},
		{"/api/v1/namespaces/default/configmaps", `{"metadata":{"finalizers":["a.b/c"]}}`, []step{{foreground, "a.b/c foregroundDeletion"}, {background, "a.b/c"}}},
		{in("batch/v1/namespaces/default/jobs"), `{"spec":{` + template + `}}`, []step{{"", "orphan"}, {background, gone}}},
		{in("batch/v1/namespaces/default/jobs"), `{"spec":{` + template + `}}`, []step{{foreground, "foregroundDeletion"}, {"", "foregroundDeletion"}}},
		{"/api/v1/namespaces/default/replicationcontrollers", `{"spec":{"selector":{"a":"b"},` + strings.Replace(template, "Never", "Always", 1) + `}}`, []step{{"", "orphan"}}},
		{in("apps/v1/namespaces/default/replicasets"), `{"spec":{"selector":{"matchLabels":{"a":"b"}},` + strings.Replace(template, "Never", "Always", 1) + `}}`, []step{{"", gone}}},
		{"/api/v1/namespaces/default/events", `{"involvedObject":{"namespace":"default"}}`, []step{{orphan, gone}}},
		{"/api/v1/namespaces", `{}`, []step{{foreground, "foregroundDeletion"}}},
		{"/api/v1/namespaces", `{}`, []step{{"orphanDependents=false", "foregroundDeletion"}, {orphan, "foregroundDeletion"}}},
		{"/api/v1/namespaces", `{"metadata":{"finalizers":["orphan"]}}`, []step{{"", "orphan"}}},
		{"/api/v1/namespaces", `{"metadata":{"finalizers":["orphan"]}}`, []step{{background, ""}}},
	} {
		s := newServer(t, testserver.Options{})
		var object map[string]any
		if err := json.Unmarshal([]byte(c.object), &object); err != nil {
			t.Fatal(err)
		}
		metadata := metadataOf(object)
		if metadata == nil {
			metadata = map[string]any{}
		}
		metadata["name"], object["metadata"] = "x", metadata
		body, _ := json.Marshal(object)
		must(t, s, "POST", c.path, string(body))
		for _, step := range c.steps {
			w, answer := exchange(t, s, "DELETE", c.path+"/x?"+step.options, "")
			found, stored := exchange(t, s, "GET", c.path+"/x", "")
			got := gone
			if found.Code == 200 {
				got = strings.Trim(fmt.Sprint(metadataOf(stored)["finalizers"]), "[]")
				got = strings.Replace(got, "<nil>", "", 1)
			}
			code := 200
			if step.options == "orphanDependents=false" && step.want != gone {
				code = 202
			}
			if w.Code != code || got != step.want || got != gone && !reflect.DeepEqual(answer, stored) {
				t.Errorf("DELETE %s?%s: %d %s\ngot %q, want %q", c.path, step.options, w.Code, w.Body, got, step.want)
			}
			if warned := strings.Contains(w.Header().Get("Warning"), warning); warned != (step.options == "" && strings.HasSuffix(c.path, "/jobs")) {
				t.Errorf("DELETE %s?%s: warnings %q", c.path, step.options, w.Header()["Warning"])
			}
		}
	}
}

// TestDeletedObjectIsReturned checks that a deletion returns the removed object of some kinds, with
// its last resourceVersion, and a Status for other kinds.
func TestDeletedObjectIsReturned(t *testing.T) {
	s := newServer(t, testserver.Options{})
	for path, c := range map[string]struct{ body, kind string }{
		"/api/v1/namespaces/default/pods":                        {`{"metadata":{"name":"x"},"spec":{"containers":[{"name":"c","image":"c"}]}}`, "Pod"},
		"/api/v1/namespaces/default/services":                    {`{"metadata":{"name":"x"},"spec":{"ports":[{"port":80}]}}`, "Service"},
		"/api/v1/namespaces/default/serviceaccounts":             {`{"metadata":{"name":"x"}}`, "ServiceAccount"},
		"/apis/storage.k8s.io/v1/storageclasses":                 {`{"metadata":{"name":"x"},"provisioner":"a.b/c"}`, "StorageClass"},
		"/api/v1/namespaces/default/configmaps":                  {`{"metadata":{"name":"x"}}`, "Status"},
		"/apis/rbac.authorization.k8s.io/v1/clusterroles":        {`{"metadata":{"name":"x"}}`, "Status"},
		"/apis/scheduling.k8s.io/v1/priorityclasses":             {`{"metadata":{"name":"x"},"value":1}`, "Status"},
		"/apis/coordination.k8s.io/v1/namespaces/default/leases": {`{"metadata":{"name":"x"}}`, "Status"},
	} {
		created := must(t, s, "POST", path, c.body)
		dry := must(t, s, "DELETE", path+"/x?dryRun=All", "")
		deleted := must(t, s, "DELETE", path+"/x", "")
		if dry["kind"] != c.kind || deleted["kind"] != c.kind {
			t.Errorf("DELETE %s returns a %v, and a %v in a dry run, want a %s", path, deleted["kind"], dry["kind"], c.kind)
		}
		before, after := metadataOf(created), metadataOf(deleted)
		if c.kind != "Status" && (after["uid"] != before["uid"] || after["resourceVersion"] == before["resourceVersion"]) {
			t.Errorf("DELETE %s returns uid %v, resourceVersion %v; the new object had %v, %v", path, after["uid"], after["resourceVersion"], before["uid"], before["resourceVersion"])
		}
	}
}

// TestDeletedPodInWatch checks the events of a Pod that is removed at once. Like an API server, the
// server first stores the deletionTimestamp.
func TestDeletedPodInWatch(t *testing.T) {
	s := newServer(t, testserver.Options{})
	const path = "/api/v1/namespaces/default/pods"
	created := must(t, s, "POST", path, `{"metadata":{"name":"x"},"spec":{"containers":[{"name":"c","image":"c"}]}}`)
	must(t, s, "DELETE", path+"/x", "")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest("GET", path+"?watch=1&timeoutSeconds=1&resourceVersion="+metadataOf(created)["resourceVersion"].(string), nil))
	var got []string
	for line := range strings.Lines(w.Body.String()) {
		var event struct {
			Type   string
			Object map[string]any
		}
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprint(event.Type, " ", metadataOf(event.Object)["deletionGracePeriodSeconds"]))
	}
	if want := []string{"MODIFIED 0", "DELETED 0"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestUndeletable checks that some Namespaces cannot be deleted, and that no request deletes several
// Namespaces.
func TestUndeletable(t *testing.T) {
	s := newServer(t, testserver.Options{})
	for _, name := range []string{"default", "kube-public", "kube-system"} {
		for _, query := range []string{"", "?dryRun=All"} {
			w, status := exchange(t, s, "DELETE", "/api/v1/namespaces/"+name+query, "")
			if want := fmt.Sprintf("namespaces %q is forbidden: this namespace may not be deleted", name); w.Code != 403 || status["message"] != want {
				t.Errorf("DELETE %s%s: %d %s", name, query, w.Code, w.Body)
			}
		}
	}
	must(t, s, "DELETE", "/api/v1/namespaces/kube-node-lease", "")
	if w, _ := exchange(t, s, "DELETE", "/api/v1/namespaces?dryRun=All", ""); w.Code != 405 {
		t.Errorf("DELETE of all Namespaces: %d %s", w.Code, w.Body)
	}
	for path, field := range map[string]string{"/api/v1": "name", "/api": "resource"} {
		r := httptest.NewRequest("GET", path, nil)
		if field == "resource" {
			r.Header.Set("Accept", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		namespaces := regexp.MustCompile(`"` + field + `":"namespaces",.*?"verbs":\[.*?\]`).FindString(w.Body.String())
		if !strings.Contains(namespaces, `"delete"`) || strings.Contains(namespaces, "deletecollection") {
			t.Errorf("GET %s: the verbs of Namespaces are in %q", path, namespaces)
		}
	}
}

// TestDeleteCollection deletes several objects with the options of a list.
func TestDeleteCollection(t *testing.T) {
	s := newServer(t, testserver.Options{})
	const path = "/api/v1/namespaces/default/configmaps"
	for i := range 5 {
		must(t, s, "POST", path, fmt.Sprintf(`{"metadata":{"name":"m%d","labels":{"a":"b"}}}`, i))
	}
	names := func(list map[string]any) string {
		var all []string
		for _, item := range list["items"].([]any) {
			all = append(all, metadataOf(item.(map[string]any))["name"].(string))
		}
		return strings.Join(all, " ")
	}
	for _, query := range []string{"resourceVersion=abc", "continue=x", "limit=x", "resourceVersionMatch=Exact"} {
		if w, _ := exchange(t, s, "DELETE", path+"?"+query, ""); w.Code != 400 && w.Code != 422 {
			t.Errorf("DELETE ?%s: %d %s", query, w.Code, w.Body)
		}
	}
	first := must(t, s, "DELETE", path+"?limit=2&labelSelector=a%3Db", "")
	if got, left := names(first), names(must(t, s, "GET", path, "")); got != "m0 m1" || left != "m2 m3 m4" || metadataOf(first)["continue"] == nil {
		t.Errorf("limit=2: the response has %s, and %s remain: %v", got, left, first["metadata"])
	}
	must(t, s, "PATCH", path+"/m3", `{"metadata":{"finalizers":["a.b/c"]}}`)
	rest := must(t, s, "DELETE", path, "")
	if got, left := names(rest), names(must(t, s, "GET", path, "")); got != "m2 m3 m4" || left != "m3" {
		t.Errorf("the response has %s, and %s remain", got, left)
	}
	for _, item := range rest["items"].([]any) {
		if m := metadataOf(item.(map[string]any)); m["deletionTimestamp"] != nil {
			t.Errorf("the response has the object after its deletion: %v", m)
		}
	}
}

// TestDeleteFromFullStore deletes objects from a full store. A deletion first marks the object, which
// makes it larger.
func TestDeleteFromFullStore(t *testing.T) {
	const (
		maps        = "/api/v1/namespaces/default/configmaps"
		pods        = "/api/v1/namespaces/default/pods"
		paints      = "/apis/example.com/v1/namespaces/default/paints"
		definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
		maxBytes    = 64 << 10
	)
	s := newServer(t, testserver.Options{MaxBytes: maxBytes, Definitions: [][]byte{[]byte(colours)}})
	must(t, s, "POST", maps, `{"metadata":{"name":"large"}}`)
	must(t, s, "POST", pods, `{"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"c"}]}}`)
	must(t, s, "POST", pods, `{"metadata":{"name":"waits","finalizers":["a.b/c"]},"spec":{"containers":[{"name":"c","image":"c"}]}}`)
	must(t, s, "POST", paints, `{"apiVersion":"example.com/v1","kind":"Paint","metadata":{"name":"waits","finalizers":["a.b/c"]}}`)
	size := 0
	fill := func() {
		for step := maxBytes; step > 0; step /= 2 {
			larger := fmt.Sprintf(`{"data":{"x":%q}}`, strings.Repeat("x", size+step))
			if w, _ := exchange(t, s, "PATCH", maps+"/large", larger); w.Code == http.StatusOK {
				size += step
			}
		}
		if w, _ := exchange(t, s, "POST", maps, `{"metadata":{"name":"other"}}`); w.Code != http.StatusInsufficientStorage {
			t.Fatalf("the store is not full: %d %s", w.Code, w.Body)
		}
	}
	for _, c := range []struct{ path, finalizersOf string }{
		{pods + "/p", ""},
		{pods + "/waits", pods + "/waits"},
		{definitions + "/paints.example.com", paints + "/waits"},
		{"/api/v1/namespaces/kube-node-lease", ""},
	} {
		fill()
		must(t, s, "DELETE", c.path, "")
		if c.finalizersOf != "" {
			must(t, s, "PATCH", c.finalizersOf, `{"metadata":{"finalizers":null}}`)
		}
		w, object := exchange(t, s, "GET", c.path, "")
		if _, deleted := metadataOf(object)["deletionTimestamp"]; w.Code != http.StatusNotFound && !deleted {
			t.Errorf("GET %s: %d %s", c.path, w.Code, w.Body)
		}
	}
}
