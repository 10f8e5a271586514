// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package input

import (
	"reflect"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

func TestDocumentSteps(t *testing.T) {
	for path, want := range map[string][]any{
		"":                            nil,
		"spec.group":                  {"spec", "group"},
		"[1].spec.versions[0].schema": {1, "spec", "versions", 0, "schema"},
		`definitions["io.k8s.T"].properties["a\"]b"].type`: {"definitions", "io.k8s.T", "properties", `a"]b`, "type"},
		"spec.versions[0…x":                                {"spec", "versions"},
		".spec.versions[0]":                                {"spec", "versions", 0},
	} {
		if got := documentSteps(path); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}

func TestWithinDocument(t *testing.T) {
	for _, tt := range []struct {
		path      string
		documents int
		want      string
	}{
		{"[1].spec.group", 2, ".spec.group"},
		{"[1].spec.group", 1, "[1].spec.group"},
		{".spec.versions[0]", 2, ".spec.versions[0]"},
		{`["1"].spec`, 2, `["1"].spec`},
		{"[1]", 2, ""},
		{"", 2, ""},
	} {
		if got := withinDocument(tt.path, tt.documents); got != tt.want {
			t.Errorf("%s of %d: %s, want %s", tt.path, tt.documents, got, tt.want)
		}
	}
}

// TestWithPositions checks that errors about a CRD are in the order of the file. Without positions,
// they are in the order of their paths.
func TestWithPositions(t *testing.T) {
	doc := openapi.Document{Name: "crd.yaml", Data: []byte(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: dbs.ex.io}
spec:
  group: ex.io
  names: {kind: Db, plural: dbs}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          zone: {type: strin}
          b: {type: array}
          a: {type: bogus}
`)}
	err := WithPositions(openapi.New(openapi.Options{}).AddCRD(doc.Name, doc.Data), doc)
	errs, _ := err.(manifest.Errors)
	var lines []int
	for _, e := range errs {
		lines = append(lines, e.Line)
	}
	if want := []int{16, 17, 18}; !reflect.DeepEqual(lines, want) {
		t.Errorf("lines %v, want %v: %v", lines, want, err)
	}
}

// TestSortByPosition checks that an error without a file comes after the errors of all files.
func TestSortByPosition(t *testing.T) {
	errs := manifest.Errors{{Message: "and 2 more"}, {File: "b", Line: 1}, {File: "a", Line: 2, Column: 3}, {File: "a", Line: 2, Column: 1}, {File: "a"}}
	got := SortByPosition(errs).Error()
	if want := "a: \na:2:1: \na:2:3: \nb:1: \nand 2 more"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
