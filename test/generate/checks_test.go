// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package generate

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/test/generate/internal/tools"
)

// TestWhoChecks checks which generators reject the tags that KEP-1929 forbids. dovetail-gen
// must reject all these tags, with file and line. The test also runs openapi-gen and
// controller-gen, to notice when they start to reject a tag.
func TestWhoChecks(t *testing.T) {
	for _, test := range []struct {
		name, fields, ours        string
		openapiGen, controllerGen bool // whether this generator rejects the tag
	}{
		{"unquoted", "// +default=bar\nName string `json:\"name,omitempty\"`", "default-syntax", true, true},
		{"trailing", "// +default=\"bar\" as ever\nName string `json:\"name,omitempty\"`", "default-syntax", true, true},
		{"twice", "// +default=\"a\"\n// +default=\"b\"\nName string `json:\"name,omitempty\"`", "default-twice", true, false},
		{"wrong type", "// +default=\"x\"\nNumber int32 `json:\"number,omitempty\"`", "default-type", false, false},
		{"too large", "// +default=300\nNumber int8 `json:\"number,omitempty\"`", "default-type", false, false},
		{"unknown field", "// +default={\"nonsense\":1}\nEntry *Entry `json:\"entry,omitempty\"`", "default-type", false, false},
		{"struct", "// +default={\"name\":\"x\"}\nEntry Entry `json:\"entry\"`", "struct-default", true, false},
		{"not omitempty", "// +default=\"x\"\nName string `json:\"name\"`", "default-omitempty", true, false},
		{"not the zero value", "// +default=5\nNumber int32 `json:\"number\"`", "default-omitempty", true, false},
		{"endless", "// +default={}\nThing *Thing `json:\"thing,omitempty\"`", "default-endless", false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			tools.Write(t, filepath.Join(dir, "go.mod"), "module scratch\n\ngo 1.25\n\nrequire k8s.io/apimachinery v0.0.0\n\nreplace k8s.io/apimachinery => ./apimachinery\n")
			tools.Write(t, filepath.Join(dir, "apimachinery", "go.mod"), "module k8s.io/apimachinery\n\ngo 1.25\n")
			tools.Write(t, filepath.Join(dir, "apimachinery/pkg/apis/meta/v1/types.go"), metaTypes)
			tools.Write(t, filepath.Join(dir, "api", "doc.go"), "// +k8s:openapi-gen=true\n// +groupName=example.com\npackage api\n")
			tools.Write(t, filepath.Join(dir, "api", "types.go"), thingTypes+test.fields+entryTypes)
			for name, want := range map[string]struct {
				args    []string
				refuses bool
			}{
				"dovetail-gen":   {[]string{"--crds=", "--openapi-json=", "./api"}, true},
				"openapi-gen":    {[]string{"--output-dir", dir + "/out", "--output-pkg", "scratch/out", "--report-filename", dir + "/report", "./api"}, test.openapiGen},
				"controller-gen": {[]string{"crd", "paths=./api", "output:crd:dir=" + dir + "/crds"}, test.controllerGen},
			} {
				c := tools.Command(dir, toolPath(t, name), want.args...)
				out, err := c.CombinedOutput()
				if refuses := err != nil; refuses != want.refuses {
					t.Errorf("%s rejects the marker: %v:\n%s", name, refuses, out)
				}
				if name == "dovetail-gen" && !strings.Contains(string(out), ": "+test.ours+": ") {
					t.Errorf("got %s, want %s", out, test.ours)
				}
			}
		})
	}
}

const metaTypes = `package v1

type TypeMeta struct {
	Kind       string ` + "`json:\"kind,omitempty\"`" + `
	APIVersion string ` + "`json:\"apiVersion,omitempty\"`" + `
}

type ObjectMeta struct {
	Name string ` + "`json:\"name,omitempty\"`" + `
}
`

const thingTypes = `package api

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Kind struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `

	// +optional
	Spec *Thing ` + "`json:\"spec,omitempty\"`" + `
}

type Thing struct {
`

const entryTypes = `
}

type Entry struct {
	Name string ` + "`json:\"name,omitempty\"`" + `
}
`

// toolPath returns the path of a program of this module.
func toolPath(t *testing.T, name string) string {
	t.Helper()
	return strings.TrimSpace(string(tools.Run(t, ".", "go", "tool", "-n", name)))
}
