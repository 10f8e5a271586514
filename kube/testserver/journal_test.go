// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"

	"github.com/dovetail-ssa/dovetail/kube/testserver"
)

var configMaps = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}

func dynamicClient(t *testing.T, s *testserver.Server) dynamic.Interface {
	t.Helper()
	c, err := dynamic.NewForConfig(s.Config())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func configMap(name, value string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": name}, "data": map[string]any{"a": value}}}
}

// A server must read all acknowledged objects from the file of an earlier server, even if
// that server was killed.
func TestFile(t *testing.T) {
	ctx, file := t.Context(), filepath.Join(t.TempDir(), "store")
	first := start(t, testserver.Options{File: file, Definitions: [][]byte{[]byte(widgets)}})
	c := dynamicClient(t, first)
	maps, all := c.Resource(configMaps).Namespace("default"), c.Resource(widget).Namespace("default")
	for _, name := range []string{"stays", "goes"} {
		if _, err := maps.Apply(ctx, name, configMap(name, "1"), metav1.ApplyOptions{FieldManager: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	stays, err := maps.Patch(ctx, "stays", types.MergePatchType, []byte(`{"data": {"a": "2"}}`), metav1.PatchOptions{FieldManager: "y"})
	if err != nil {
		t.Fatal(err)
	}
	w, err := all.Create(ctx, &unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "w"}, "spec": map[string]any{"class": "a"}}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := maps.Delete(ctx, "goes", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}

	// Simulate a server that was killed while it was writing the next line.
	left, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	killed := filepath.Join(t.TempDir(), "killed")
	if err := os.WriteFile(killed, append(left, `{"resource":"configmaps","object":{"api`...), 0o644); err != nil {
		t.Fatal(err)
	}
	first.Close()
	if _, err := maps.Create(ctx, configMap("late", "1"), metav1.CreateOptions{}); err == nil {
		t.Error("a closed server has stored an object")
	}

	changed := strings.Replace(widgets, "maximum: 10", "maximum: 20", 1)
	for _, name := range []string{file, killed} {
		second := start(t, testserver.Options{File: name, Definitions: [][]byte{[]byte(changed)}})
		c := dynamicClient(t, second)
		maps, all := c.Resource(configMaps).Namespace("default"), c.Resource(widget).Namespace("default")
		for _, o := range []struct {
			client dynamic.ResourceInterface
			want   *unstructured.Unstructured
		}{{maps, stays}, {all, w}} {
			got, err := o.client.Get(ctx, o.want.GetName(), metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(o.want.Object, got.Object) {
				t.Errorf("%s: got\n%v, want\n%v", name, got.Object, o.want.Object)
			}
		}
		if _, err := maps.Get(ctx, "goes", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			t.Errorf("a deleted object: %v", err)
		}
		w410, err := maps.Watch(ctx, metav1.ListOptions{ResourceVersion: stays.GetResourceVersion()})
		if err != nil {
			t.Fatal(err)
		}
		if first := <-w410.ResultChan(); first.Type != watch.Error || !apierrors.IsResourceExpired(apierrors.FromObject(first.Object)) {
			t.Errorf("a watch from before the restart: %v", first)
		}
		later, err := maps.Create(ctx, configMap("later", "1"), metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if before, after := w.GetResourceVersion(), later.GetResourceVersion(); len(after) < len(before) || len(after) == len(before) && after <= before {
			t.Errorf("revision %s comes after %s", after, before)
		}
		if _, err := all.Patch(ctx, "w", types.MergePatchType, []byte(`{"spec": {"size": 15}}`), metav1.PatchOptions{}); err != nil {
			t.Errorf("an object that the changed definition allows: %v", err)
		}
	}
}

// The server must not modify a file in another format, and must report errors in a
// file.
func TestBadFile(t *testing.T) {
	const first = `{"dovetail":"testserver","version":1,"revision":3}` + "\n"
	for text, want := range map[string]string{
		"something else\nin lines\n":                   "not a file of a test server",
		"something else":                               "not a file of a test server",
		`{"dovetail":"testserver","version":2}` + "\n": "not a file of a test server",
		first + "{\n{}\n":                              "line 2: ",
		first + `{"resource": "configmaps"}` + "\n":    "line 2: want a resource, and an object or a name",
		first + `{"resource": "customresourcedefinitions.apiextensions.k8s.io", "object": {"metadata": {"name": "x"}}}` + "\n": "definition",
	} {
		file := filepath.Join(t.TempDir(), "store")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if s, err := testserver.New(testserver.Options{File: file}); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), file) {
			t.Errorf("%q: %v, want %s", text, err, want)
			if s != nil {
				s.Close()
			}
		}
		if after, err := os.ReadFile(file); err != nil || string(after) != text && want != "definition" {
			t.Errorf("%q has become %q, %v", text, after, err)
		}
	}
	if _, err := testserver.New(testserver.Options{File: t.TempDir()}); err == nil {
		t.Error("a folder is a file")
	}
}

// A second server must not use the file of a server that runs. When a server ends or does not
// start, the file must be free again, and no lock file may remain.
func TestFileOfRunningServer(t *testing.T) {
	file := filepath.Join(t.TempDir(), "store")
	link := file + "-link"
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	for _, o := range []testserver.Options{{File: file}, {File: file, Definitions: [][]byte{[]byte("kind: Other")}}, {File: file}} {
		first, err := testserver.New(o)
		if len(o.Definitions) > 0 {
			if err == nil {
				t.Error("a server with an invalid definition has started")
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{file, link} {
			if s, err := testserver.New(testserver.Options{File: name}); err == nil || !strings.Contains(err.Error(), name+": another server uses this file") {
				t.Errorf("a second server: %v, %v", s, err)
			}
		}
		first.Close()
		first.Close()
		if _, err := os.Stat(file + ".lock"); !os.IsNotExist(err) {
			t.Errorf("the lock file after the end of the server: %v", err)
		}
	}
	// The lock file of a killed server does not matter.
	if err := os.WriteFile(file+".lock", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := testserver.New(testserver.Options{File: file})
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
}

// A restarted server must have all acknowledged objects, regardless of how deeply the
// objects are nested.
func TestDeepObjectsAreReadAgain(t *testing.T) {
	const definition = `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "deeps.example.com"}, "spec": {
		"group": "example.com", "names": {"kind": "Deep", "plural": "deeps"}, "scope": "Namespaced", "versions": [{"name": "v1", "served": true, "storage": true,
		"schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}}}]}}`
	options := testserver.Options{File: filepath.Join(t.TempDir(), "store"), Definitions: [][]byte{[]byte(definition)}}
	stored, refused := 0, 0
	for depth := 9990; depth < 10005; depth++ {
		s, err := testserver.New(options)
		if err != nil {
			t.Fatalf("after %d objects: %v", stored, err)
		}
		body := fmt.Sprintf(`{"apiVersion": "example.com/v1", "kind": "Deep", "metadata": {"name": "d%d"}, "spec": {"a": %s}}`, depth, strings.Repeat("[", depth)+strings.Repeat("]", depth))
		request := httptest.NewRequest(http.MethodPost, "/apis/example.com/v1/namespaces/default/deeps", strings.NewReader(body))
		request.Header.Set("Content-Type", "application/json")
		answer := httptest.NewRecorder()
		s.ServeHTTP(answer, request)
		switch {
		case answer.Code == http.StatusCreated:
			stored++
		case answer.Code >= 400 && answer.Code < 500:
			refused++
		default:
			t.Errorf("depth %d: %d %.200s", depth, answer.Code, answer.Body)
		}
		s.Close()
	}
	if stored == 0 || refused == 0 {
		t.Errorf("%d were stored, %d refused: too few of one", stored, refused)
	}
}

// A custom resource must be validated in the version of the request, before it is
// converted to the storage version.
func TestValidatedVersion(t *testing.T) {
	const links = `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "links.example.com"}, "spec": {
		"group": "example.com", "names": {"kind": "Link", "plural": "links"}, "scope": "Namespaced", "versions": [
		{"name": "v1beta1", "served": true, "storage": false, "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object", "required": ["old"], "properties": {"a": {"type": "string"}, "old": {"type": "string"}}}}}}},
		{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}}}}}]}}`
	s := start(t, testserver.Options{Definitions: [][]byte{[]byte(links)}})
	beta := dynamicClient(t, s).Resource(schema.GroupVersionResource{Group: "example.com", Version: "v1beta1", Resource: "links"}).Namespace("default")
	link := func(name string, spec map[string]any) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.com/v1beta1", "kind": "Link", "metadata": map[string]any{"name": name}, "spec": spec}}
	}
	if _, err := beta.Create(t.Context(), link("whole", map[string]any{"a": "x", "old": "y"}), metav1.CreateOptions{}); err != nil {
		t.Errorf("an object that is valid in the version of the request: %v", err)
	}
	if _, err := beta.Create(t.Context(), link("part", map[string]any{"a": "x"}), metav1.CreateOptions{}); !apierrors.IsInvalid(err) {
		t.Errorf("an object without a required field: %v", err)
	}
}
