// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Definitions are added and deleted while their documents are requested.
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
