// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package repocheck

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// v4Program prints one line for each behavior of v4 that v6 does not have. It uses only packages of
// v4, and %s is an additional import.
const v4Program = `package main

import (
	"fmt"

	"sigs.k8s.io/structured-merge-diff/v4/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v4/typed"
	%s
)

const schema = "types: [{name: a, map: {fields: [{name: l, type: {list: {elementRelationship: associative, keys: [port, protocol], " +
	"elementType: {map: {fields: [{name: port, type: {scalar: numeric}}, {name: protocol, type: {scalar: string}}]}}}}}]}}]"

func main() {
	parser, err := typed.NewParser(schema)
	if err != nil {
		panic(err)
	}
	_, err = parser.Type("a").FromYAML("{l: [{port: 80}]}")
	fmt.Println("accepts an item without a key:", err == nil)

	list, err := parser.Type("a").FromUnstructured(map[string]any{"l": []any{}})
	if err != nil {
		panic(err)
	}
	fmt.Println(list.ExtractItems(fieldpath.NewSet(fieldpath.MakePathOrDie("l"))).AsValue().Unstructured())

	_, err = fieldpath.DeserializePathElement("k:{\"port\":80} trailing")
	fmt.Println("accepts text after a path element:", err == nil)
}
`

const (
	likeV4 = "accepts an item without a key: false\nmap[l:<nil>]\naccepts text after a path element: true\n"
	likeV6 = "accepts an item without a key: true\nmap[l:[]]\naccepts text after a path element: false\n"
)

// TestTwoVersionsInOneProgram builds programs that replace structured-merge-diff v4 and v6. The
// packages of both modules behave like v6, whichever module is initialized first (the row
// several-versions in DIFFERENCES.md).
func TestTwoVersionsInOneProgram(t *testing.T) {
	root, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, format string, args ...any) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), fmt.Appendf(nil, format, args...), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.com/yours\n\ngo 1.24.0\n")
	write("go.work", "go 1.24.0\n\nuse (\n\t.\n\t%s\n\t%[1]s/compat/v4\n\t%[1]s/compat/v6\n)\n", root)
	// The overlay makes the policies of v4 depend on v6, so that v6 is initialized first.
	write("late.go", "package policy\n\nimport _ \"sigs.k8s.io/structured-merge-diff/v6/schema\"\n")
	write("overlay.json", "{\"Replace\": {%q: %q}}\n", root+"/compat/v4/internal/policy/late.go", filepath.Join(dir, "late.go"))
	const v6 = `_ "sigs.k8s.io/structured-merge-diff/v6/typed"`
	for _, tc := range []struct{ name, imports, overlay, want string }{
		{"v4 alone", "", "", likeV4},
		{"v4 is initialized first", v6, "", likeV6},
		{"v6 is initialized first", v6, "overlay.json", likeV6},
	} {
		t.Run(tc.name, func(t *testing.T) {
			write("main.go", v4Program, tc.imports)
			run := exec.Command("go", "run", "-overlay="+tc.overlay, "main.go")
			run.Dir = dir
			run.Env = append(os.Environ(), "GOWORK="+filepath.Join(dir, "go.work"), "GOFLAGS=")
			var stderr strings.Builder
			run.Stderr = &stderr
			out, err := run.Output()
			if err != nil {
				t.Fatalf("%v\n%s", err, &stderr)
			}
			if string(out) != tc.want {
				t.Errorf("the program prints\n%s\nwant\n%s", out, tc.want)
			}
		})
	}
}
