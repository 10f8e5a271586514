// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/dovetail-ssa/dovetail/test/generate/internal/tools"
	"go.yaml.in/yaml/v3"
)

// intended is an accepted difference between dovetail-gen and another generator, with a reason.
// The test fails if the difference does not occur.
type intended struct {
	path, ours, theirs string // regular expressions; "absent" stands for a missing value
	why                string
}

// TestControllerGen compares the CRDs of dovetail-gen with those of controller-gen, with and
// without the defaults that follow from Go types.
func TestControllerGen(t *testing.T) {
	packages := []string{tools.ProxyPackage, "sigs.k8s.io/gateway-api/apis/v1"}
	theirs := t.TempDir()
	for _, p := range packages {
		// controller-gen reports an error about a length of a list, but it writes the files.
		c := tools.Command(".", "go", "tool", "controller-gen", "crd", "paths="+p, "output:crd:dir="+theirs)
		out, err := c.CombinedOutput()
		if err != nil && !bytes.Contains(out, []byte("must apply maxlength to a textual value")) {
			t.Fatalf("%v:\n%s", err, out)
		}
	}
	always := []intended{
		{`^\.metadata\.annotations$`, "absent", "controller-gen.kubebuilder.io/version", "the version of another program"},
		{`\.x-kubernetes-immutable(-keys)?$`, "true", "absent", "controller-gen does not support +immutable"},
		{`\.class\.default$`, "shared", "absent", "controller-gen leaves +default=ref(…) out"},
		{`\.level\.default$`, "warning", "absent", "controller-gen does not support +default on types"},
		{`\.spec\.default$`, `\{\}`, "absent", "a struct that is not a pointer has the default {}, so that the defaults of its fields apply"},
	}
	implied := []intended{
		{`\.default$`, `^(""|0|false)$`, "absent", "KEP-1929: a scalar that Go always sends has its zero value as default"},
		{`\.required$`, ".", ".", "fields with a default are not required, because the API server validates the default of a struct against its required fields"},
	}
	for _, test := range []struct {
		flag string
		list []intended
	}{{"--implied-defaults", slices.Concat(always, implied)}, {"--implied-defaults=false", always[:len(always)-1]}} {
		t.Run(test.flag, func(t *testing.T) {
			ours := t.TempDir()
			tools.Tool(t, ".", "dovetail-gen", append([]string{"-q", test.flag, "--defaults=false", "--openapi=false", "--openapi-json=", "--crds=" + ours}, packages...)...)
			a, b := documents(t, ours), documents(t, theirs)
			if len(a) < 6 {
				t.Errorf("%d definitions; too little was tested", len(a))
			}
			compareAll(t, a, b, test.list)
		})
	}
}

// TestOpenAPIGen compares the definitions of dovetail-gen with those of openapi-gen. It
// compiles and runs the code that both generate.
func TestOpenAPIGen(t *testing.T) {
	packages := []string{
		tools.ProxyPackage, "k8s.io/api/core/v1", "k8s.io/api/apps/v1", "k8s.io/api/batch/v1", "k8s.io/api/resource/v1", "k8s.io/api/scheduling/v1alpha3",
		"k8s.io/apimachinery/pkg/apis/meta/v1", "k8s.io/apimachinery/pkg/api/resource", "k8s.io/apimachinery/pkg/util/intstr", "k8s.io/apimachinery/pkg/runtime",
	}
	for _, name := range []string{"structs", "pointers", "scalars", "lists", "plainlists", "maps", "plainmaps", "format", "custom", "kinds"} {
		packages = append(packages, "github.com/dovetail-ssa/dovetail/test/generate/kep/"+name)
	}
	dir := tools.Scratch(t)
	tools.Tool(t, ".", "openapi-gen", append([]string{"--output-dir", filepath.Join(dir, "theirs"), "--output-pkg", "scratch/theirs", "--output-file", "openapi.go", "--report-filename", os.DevNull}, packages...)...)
	tools.Tool(t, ".", "dovetail-gen", append([]string{"-q", "--defaults=false", "--openapi-json=", "--crds=", "--openapi-dir=" + filepath.Join(dir, "ours")}, packages...)...)
	tools.Write(t, filepath.Join(dir, "main.go"), `package main

import (
	"encoding/json"
	"os"

	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"scratch/ours"
	"scratch/theirs"
)

func main() {
	ref := func(path string) spec.Ref { return spec.MustCreateRef("#/definitions/" + path) }
	all := map[string]map[string]any{}
	for name, f := range map[string]common.GetOpenAPIDefinitions{"ours": ours.GetOpenAPIDefinitions, "theirs": theirs.GetOpenAPIDefinitions} {
		all[name] = map[string]any{}
		for def, d := range f(ref) {
			all[name][def] = map[string]any{"schema": d.Schema, "dependencies": d.Dependencies}
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(all); err != nil {
		panic(err)
	}
}
`)
	var all map[string]map[string]any
	if err := json.Unmarshal(tools.Run(t, dir, "go", "run", "."), &all); err != nil {
		t.Fatal(err)
	}
	if len(all["theirs"]) < 300 {
		t.Errorf("%d definitions; too little was tested", len(all["theirs"]))
	}
	for name := range all["ours"] {
		if _, ok := all["theirs"][name]; !ok {
			// dovetail-gen also writes definitions that were not requested, but to which other
			// definitions refer.
			delete(all["ours"], name)
		}
	}
	compareAll(t, all["ours"], all["theirs"], []intended{
		{`\.x-kubernetes-immutable(-keys)?$`, "true", "absent", "openapi-gen does not support +immutable"},
		{`\.x-kubernetes-unions$`, "fields-to-discriminateBy", "absent", "openapi-gen does not support +k8s:unionMember"},
		{`\.properties\.(compositeP|p)odGroupTemplates\.items\.(\$ref|properties|required|type)$`, ".", ".", "items of a list with immutable keys, declared by +k8s:update, are copied to mark their keys"},
		{`^\.dependencies$`, `scheduling\.v1alpha3`, `scheduling\.v1alpha3`, "the definitions that such copies refer to are dependencies"},
		{`\.schema\.required$`, ".", "metadata", "openapi-gen requires omitzero fields, although Go leaves them out"},
		{`\.(metadata|status)\.default$`, "absent", `\{\}`, "Go leaves out an omitzero struct that is zero, and so do we"},
	})
}

// compareAll compares the documents with equal names. list has the accepted differences.
func compareAll(t *testing.T, ours, theirs map[string]any, list []intended) {
	t.Helper()
	met := make([]int, len(list))
	total := 0
	for _, name := range slices.Sorted(maps.Keys(theirs)) {
		if ours[name] == nil {
			t.Errorf("%s is missing", name)
			continue
		}
		for _, d := range differing("", ours[name], theirs[name]) {
			total++
			i := slices.IndexFunc(list, func(x intended) bool {
				return regexp.MustCompile(x.path).MatchString(d.path) && regexp.MustCompile(x.ours).MatchString(d.ours) && regexp.MustCompile(x.theirs).MatchString(d.theirs)
			})
			if i < 0 {
				t.Errorf("%s: %s: dovetail-gen %.300s, the other generator %.300s", name, d.path, d.ours, d.theirs)
				continue
			}
			met[i]++
		}
	}
	for i, n := range met {
		t.Logf("%d times: %s, %s, %s: %s", n, list[i].path, list[i].ours, list[i].theirs, list[i].why)
		if n == 0 {
			t.Errorf("the difference at %s no longer occurs", list[i].path)
		}
	}
	t.Logf("%d documents, %d differences", len(theirs), total)
}

type difference struct{ path, ours, theirs string }

func differing(path string, a, b any) (all []difference) {
	x, isMap := a.(map[string]any)
	y, both2 := b.(map[string]any)
	if isMap && both2 {
		keys := map[string]bool{}
		for k := range x {
			keys[k] = true
		}
		for k := range y {
			keys[k] = true
		}
		for _, k := range slices.Sorted(maps.Keys(keys)) {
			v, ok := x[k]
			w, also := y[k]
			switch {
			case ok && also:
				all = append(all, differing(path+"."+k, v, w)...)
			case ok:
				all = append(all, difference{path + "." + k, textOf(v), "absent"})
			default:
				all = append(all, difference{path + "." + k, "absent", textOf(w)})
			}
		}
		return all
	}
	l, isList := a.([]any)
	m, lists := b.([]any)
	if isList && lists && len(l) == len(m) {
		for i := range l {
			all = append(all, differing(fmt.Sprintf("%s[%d]", path, i), l[i], m[i])...)
		}
		return all
	}
	if textOf(a) != textOf(b) {
		all = append(all, difference{path, textOf(a), textOf(b)})
	}
	return all
}

func textOf(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

// documents reads the YAML documents in a folder, by file name.
func documents(t *testing.T, dir string) map[string]any {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]any{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := yaml.Unmarshal(data, &v); err != nil {
			t.Fatal(err)
		}
		out[e.Name()] = v
	}
	return out
}
