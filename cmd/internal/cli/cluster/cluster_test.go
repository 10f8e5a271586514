// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build !slim

package cluster

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/pflag"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
)

// connectTo starts a test server with the handler f and returns a client for it. requests
// returns all requests so far, sorted. The stage live in test/cluster tests a client with a
// real server.
func connectTo(t *testing.T, f http.HandlerFunc, args ...string) (c *Cluster, requests func() []string) {
	t.Helper()
	t.Setenv("KUBECACHEDIR", t.TempDir())
	var mu sync.Mutex
	var list []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		list = append(list, r.Method+" "+r.URL.Path)
		mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		f(w, r)
	}))
	t.Cleanup(s.Close)
	kubeconfig := filepath.Join(t.TempDir(), "config")
	text := fmt.Sprintf(`{apiVersion: v1, kind: Config, current-context: test, clusters: [{name: test, cluster: {server: %q}}], contexts: [{name: test, context: {cluster: test, user: ann, namespace: shop}}], users: [{name: ann, user: {token: t}}]}`, s.URL)
	if err := os.WriteFile(kubeconfig, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var flags Flags
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.RegisterSelection(set)
	if err := set.Parse(append([]string{"--kubeconfig", kubeconfig}, args...)); err != nil {
		t.Fatal(err)
	}
	c, err := flags.Open(&command.Run{Env: command.Env{Stderr: &bytes.Buffer{}}})
	if err != nil {
		t.Fatal(err)
	}
	return c, func() []string {
		mu.Lock()
		defer mu.Unlock()
		slices.Sort(list)
		return list
	}
}

// refuse answers with a Status error, as an API server does.
func refuse(w http.ResponseWriter, code int, reason, message string) {
	w.WriteHeader(code)
	fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","code":%d,"reason":%q,"message":%q}`, code, reason, message)
}

// The message about a rejected request contains the server's reason and a hint.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		code                   int
		reason, message, words string
	}{
		{401, "Unauthorized", "no", "does not accept the credentials of user ann"},
		{403, "Forbidden", "no", `user ann may not get deployments.apps web in namespace shop (403): no; it needs a role with {apiGroups: ["apps"], resources: [deployments], verbs: [get]}`},
		{403, "Forbidden", `deployments.apps "web" is forbidden: User "ann" cannot get resource`, `cannot get resource; it needs a role with {apiGroups: ["apps"]`},
		{403, "Forbidden", `pods "web" is forbidden: violates PodSecurity`, `cannot get deployments.apps web in namespace shop (403): pods "web" is forbidden: violates PodSecurity`},
		{500, "InternalError", "no", "cannot get deployments.apps web in namespace shop (500)"},
	} {
		cluster, _ := connectTo(t, func(w http.ResponseWriter, _ *http.Request) { refuse(w, c.code, c.reason, c.message) })
		answers, err := cluster.Read([]Wanted{{Resource{"apps", "v1", "deployments", "Deployment", true}, "shop", "web"}})
		got := fmt.Sprint(err)
		if err == nil {
			got = answers[0].Problem
		}
		if !strings.Contains(got, c.words) {
			t.Errorf("%d: %s", c.code, got)
		}
	}
}

// A name from a file must not change the URL path of a request.
func TestNamesStay(t *testing.T) {
	cluster, requests := connectTo(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{}`) })
	configMaps := Resource{"", "v1", "configmaps", "ConfigMap", true}
	for _, w := range []Wanted{{configMaps, "shop", "a/b"}, {configMaps, "shop", ".."}, {configMaps, "..", "a"}, {configMaps, "a/secrets", "x"}, {configMaps, "shop", "a/"}} {
		answers, err := cluster.Read([]Wanted{w})
		if err != nil || !strings.Contains(answers[0].Problem, "a name must not contain /") {
			t.Errorf("%v: %+v, %v", w, answers, err)
		}
	}
	if got := requests(); len(got) > 0 {
		t.Errorf("requests: %q", got)
	}
}

// The client reads many objects of a resource as a list. If an object is far down a long list,
// the client reads this object with a request of its own.
func TestReadLists(t *testing.T) {
	cluster, requests := connectTo(t, func(w http.ResponseWriter, r *http.Request) {
		if name := strings.TrimPrefix(r.URL.Path, "/api/v1/namespaces/shop/configmaps/"); name != r.URL.Path {
			if name == "gone" {
				refuse(w, 404, "NotFound", "gone")
				return
			}
			fmt.Fprintf(w, `{"metadata":{"name":%q}}`, name)
			return
		}
		fmt.Fprint(w, `{"metadata":{"continue":"x","remainingItemCount":9000},"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}},{"metadata":{"name":"c"}},{"metadata":{"name":"d"}}]}`)
	})
	var wanted []Wanted
	for _, name := range []string{"a", "b", "c", "d", "far", "gone"} {
		wanted = append(wanted, Wanted{Resource{"", "v1", "configmaps", "ConfigMap", true}, "shop", name})
	}
	answers, err := cluster.Read(wanted)
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range answers {
		if (a.Live == nil) != (wanted[i].Object == "gone") || a.Problem != "" {
			t.Errorf("%s: %+v", wanted[i].Object, a)
		}
		if a.Live != nil && a.Live.Identity().String() != "v1 ConfigMap "+wanted[i].Object {
			t.Errorf("got %v", a.Live.Identity())
		}
	}
	want := []string{"GET /api/v1/namespaces/shop/configmaps", "GET /api/v1/namespaces/shop/configmaps/far", "GET /api/v1/namespaces/shop/configmaps/gone"}
	if got := requests(); !slices.Equal(got, want) {
		t.Errorf("requests: %q", got)
	}
}

// The client reads a document once for each hash that the server announces for it.
func TestDocumentsAreKept(t *testing.T) {
	hash := "AA11"
	cluster, requests := connectTo(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/openapi/v3":
			fmt.Fprintf(w, `{"paths":{"api/v1":{"serverRelativeURL":"/openapi/v3/api/v1?hash=%s"}}}`, hash)
		case "/openapi/v3/api/v1":
			fmt.Fprintf(w, `{"hash":%q}`, r.URL.Query().Get("hash"))
		default:
			refuse(w, 404, "NotFound", "no")
		}
	})
	for _, h := range []string{"AA11", "AA11", "BB22", "BB22"} {
		hash = h
		docs, absent, err := cluster.Documents([]string{"v1", "gone.example.com/v1"})
		if err != nil || len(docs) != 1 || string(docs[0].Data) != fmt.Sprintf(`{"hash":%q}`, h) || !strings.Contains(absent["gone.example.com/v1"], "does not serve") {
			t.Fatalf("%s: %s, %v, %v", h, docs, absent, err)
		}
	}
	n := 0
	for _, a := range requests() {
		if a == "GET /openapi/v3/api/v1" {
			n++
		}
	}
	files, err := filepath.Glob(filepath.Join(os.Getenv("KUBECACHEDIR"), "dovetail", "openapi", "*", "*"))
	if n != 2 || err != nil || len(files) != 1 {
		t.Errorf("read %d times, kept %q", n, files)
	}
}

// The client finds a resource by the same names as kubectl.
func TestNames(t *testing.T) {
	all := []discoveredResource{
		{Resource: Resource{"", "v1", "services", "Service", true}, names: []string{"services", "service", "svc"}},
		{Resource: Resource{"apps", "v1", "deployments", "Deployment", true}, names: []string{"deployments", "deployment", "deploy"}},
		{Resource: Resource{"serving.example.com", "v1", "services", "Service", true}, names: []string{"services", "service", "ksvc"}},
	}
	for name, want := range map[string]string{
		"deploy": "deployments.apps", "Deployment": "deployments.apps", "deployments.apps": "deployments.apps", "deployments.v1.apps": "deployments.apps",
		"svc": "services", "service": "services", "services.serving.example.com": "services.serving.example.com", "ksvc": "services.serving.example.com",
	} {
		if got, err := find(all, name); err != nil || got.String() != want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	for _, name := range []string{"deploymentz", "deploy.batch"} {
		if got, err := find(all, name); err == nil {
			t.Errorf("%s: %v", name, got)
		}
	}
	if _, err := parseSelections(all, []string{"deploy/a", "b"}); err == nil {
		t.Error("a name without a resource is accepted")
	}
	list, err := parseSelections(all, []string{"deploy,svc", "a", "b"})
	if err != nil || len(list) != 4 || list[3].resource.Name != "services" || list[3].name != "b" {
		t.Errorf("%v, %v", list, err)
	}
}

// The client reads each Namespace only once.
func TestNamespaceIsReadOnce(t *testing.T) {
	cluster, requests := connectTo(t, func(w http.ResponseWriter, r *http.Request) {
		switch path.Base(r.URL.Path) {
		case "shop":
			fmt.Fprint(w, `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop","deletionTimestamp":"2026-01-01T00:00:00Z"}}`)
		case "gone":
			refuse(w, 404, "NotFound", "gone")
		default:
			refuse(w, 403, "Forbidden", "no")
		}
	})
	for name, want := range map[string]string{"shop": "namespace shop is being deleted", "gone": "the cluster has no namespace gone", "other": ""} {
		Each(3, func(int) {
			if got := cluster.NoNamespace(name); !strings.HasPrefix(got, want) || (got == "") != (want == "") {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		})
	}
	if got := cluster.ReadNamespace("other").Problem; !strings.HasPrefix(got, "user ann may not get namespaces other (403)") {
		t.Errorf("other: %q", got)
	}
	if got := requests(); len(got) != 3 {
		t.Errorf("requests: %q", got)
	}
}
