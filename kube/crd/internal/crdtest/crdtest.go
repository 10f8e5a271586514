// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package crdtest reads CRDs and test cases for the tests of kube/crd and kube/crd/cel.
package crdtest

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

var update = flag.Bool("update", false, "rewrite the expected results in testdata")

// block is a test case in a file of testdata. It consists of a line "== NAME", YAML input,
// a line "--" and the expected result. Comment lines that start with # may follow the line
// with the name.
type block struct{ name, comment, in, want string }

func readBlocks(t *testing.T, file string) []block {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var blocks []block
	for _, part := range strings.Split("\n"+string(data), "\n== ")[1:] {
		name, rest, _ := strings.Cut(part, "\n")
		b := block{name: name}
		for strings.HasPrefix(rest, "# ") {
			line, after, _ := strings.Cut(rest, "\n")
			b.comment, rest = b.comment+line+"\n", after
		}
		b.in, b.want, _ = strings.Cut("\n"+rest+"\n", "\n--\n")
		b.in, b.want = strings.Trim(b.in, "\n"), strings.TrimSpace(b.want)
		blocks = append(blocks, b)
	}
	return blocks
}

// Inputs returns the inputs of the blocks of a file.
func Inputs(t *testing.T, file string) (all []string) {
	t.Helper()
	for _, b := range readBlocks(t, file) {
		all = append(all, b.in)
	}
	return all
}

// CheckBlocks runs each block of a file and compares the result with the expected one.
// With -update, it rewrites the file instead.
func CheckBlocks(t *testing.T, file string, run func(t *testing.T, in string) string) {
	blocks := readBlocks(t, file)
	if len(blocks) < 3 {
		t.Fatalf("%s has %d blocks", file, len(blocks))
	}
	var out strings.Builder
	for _, b := range blocks {
		var got string
		t.Run(b.name, func(t *testing.T) {
			got = strings.TrimSpace(run(t, b.in))
			if !*update && got != b.want {
				t.Errorf("%s\ngot\n%s\nwant\n%s", b.in, got, b.want)
			}
		})
		fmt.Fprintf(&out, "== %s\n%s%s\n--\n%s\n\n", b.name, b.comment, b.in, got)
	}
	if *update {
		if err := os.WriteFile(file, []byte(strings.TrimSuffix(out.String(), "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Head is the text of a CRD up to its schema.
const Head = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Thing, plural: things}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
`

// Document returns a CRD with the given schema. If the argument is already a CRD, Document
// returns it unchanged.
func Document(in string) string {
	if strings.HasPrefix(in, "apiVersion:") {
		return in
	}
	return Head + "        " + strings.ReplaceAll(in, "\n", "\n        ") + "\n"
}

// Read returns the first CRD in doc.
func Read(t *testing.T, doc string) *crd.Definition {
	t.Helper()
	objects, err := manifest.Read("crd.yaml", []byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	return crd.New(objects[0])
}

// CaseDocument returns the first YAML document of a file of test cases.
func CaseDocument(t *testing.T, file string) map[string]any {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	docs, err := manifest.ReadValues(file, data)
	if err != nil {
		t.Fatal(err)
	}
	return docs[0].(map[string]any)
}

// Cases returns a list from a file of test cases. An empty list fails the test.
func Cases(t *testing.T, file, list string) []map[string]any {
	t.Helper()
	var all []map[string]any
	for _, c := range CaseDocument(t, file)[list].([]any) {
		all = append(all, c.(map[string]any))
	}
	if len(all) == 0 {
		t.Fatalf("%s has no %s", file, list)
	}
	return all
}

// Values parses the YAML documents in text, each of which must be a map.
func Values(t *testing.T, text string) []map[string]any {
	t.Helper()
	docs, err := manifest.ReadValues("objects", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var all []map[string]any
	for _, d := range docs {
		all = append(all, d.(map[string]any))
	}
	return all
}
