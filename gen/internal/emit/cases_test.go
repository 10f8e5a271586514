// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package emit_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/dovetail-ssa/dovetail/gen/internal/emit"
	"github.com/dovetail-ssa/dovetail/gen/internal/markers"
)

var casesFile = flag.String("cases", "../../../spec/testdata/immutability.yaml", "file with markerCases")

// markerCase is a Go field or type with the schema expected for it, or with text that the
// expected error contains.
type markerCase struct {
	ID       string         `yaml:"id"`
	Go       string         `yaml:"go"`
	Property string         `yaml:"property"`
	Schema   map[string]any `yaml:"schema"`
	Error    string         `yaml:"error"`
}

// TestMarkerCases reads marker cases from a file and generates OpenAPI definitions and a CRD for
// each.
func TestMarkerCases(t *testing.T) {
	data, err := os.ReadFile(*casesFile)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		MarkerCases []markerCase `yaml:"markerCases"`
	}
	if err := yaml.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.MarkerCases) == 0 {
		t.Fatal("no markerCases")
	}
	dir := module(t)
	for i, c := range doc.MarkerCases {
		write(t, filepath.Join(dir, caseDir(i), "types.go"), c.source(t))
	}
	src, err := markers.Load(markers.Config{Dir: dir}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	found := src.Check()
	for i, c := range doc.MarkerCases {
		t.Run(c.ID, func(t *testing.T) {
			var errs []string
			for _, f := range markers.Errors(found, false) {
				if strings.HasPrefix(f.File, caseDir(i)+"/") {
					errs = append(errs, f.String())
				}
			}
			if c.Error != "" {
				if len(errs) == 0 || !strings.Contains(strings.Join(errs, "\n"), c.Error) {
					t.Errorf("got errors %q, want one with %q", errs, c.Error)
				}
				return
			}
			if len(errs) > 0 {
				t.Fatalf("got errors %q", errs)
			}
			p, _ := src.Package("example.com/cases/" + caseDir(i))
			packages := []*markers.Package{p}
			for name, s := range map[string]map[string]any{"OpenAPI": openAPIProperty(src, packages, c.Property), "CRD": crdProperty(t, src, packages, c.Property)} {
				c.check(t, name, s)
			}
		})
	}
}

func (c markerCase) check(t *testing.T, what string, got map[string]any) {
	t.Helper()
	for k, want := range c.Schema {
		if markers.JSON(got[k]) != markers.JSON(want) {
			t.Errorf("%s: %s: got %s, want %s", what, k, markers.JSON(got[k]), markers.JSON(want))
		}
	}
	for k := range got {
		if _, ok := c.Schema[k]; !ok && strings.HasPrefix(k, "x-kubernetes-") {
			t.Errorf("%s: unexpected %s: %s", what, k, markers.JSON(got[k]))
		}
	}
	keys, isList := got["x-kubernetes-list-map-keys"].([]any)
	entries := got["x-kubernetes-immutable-keys"] == true || got["x-kubernetes-addition-only"] == true || got["x-kubernetes-deletion-only"] == true
	if !entries || !isList {
		return
	}
	items, _ := got["items"].(map[string]any)
	properties, _ := items["properties"].(map[string]any)
	for _, k := range keys {
		p, _ := properties[k.(string)].(map[string]any)
		if p["x-kubernetes-immutable"] != true {
			t.Errorf("%s: the key %s is not immutable: %s", what, k, markers.JSON(p))
		}
	}
}

func openAPIProperty(src *markers.Source, packages []*markers.Package, name string) map[string]any {
	for _, d := range emit.NewDefinitions(src, packages, emit.DefinitionOptions{Implied: true}).Sorted() {
		if p := d.Schema.Properties[name]; p != nil && strings.HasPrefix(d.Name, "example.com/") {
			return p.Plain(func(ref string) string { return ref })
		}
	}
	return nil
}

func crdProperty(t *testing.T, src *markers.Source, packages []*markers.Package, name string) map[string]any {
	crds, err := emit.CRDs(src, packages, emit.CRDOptions{Implied: true, MaxDescription: -1})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range crds {
		version := c.Object["spec"].(map[string]any)["versions"].([]any)[0].(map[string]any)
		root := version["schema"].(map[string]any)["openAPIV3Schema"].(map[string]any)
		return propertyIn(root, name)
	}
	return nil
}

// propertyIn searches a schema, at any depth, for the property with the given name.
func propertyIn(schema map[string]any, name string) map[string]any {
	properties, _ := schema["properties"].(map[string]any)
	if p, ok := properties[name].(map[string]any); ok {
		return p
	}
	for _, p := range properties {
		if found := propertyIn(p.(map[string]any), name); found != nil {
			return found
		}
	}
	return nil
}

// source returns the Go source of a package for the case. If the case has a field, source
// adds the field to the struct Subject, and declares the types that the field needs. If
// the case has a type, Subject gets a field of this type, unless the type itself already
// has such a field.
func (c markerCase) source(t *testing.T) string {
	const head = "// +groupName=example.com\n// +k8s:openapi-gen=true\npackage cases\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n"
	const subject = "type Subject struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata\"`\n"
	text := head + c.Go + "\n\n" + subject + c.field() + "}\n"
	parsed, err := parser.ParseFile(token.NewFileSet(), "", text, 0)
	if err != nil {
		text = head + subject + c.Go + "\n}\n"
		if parsed, err = parser.ParseFile(token.NewFileSet(), "", text, 0); err != nil {
			t.Fatalf("%s: %v", c.ID, err)
		}
	}
	declared, used := map[string]bool{}, []string{}
	for _, d := range parsed.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE {
			for _, s := range g.Specs {
				declared[s.(*ast.TypeSpec).Name.Name] = true
			}
		}
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if f, ok := n.(*ast.Field); ok {
			ast.Inspect(f.Type, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.SelectorExpr:
					return false
				case *ast.Ident:
					if ast.IsExported(n.Name) && !slices.Contains(used, n.Name) {
						used = append(used, n.Name)
					}
				}
				return true
			})
		}
		return true
	})
	keys := []string{"name"}
	for line := range strings.Lines(c.Go) {
		if _, key, ok := strings.Cut(strings.TrimSpace(line), "+listMapKey="); ok && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	for _, name := range used {
		if declared[name] {
			continue
		}
		text += "\ntype " + name + " struct {\n"
		for _, k := range keys {
			text += fmt.Sprintf("\t%s string `json:\"%s\"`\n", strings.ToUpper(k[:1])+k[1:], k)
		}
		text += "}\n"
	}
	return text
}

var declaration = regexp.MustCompile(`(?m)^type (\w+)`)

// field returns the declaration of a Go field whose type is the first type that the case
// declares.
func (c markerCase) field() string {
	m := declaration.FindStringSubmatch(c.Go)
	name := c.Property
	if name == "" || strings.Contains(c.Go, `json:"`+name) {
		name = "case"
	}
	if m == nil {
		return ""
	}
	return fmt.Sprintf("\tCase *%s `json:\"%s\"`\n", m[1], name)
}

func caseDir(i int) string { return fmt.Sprintf("case%d", i) }

// module creates a Go module with stubs of the API machinery types that the cases use.
func module(t *testing.T) string {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.com/cases\n\ngo 1.25\n\nrequire k8s.io/apimachinery v0.0.0\n\nreplace k8s.io/apimachinery => ./apimachinery\n")
	write(t, filepath.Join(dir, "apimachinery/go.mod"), "module k8s.io/apimachinery\n\ngo 1.25\n")
	write(t, filepath.Join(dir, "apimachinery/pkg/apis/meta/v1/types.go"), `package v1

type TypeMeta struct {
	Kind       string `+"`json:\"kind,omitempty\"`"+`
	APIVersion string `+"`json:\"apiVersion,omitempty\"`"+`
}

type ObjectMeta struct {
	Name string `+"`json:\"name,omitempty\"`"+`
}
`)
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-mod=mod")
	t.Setenv("GOPROXY", "off")
	return dir
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
