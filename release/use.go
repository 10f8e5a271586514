// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// program is one that somebody outside writes, and what it takes to build it.
type program struct {
	name string
	// get are modules at their versions, replace pairs as go mod edit -replace has them.
	get, replace []string
	source       string
}

// generated has a type with markers, of which dovetail-gen makes OpenAPI.
const generated = `// Package main has a type with markers.
//
// +k8s:openapi-gen=true
package main

import "fmt"

// Thing has a default.
type Thing struct {
	// +default="fast"
	// +optional
	Mode string ` + "`json:\"mode,omitempty\"`" + `
}

func main() {
	if GetOpenAPIDefinitions(nil) == nil {
		panic("nothing was generated")
	}
	fmt.Println("ok")
}
`

// use builds programs outside of the repository from what was published, and runs them.
func (b *build) use() error {
	env, err := b.environment()
	if err != nil {
		return err
	}
	own, err := output("", "go", "env", "GOVERSION")
	if err != nil {
		return err
	}
	for _, p := range b.outside() {
		dir := filepath.Join(b.tree, ".outside", p.name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(p.source), 0o644); err != nil {
			return err
		}
		steps := [][]string{{"mod", "init", "example.com/" + p.name}}
		for _, r := range p.replace {
			steps = append(steps, []string{"mod", "edit", "-replace=" + r})
		}
		for _, m := range p.get {
			steps = append(steps, []string{"get", m})
		}
		if p.source == generated {
			steps = append(steps, []string{"run", programs[1].pkg + "@" + b.version, "--openapi-json=openapi.json", "."})
		}
		steps = append(steps, []string{"mod", "tidy"}, []string{"run", "."})
		for _, args := range steps {
			cmd := exec.Command("go", args...)
			cmd.Dir, cmd.Env = dir, env
			text, err := cmd.CombinedOutput()
			if err != nil {
				return fmt.Errorf("%s, %s: go %s: %w\n%s", p.name, own, strings.Join(args, " "), err, text)
			}
			if args[0] == "run" && args[1] == "." && !strings.HasSuffix(strings.TrimSpace(string(text)), "ok") {
				return fmt.Errorf("%s printed %q, want ok", p.name, text)
			}
		}
		fmt.Println("builds and runs:", p.name)
	}
	return nil
}

// outside are the programs.
func (b *build) outside() []program {
	at := func(dir string) string {
		for _, m := range b.modules {
			if m.dir == dir {
				return m.Path + "@" + m.Version.Version
			}
		}
		panic("no module in " + dir)
	}
	main := func(imports, body string) string {
		return "package main\n\nimport (\n\t\"fmt\"\n" + imports + ")\n\nfunc main() {\n" + body + "\n\tfmt.Println(\"ok\")\n}\n"
	}
	const merging = `
	parser, err := typed.NewParser("types: [{name: t, map: {fields: [{name: a, type: {scalar: string}}]}}]")
	if err != nil {
		panic(err)
	}
	v, err := parser.Type("t").FromYAML("a: b")
	if err != nil {
		panic(err)
	}
	if w, err := v.Merge(v); err != nil || w.AsValue().Unstructured().(map[string]any)["a"] != "b" {
		panic(fmt.Sprint(w, err))
	}`
	smd := func(v, dir string) program {
		path := "sigs.k8s.io/structured-merge-diff/" + v
		return program{"over-" + v, []string{at(".")}, []string{path + "=" + at(dir)}, main("\t\""+path+"/typed\"\n", merging)}
	}
	return []program{
		{"generated", nil, nil, generated},
		{"engine", []string{at(".")}, nil, main("\t\""+root+"/typed\"\n", merging)},
		{"openapi", []string{at("kube")}, nil, main("\t\""+root+"/kube/openapi\"\n", `
	if _, ok := openapi.Builtin().Type("apps/v1", "Deployment"); !ok {
		panic("no Deployment")
	}`)},
		{"crd", []string{at("kube/crd")}, nil, main("\t\""+root+"/kube/crd\"\n", `
	if _, err := crd.Read("f", []byte("kind: Pod")); err == nil {
		panic("a Pod is a definition")
	}`)},
		{"markers", []string{at("gen")}, nil, main("\t_ \""+root+"/gen/markers\"\n", "")},
		{"fieldmanager", []string{at(".")}, nil, main("\t\""+root+"/fieldmanager\"\n\t\""+root+"/typed\"\n", `
	var m fieldmanager.FieldManager
	_, _ = m, typed.DeducedParseableType`)},
		{"predict", []string{at("kube")}, nil, main("\t\""+root+"/kube/predict\"\n", `
	if len(predict.ServerFields()) == 0 {
		panic("servers know nothing")
	}`)},
		smd("v6", "compat/v6"),
		smd("v4", "compat/v4"),
		smd("v7", "compat/v7"),
	}
}
