// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package generate

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dovetail-ssa/dovetail/test/generate/internal/tools"
)

// builtin is a running program with the functions that dovetail-gen generates for k8s.io/api.
// The program reads objects, sets their defaults, and writes them.
type builtin struct {
	has map[string]bool // the types with a generated function, as PATH.NAME
	in  *json.Encoder
	out *json.Decoder
}

func startBuiltin(t *testing.T) *builtin {
	t.Helper()
	dir := tools.Scratch(t)
	doc, imports := "// +k8s:defaulter-gen=TypeMeta\n", ""
	for _, pkg := range strings.Fields(string(tools.Run(t, ".", "go", "list", "k8s.io/api/..."))) {
		if pkg != "k8s.io/api" { // package k8s.io/api itself has no types
			doc += "// +k8s:defaulter-gen-input=" + pkg + "\n"
			imports += "import _ \"" + pkg + "\"\n"
		}
	}
	tools.Write(t, filepath.Join(dir, "builtin", "doc.go"), doc+"package builtin\n\n"+imports)
	tools.Write(t, filepath.Join(dir, "main.go"), builtinProgram)
	tools.Tool(t, dir, "dovetail-gen", "-q", "--crds=", "--openapi-json=", "./builtin")
	b := &builtin{has: map[string]bool{}}
	text, err := os.ReadFile(filepath.Join(dir, "builtin", "zz_generated.defaults.go"))
	if err != nil {
		t.Fatal(err)
	}
	paths := map[string]string{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if alias, path, ok := strings.Cut(line, ` "k8s.io/api/`); ok {
			paths[alias] = "k8s.io/api/" + strings.TrimSuffix(path, `"`)
		}
		if rest, ok := strings.CutPrefix(line, "scheme.AddTypeDefaultingFunc(&"); ok {
			alias, name, _ := strings.Cut(rest[:strings.Index(rest, "{")], ".")
			b.has[paths[alias]+"."+name] = true
		}
	}
	program := filepath.Join(dir, "program")
	tools.Run(t, dir, "go", "build", "-o", program, ".")
	c := exec.Command(program)
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	})
	b.in, b.out = json.NewEncoder(in), json.NewDecoder(out)
	return b
}

// defaults reports whether the type of an object has a generated function.
func (b *builtin) defaults(object any) bool {
	t := reflect.TypeOf(object).Elem()
	return b.has[t.PkgPath()+"."+t.Name()]
}

// set lets the program set the defaults of an object, and returns the result as JSON.
func (b *builtin) set(t *testing.T, gvk schema.GroupVersionKind, object []byte) (out json.RawMessage) {
	t.Helper()
	if err := b.in.Encode(map[string]any{"kind": gvk, "object": json.RawMessage(object)}); err != nil {
		t.Fatal(err)
	}
	if err := b.out.Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

const builtinProgram = `package main

import (
	"encoding/json"
	"io"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"

	"scratch/builtin"
)

func main() {
	defaults := runtime.NewScheme()
	must(builtin.RegisterDefaults(defaults))
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var request struct {
			Kind   schema.GroupVersionKind
			Object json.RawMessage
		}
		err := in.Decode(&request)
		if err == io.EOF {
			return
		}
		must(err)
		object, err := scheme.Scheme.New(request.Kind)
		must(err)
		must(json.Unmarshal(request.Object, object))
		defaults.Default(object)
		must(out.Encode(object))
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
`
