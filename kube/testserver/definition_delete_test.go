// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/testserver"
)

// TestDeletedDefinition deletes a CustomResourceDefinition. It stays until its custom resources have no
// finalizers.
func TestDeletedDefinition(t *testing.T) {
	const (
		definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
		paints      = "/apis/example.com/v1/namespaces/default/paints"
		waiting     = `{"apiVersion":"example.com/v1","kind":"Paint","metadata":{"name":"waits","finalizers":["a.b/c"]}}`
		plain       = `{"apiVersion":"example.com/v1","kind":"Paint","metadata":{"name":"plain"}}`
	)
	type step struct {
		method, path, media, body string
		code                      int
		has                       string
	}
	run := func(s *testserver.Server, steps ...step) {
		t.Helper()
		for _, c := range steps {
			if w := record(s, c.method, c.path, c.media, c.body); w.Code != c.code || !strings.Contains(w.Body.String(), c.has) {
				t.Errorf("%s %s: %d %s, want %d %s", c.method, c.path, w.Code, w.Body, c.code, c.has)
			}
		}
	}
	options := testserver.Options{File: filepath.Join(t.TempDir(), "store"), Definitions: [][]byte{[]byte(colours)}}
	s, err := testserver.New(options)
	if err != nil {
		t.Fatal(err)
	}
	run(s,
		step{"POST", paints, js, waiting, 201, ""},
		step{"POST", paints, js, plain, 201, ""},
		step{"DELETE", definitions + "/paints.example.com?dryRun=All", js, "", 200, ""},
		step{"GET", paints + "/plain", js, "", 200, ""},
		step{"DELETE", definitions + "/paints.example.com", js, "", 200, `"finalizers":["customresourcecleanup.apiextensions.k8s.io"]`},
		step{"GET", definitions + "/paints.example.com", js, "", 200, `"reason":"InstanceDeletionInProgress","status":"True","type":"Terminating"`},
		step{"GET", paints + "/plain", js, "", 404, ""},
		step{"GET", paints + "/waits", js, "", 200, `"deletionTimestamp"`},
		step{"POST", paints, js, plain, 403, "create not allowed while custom resource definition is terminating"},
		step{"PATCH", paints + "/new?fieldManager=m", apply, strings.Replace(plain, "plain", "new", 1), 403, "create not allowed"},
		step{"PATCH", paints + "/waits", merge, `{"metadata":{"labels":{"a":"b"}}}`, 200, ""},
		step{"DELETE", definitions + "/paints.example.com", js, "", 200, `"Terminating"`},
	)
	s.Close()
	// The deletion continues after a restart.
	options.Definitions = nil
	if s, err = testserver.New(options); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	run(s,
		step{"PATCH", paints + "/waits", merge, `{"metadata":{"finalizers":null}}`, 200, `"name":"waits"`},
		step{"GET", definitions + "/paints.example.com", js, "", 404, ""},
		step{"GET", paints, js, "", 404, ""},
		// The new definition has a finalizer of its own.
		step{"POST", definitions, js, strings.Replace(colours, `"name":"paints.example.com"`, `"name":"paints.example.com","finalizers":["x.y/z"]`, 1), 201, ""},
		step{"POST", paints, js, plain, 201, ""},
		step{"DELETE", definitions + "/paints.example.com", js, "", 200, ""},
		step{"GET", definitions + "/paints.example.com", js, "", 200, `"reason":"InstanceDeletionCompleted","status":"False","type":"Terminating"`},
		step{"GET", paints, js, "", 200, `"items":[]`},
		step{"PATCH", definitions + "/paints.example.com", merge, `{"metadata":{"finalizers":null}}`, 200, ""},
		step{"GET", definitions + "/paints.example.com", js, "", 404, ""},
		step{"GET", paints, js, "", 404, ""},
	)
}
