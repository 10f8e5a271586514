// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package input

import (
	"reflect"
	"testing"
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
