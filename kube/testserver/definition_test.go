// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Adding and deleting definitions while their documents are requested must be safe.
func TestConcurrentDefinitions(t *testing.T) {
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	send := func(method, address, body string) int {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(method, address, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		s.ServeHTTP(w, r)
		return w.Code
	}
	const all = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	done := make(chan struct{})
	var readers sync.WaitGroup
	for _, address := range []string{"/openapi/v3", "/openapi/v3/apis/example.com/v1", "/apis"} {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					send("GET", address, "")
				}
			}
		})
	}
	for range 100 {
		if code := send("POST", all, `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.example.com"},
			"spec":{"group":"example.com","scope":"Namespaced","names":{"kind":"Widget","plural":"widgets"},
			"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}`); code != http.StatusCreated {
			t.Fatal(code)
		}
		if code := send("DELETE", all+"/widgets.example.com", ""); code != http.StatusOK {
			t.Fatal(code)
		}
	}
	close(done)
	readers.Wait()
}

// As on an API server, version 2 of the OpenAPI document has no defaults, and version 3
// has them. Both lack immutability markers, which servers drop when they decode a
// definition.
func TestPublishedDefaults(t *testing.T) {
	s, err := New(Options{Definitions: [][]byte{[]byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.example.com"},
		"spec":{"group":"example.com","scope":"Namespaced","names":{"kind":"Widget","plural":"widgets"},
		"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{
			"spec":{"type":"object","properties":{"size":{"type":"integer","default":1},"tags":{"type":"object","x-kubernetes-immutable-keys":true,"additionalProperties":{"type":"string"}}}}}}}}]}}`)}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	count := func(address string) (defaults int) {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest("GET", address, nil))
		var document map[string]any
		if err := json.Unmarshal(w.Body.Bytes(), &document); err != nil {
			t.Fatalf("%s: %d, %v", address, w.Code, err)
		}
		if strings.Contains(w.Body.String(), "x-kubernetes-immutable") {
			t.Errorf("%s has a marker", address)
		}
		var walk func(v any, fields bool)
		walk = func(v any, fields bool) {
			switch v := v.(type) {
			case map[string]any:
				for name, below := range v {
					if name == "default" && !fields {
						defaults++
					}
					walk(below, name == "properties" && !fields)
				}
			case []any:
				for _, item := range v {
					walk(item, false)
				}
			}
		}
		walk(document, false)
		return defaults
	}
	if n := count("/openapi/v2"); n != 0 {
		t.Errorf("version 2 has %d defaults", n)
	}
	for _, address := range []string{"/openapi/v3/api/v1", "/openapi/v3/apis/example.com/v1"} {
		if count(address) == 0 {
			t.Errorf("%s has no defaults", address)
		}
	}
}
