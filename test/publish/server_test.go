// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"encoding/json"
	"net/http/httptest"
	"reflect"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/testserver"
	"github.com/dovetail-ssa/dovetail/test/internal/plain"
)

// TestTestServer compares the schema that the test server publishes for a custom resource with
// the schema that apiextensions publishes. It ignores descriptions, and markers, which
// apiextensions does not support.
func TestTestServer(t *testing.T) {
	s, err := testserver.New(testserver.Options{Definitions: [][]byte{crdJSON(t)}})
	if err != nil {
		t.Fatal(err)
	}
	v2, v3 := published(t, crdJSON(t))
	for _, c := range []struct {
		address string
		want    []byte
		path    []string
	}{
		{"/openapi/v2", v2, []string{"definitions", widgetType}},
		{"/openapi/v3/apis/example.com/v1", v3, []string{"components", "schemas", widgetType}},
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", c.address, nil)
		r.Header.Set("Accept", "application/json")
		s.ServeHTTP(w, r)
		got, want := schemaIn(t, w.Body.Bytes(), c.path), schemaIn(t, c.want, c.path)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got\n%s\nwant\n%s", c.address, plain.Text(got), plain.Text(want))
		}
	}
}

// schemaIn returns a schema in a document, without descriptions and immutability markers.
func schemaIn(t *testing.T, document []byte, path []string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(document, &v); err != nil {
		t.Fatal(err)
	}
	for _, name := range path {
		v = v.(map[string]any)[name]
	}
	if v == nil {
		t.Fatalf("no %v", path)
	}
	strip(v)
	return v
}

func strip(v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, c := range v {
			if _, isText := c.(string); name == "description" && isText || name == "x-kubernetes-immutable" || name == "x-kubernetes-immutable-keys" {
				delete(v, name)
				continue
			}
			strip(c)
		}
	case []any:
		for _, c := range v {
			strip(c)
		}
	}
}
