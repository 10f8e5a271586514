// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/module"
)

// program is a test program that uses the modules of the repository. The tests write its source
// into a folder outside of the repository.
type program struct {
	name string
	// get and replace list folders of modules in the repository. The program requires the
	// modules in get. The modules in replace, such as compat/v6, replace structured-merge-diff
	// in the program.
	get, replace []string
	source       string
}

// generated is a program. Its type has markers, from which dovetail-gen generates an OpenAPI
// document.
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

// use builds programs outside of the repository with the published modules, and runs them. It
// does this with the new version, then with the next version, and then with the new version
// again.
func (b *build) use(top string) error {
	next, err := b.serveNext(top)
	if err != nil {
		return err
	}
	// Leave out the user's module cache, because it must not determine which version of a
	// module is the latest.
	proxy, err := output("", "go", "env", "GOPROXY")
	if err != nil {
		return err
	}
	env, err := b.environment("GOPROXY=file://" + b.proxy + "," + proxy)
	if err != nil {
		return err
	}
	there, err := modules(next)
	if err != nil {
		return err
	}
	versions := [][]released{b.modules, there, b.modules}
	if err := useCommand(filepath.Join(b.tree, ".outside/command"), env, versions); err != nil {
		return err
	}
	for _, p := range outside {
		if err := p.use(filepath.Join(b.tree, ".outside", p.name), env, versions); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		fmt.Printf("builds and runs with %s, %s and back: %s\n", b.version, next, p.name)
	}
	return nil
}

// serveNext creates a module proxy that also serves the next version, with the same sources.
func (b *build) serveNext(top string) (string, error) {
	next := nextVersion(b.version)
	all, err := modules(next)
	if err != nil {
		return "", err
	}
	both := filepath.Join(b.tree, ".proxy")
	if err := os.CopyFS(both, os.DirFS(b.proxy)); err != nil {
		return "", err
	}
	tree := filepath.Join(b.tree, ".next")
	if err := copyCommit(top, tree, b.commit); err != nil {
		return "", err
	}
	if err := prepare(tree, next); err != nil {
		return "", err
	}
	b.proxy = both
	return next, writeProxy(tree, both, all, b.at)
}

// nextVersion returns the version that follows a given version: the next patch, or the release
// after a prerelease.
func nextVersion(version string) string {
	release, pre, _ := strings.Cut(version, "-")
	if pre != "" {
		return release
	}
	i := strings.LastIndexByte(release, '.')
	patch, err := strconv.Atoi(release[i+1:])
	if err != nil {
		panic(err) // cannot happen, because modules checks the version first
	}
	return fmt.Sprintf("%s.%d", release[:i], patch+1)
}

// useCommand installs each version of the command with "go install", as users do, and runs it.
func useCommand(dir string, env []string, versions [][]released) error {
	env = append(env, "GOBIN="+dir)
	for _, all := range versions {
		cmd := exec.Command("go", "install", programs[0].pkg+"@"+moduleIn(all, "cmd").Version)
		cmd.Env = env
		if text, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, text)
		}
		text, err := output("", filepath.Join(dir, programs[0].name), "version")
		if err != nil {
			return err
		}
		if !strings.Contains(text, " "+moduleIn(all, "cmd").Version+"\n") {
			return fmt.Errorf("go install did not install %s:\n%s", moduleIn(all, "cmd"), text)
		}
	}
	fmt.Printf("installs and runs at %s, %s and back: the command\n", moduleIn(versions[0], "cmd").Version, moduleIn(versions[1], "cmd").Version)
	return nil
}

// moduleIn returns the module in a folder.
func moduleIn(all []released, dir string) module.Version {
	for _, m := range all {
		if m.dir == dir {
			return m.Version
		}
	}
	panic("no module in " + dir)
}

// use builds the program in a folder and runs it, once for each of the versions. The first and
// the last version are equal, so the program must have the same go.mod with both.
func (p program) use(dir string, env []string, versions [][]released) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(p.source), 0o644); err != nil {
		return err
	}
	run := func(name string, args ...string) (string, error) {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = dir, env
		text, err := cmd.CombinedOutput()
		if err != nil {
			err = fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, text)
		}
		return string(text), err
	}
	if _, err := run("go", "mod", "init", "example.com/"+p.name); err != nil {
		return err
	}
	var before []byte // go.mod after the first version
	for i, all := range versions {
		var steps [][]string
		for _, r := range p.replace {
			steps = append(steps, []string{"mod", "edit", "-replace=" + smd + strings.TrimPrefix(r, "compat/") + "=" + moduleIn(all, r).String()})
		}
		get := p.get
		if i == len(versions)-1 && len(p.get)+len(p.replace) > 0 {
			get = []string{"."} // a downgrade of the engine also downgrades the modules that require it
		}
		var asked []string
		for _, g := range get {
			asked = append(asked, moduleIn(all, g).String())
		}
		if len(asked) > 0 {
			steps = append(steps, append([]string{"get"}, asked...))
		}
		if p.source == generated {
			steps = append(steps, []string{"run", programs[1].pkg + "@" + moduleIn(all, "gen").Version, "--openapi-json=openapi.json", "."})
		}
		steps = append(steps, []string{"mod", "tidy"}, []string{"build", "-o", "program", "."})
		for _, args := range steps {
			if _, err := run("go", args...); err != nil {
				return err
			}
		}
		text, err := run(filepath.Join(dir, "program"))
		if err != nil {
			return err
		}
		if strings.TrimSpace(text) != "ok" {
			return fmt.Errorf("printed %q, want ok", text)
		}
		if err := builtWith(filepath.Join(dir, "program"), all); err != nil {
			return err
		}
		now, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err != nil {
			return err
		}
		if i == 0 {
			before = now
		} else if i == len(versions)-1 && string(now) != string(before) {
			return fmt.Errorf("go.mod differs from before:\n%s\n%s", before, now)
		}
	}
	return nil
}

// builtWith returns an error if the program contains a module of the release in a different
// version.
func builtWith(program string, all []released) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	for _, d := range info.Deps {
		for _, m := range all {
			if d.Path == m.Path && d.Version != m.Version.Version && d.Replace == nil || d.Replace != nil && d.Replace.Path == m.Path && d.Replace.Version != m.Version.Version {
				return fmt.Errorf("is built with %s, not with %s", d.Version, m)
			}
		}
	}
	return nil
}

// smd is the module path of structured-merge-diff without the major version.
const smd = "sigs.k8s.io/structured-merge-diff/"

// outside lists the test programs that are built outside of the repository.
var outside = func() []program {
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
	over := func(v string) program {
		return program{"over-" + v, nil, []string{"compat/" + v}, main("\t\""+smd+v+"/typed\"\n", merging)}
	}
	return []program{
		{"generated", nil, nil, generated},
		{"engine", []string{"."}, nil, main("\t\""+root+"/typed\"\n", merging)},
		{"openapi", []string{"kube"}, nil, main("\t\""+root+"/kube/openapi\"\n", `
	if _, ok := openapi.Builtin(openapi.Options{}).Type("apps/v1", "Deployment"); !ok {
		panic("no Deployment")
	}`)},
		{"crd", []string{"kube/crd"}, nil, main("\t\""+root+"/kube/crd\"\n", `
	if _, err := crd.Read("f", []byte("kind: Pod")); err == nil {
		panic("a Pod is a definition")
	}`)},
		{"fieldmanager", []string{"."}, nil, main("\t\""+root+"/fieldmanager\"\n\t\""+root+"/typed\"\n", `
	var m fieldmanager.FieldManager
	_, _ = m, typed.DeducedParseableType`)},
		{"predict", []string{"kube"}, nil, main("\t\""+root+"/kube/predict\"\n", `
	if len(predict.ServerFields()) == 0 {
		panic("servers know nothing")
	}`)},
		over("v6"),
		over("v4"),
		over("v7"),
	}
}()
