package cli

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
	} {
		if got := documentSteps(path); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}
