// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/test/generate/internal/tools"
)

// TestDefaulterGen compares the defaulting functions of dovetail-gen with the functions of
// defaulter-gen. It generates the functions of each generator in a copy of the example's
// types. Both generators' functions must set the same defaults.
func TestDefaulterGen(t *testing.T) {
	dir := tools.Scratch(t)
	from := "../../../examples/proxy/api/v1"
	for _, name := range []string{"types.go", "defaults.go", "register.go", "deepcopy.go"} {
		text, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			t.Fatal(err)
		}
		tools.Write(t, filepath.Join(dir, "theirs", "v1", name), string(text))
	}
	tools.Write(t, filepath.Join(dir, "theirs", "v1", "doc.go"), "// +k8s:defaulter-gen=TypeMeta\npackage v1\n")
	tools.Tool(t, dir, "defaulter-gen", "--output-file", "zz_generated.defaults.go", "scratch/theirs/v1")
	tools.Write(t, filepath.Join(dir, "main.go"), defaulterProgram)
	out := strings.TrimSpace(string(tools.Run(t, dir, "go", "run", ".")))
	t.Log(out)
	var differ, values, named int
	if n, err := fmt.Sscanf(out, "%d differ, %d map values, %d markers on types", &differ, &values, &named); n != 3 || err != nil || differ != 0 {
		t.Errorf("got %s", out)
	}
	if values == 0 || named == 0 {
		t.Error("defaulter-gen has changed: it used to ignore values of maps, and markers on the types of fields")
	}
}

// TestDefaulterGenDoesNotCompile shows why dovetail-gen rejects a marker on a field that is a
// struct. The code that defaulter-gen generates for such a marker does not compile.
func TestDefaulterGenDoesNotCompile(t *testing.T) {
	dir := tools.Scratch(t)
	const doc, types = "// +k8s:defaulter-gen=TypeMeta\npackage v1\n", `package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

type Thing struct {
	metav1.TypeMeta ` + "`json:\",inline\"`" + `
	// +default={"name":"y"}
	Spec Spec ` + "`json:\"spec\"`" + `
}

func (t *Thing) DeepCopyObject() runtime.Object { out := *t; return &out }

type Spec struct {
	// +default="x"
	Name string ` + "`json:\"name,omitempty\"`" + `
}
`
	for _, name := range []string{"theirs", "ours"} {
		tools.Write(t, filepath.Join(dir, name, "doc.go"), doc)
		tools.Write(t, filepath.Join(dir, name, "types.go"), types)
	}
	tools.Tool(t, dir, "defaulter-gen", "--output-file", "zz_generated.defaults.go", "scratch/theirs")
	if out, err := tools.Command(dir, "go", "build", "./theirs").CombinedOutput(); err == nil || !strings.Contains(string(out), "zz_generated.defaults.go") {
		text, _ := os.ReadFile(filepath.Join(dir, "theirs", "zz_generated.defaults.go"))
		t.Errorf("the output of defaulter-gen compiles: %v\n%s\n%s", err, out, text)
	}
	out, err := tools.Command(dir, "go", "tool", "dovetail-gen", "./ours").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "ours/types.go:10: struct-default: Thing.Spec has the default") {
		t.Errorf("%v\n%s", err, out)
	}
}

const defaulterProgram = `package main

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/randfill"

	ours "github.com/dovetail-ssa/dovetail/examples/proxy/api/v1"
	theirs "scratch/theirs/v1"
)

func main() {
	fill := randfill.New().RandSource(rand.NewSource(1)).NilChance(.5).NumElements(0, 2).Funcs(
		func(s *string, c randfill.Continue) {
			if *s = ""; c.Bool() {
				*s = fmt.Sprint("internal-", c.Intn(100))
			}
		},
		func(i *int32, c randfill.Continue) { *i = int32(c.Intn(3)) },
		func(t *metav1.Time, c randfill.Continue) { *t = metav1.Unix(1, 0) },
		func(d *metav1.Duration, c randfill.Continue) { d.Duration = time.Duration(c.Intn(100)) * time.Second },
		func(q *resource.Quantity, c randfill.Continue) { *q = resource.MustParse("1") },
		func(v *intstr.IntOrString, c randfill.Continue) { *v = intstr.FromInt32(80) },
		func(f *metav1.FieldsV1, _ randfill.Continue) { f.Raw = []byte("{}") },
	)
	differ, values, named := 0, 0, 0
	for range 2000 {
		var object ours.Proxy
		fill.Fill(&object)
		data := text(object)
		var a ours.Proxy
		var b theirs.Proxy
		must(json.Unmarshal([]byte(data), &a))
		must(json.Unmarshal([]byte(data), &b))
		ours.SetObjectDefaults_Proxy(&a)
		theirs.SetObjectDefaults_Proxy(&b)
		for k, v := range b.Spec.Backends {
			if v.Weight == 0 {
				values++
				v.Weight = 1
				b.Spec.Backends[k] = v
			}
		}
		if l := b.Spec.Logging; l != nil && l.Level == "" {
			named++
			l.Level = "warning"
		}
		if text(a) != text(b) {
			if differ++; differ < 4 {
				fmt.Println(data, "\nours", text(a), "\ntheirs", text(b))
			}
		}
	}
	fmt.Println(differ, "differ,", values, "map values,", named, "markers on types")
}

func text(v any) string {
	b, err := json.Marshal(v)
	must(err)
	return string(b)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
`
