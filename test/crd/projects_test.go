// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/tabwriter"

	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/test/internal/gocmd"
	"github.com/dovetail-ssa/dovetail/test/internal/plain"
)

var examples = flag.Bool("projects", false, "download the CRDs and example objects of well-known projects, and test lint --fix on them")

// exemplary are modules with CRDs, and with objects of their kinds. If the objects are in
// another module, a plus separates the two modules.
var exemplary = []string{
	"sigs.k8s.io/gateway-api@v1.6.3",
	"github.com/external-secrets/external-secrets@v1.3.2",
	"github.com/kyverno/kyverno@v1.19.1",
	"github.com/envoyproxy/gateway@v1.9.1",
	"github.com/cert-manager/cert-manager@v1.21.2",
	"github.com/argoproj/argo-cd/v3@v3.5.7",
	"github.com/crossplane/crossplane/v2@v2.4.0",
	"sigs.k8s.io/cluster-api@v1.14.2+sigs.k8s.io/cluster-api/test@v1.14.2",
}

// TestProjects runs lint --fix on the CRDs of projects. If a CRD accepts an object of the
// project, the fixed CRD must accept it, too, and the server must store it unchanged. These
// CRDs need few fixes. So the test also adds mistakes to the CRDs and lets --fix repair the
// mistakes. The objects must then be stored as with the original CRD. To check the test
// itself, it also adds default: {} for each finding default-below-optional. This must make
// some objects invalid.
func TestProjects(t *testing.T) {
	if !*examples {
		t.Skip("without -projects")
	}
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "project\tCRDs\tedit\tchanges\tobjects\taccepted before\tnewly rejected\tstored differently\t")
	tried, made, broken := 0, 0, 0
	for _, module := range exemplary {
		name, _, _ := strings.Cut(module, "@")
		t.Run(strings.TrimPrefix(name, "github.com/"), func(t *testing.T) {
			tried++
			crds, objects := shipped(t, strings.Split(module, "+"))
			if len(crds) == 0 || len(objects) == 0 {
				t.Errorf("%s: %d CRDs, %d objects", module, len(crds), len(objects))
			}
			edits := []struct {
				name string
				edit func(t *testing.T, name string, doc map[string]any) (map[string]any, int)
			}{
				{"--fix", func(t *testing.T, name string, doc map[string]any) (map[string]any, int) {
					after, says := lintFix(t, name, doc)
					return after, len(says)
				}},
				{"spoilt, --fix", respoil},
				{control, emptied},
			}
			sums := make([]struct{ changes, objects, accepted, refused, other int }, len(edits))
			for _, c := range crds {
				name := c["metadata"].(map[string]any)["name"].(string)
				old := versions(t, c, objects)
				for i, e := range edits {
					sum := &sums[i]
					doc, n := e.edit(t, module+" "+name, c)
					sum.changes += n
					now := old
					if n > 0 {
						now = versions(t, doc, objects)
					}
					for i, v := range now {
						for _, o := range v.objects {
							sum.objects++
							was, why := old[i].admit(v.object(objects[o]), nil)
							if len(why) > 0 {
								continue
							}
							sum.accepted++
							is, why := v.admit(v.object(objects[o]), nil)
							switch {
							case len(why) > 0:
								sum.refused++
								if e.name != control {
									t.Errorf("%s, %s, edit %s: the new CRD rejects %s: %v", module, name, e.name, o, why)
								}
							case plain.Text(was) != plain.Text(is):
								sum.other++
								if e.name != control {
									t.Errorf("%s, %s, edit %s: with the new CRD, %s is stored differently:\n%s\n%s", module, name, e.name, o, plain.Text(was), plain.Text(is))
								}
							}
						}
					}
				}
			}
			for i, e := range edits {
				sum := sums[i]
				if e.name == control {
					broken += sum.refused
				} else {
					made += sum.changes
				}
				fmt.Fprintf(w, "%s\t%d\t%s\t%d\t%d\t%d\t%d\t%d\t\n", module, len(crds), e.name, sum.changes, sum.objects, sum.accepted, sum.refused, sum.other)
			}
		})
	}
	w.Flush()
	t.Logf("\n%s", table.Bytes())
	if all := len(exemplary); tried == all && (made == 0 || broken == 0) {
		t.Errorf("too little was tested: --fix makes %d changes, and the edit for control breaks %d objects", made, broken)
	}
}

// control is the name of the edit that must make objects invalid.
const control = "default: {}"

// shipped returns the CRDs in the modules, each once. It returns all other objects by the name
// of the file and the number in the file.
func shipped(t *testing.T, modules []string) (crds []map[string]any, objects map[string]map[string]any) {
	t.Helper()
	objects = map[string]map[string]any{}
	seen := map[string]bool{}
	for _, module := range modules {
		dir, err := gocmd.Download(module)
		if err != nil {
			t.Fatal(err)
		}
		err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || !e.Type().IsRegular() || filepath.Ext(path) != ".yaml" && filepath.Ext(path) != ".yml" {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			docs, err := manifest.ReadValues(path, data)
			if err != nil {
				return nil // the file is a template
			}
			for i, v := range docs {
				doc, _ := v.(map[string]any)
				id := plain.Text(doc)
				if doc == nil || seen[id] {
					continue
				}
				seen[id] = true
				spec, _ := doc["spec"].(map[string]any)
				switch {
				case doc["kind"] != "CustomResourceDefinition":
					objects[fmt.Sprintf("%s#%d", strings.TrimPrefix(path, dir+"/"), i)] = doc
				case doc["apiVersion"] == "apiextensions.k8s.io/v1" && spec["versions"] != nil && spec["group"] != nil:
					names, _ := spec["names"].(map[string]any)
					meta, _ := doc["metadata"].(map[string]any)
					annotations, _ := meta["annotations"].(map[string]any)
					doc := map[string]any{
						"apiVersion": doc["apiVersion"], "kind": doc["kind"], "spec": spec,
						"metadata": map[string]any{"name": fmt.Sprintf("%v.%v", names["plural"], spec["group"]),
							"annotations": map[string]any{"api-approved.kubernetes.io": annotations["api-approved.kubernetes.io"]}},
					}
					if annotations["api-approved.kubernetes.io"] == nil {
						delete(doc["metadata"].(map[string]any), "annotations")
					}
					if id := plain.Text(doc); !seen[id] {
						seen[id] = true
						crds = append(crds, doc)
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return crds, objects
}

// example is a served version of a CRD, with objects of its kind.
type example struct {
	served
	namespaced bool
	objects    []string
}

// versions returns the versions of a CRD for which there are objects.
func versions(t *testing.T, doc map[string]any, objects map[string]map[string]any) (all []example) {
	t.Helper()
	spec := doc["spec"].(map[string]any)
	kind := spec["names"].(map[string]any)["kind"]
	for _, v := range spec["versions"].([]any) {
		v := v.(map[string]any)
		name := v["name"].(string)
		var mine []string
		for _, o := range sortedKeys(objects) {
			if objects[o]["kind"] == kind && objects[o]["apiVersion"] == fmt.Sprintf("%v/%s", spec["group"], name) {
				mine = append(mine, o)
			}
		}
		if mine == nil {
			continue
		}
		def, err := internal(t, doc)
		if err != nil {
			t.Fatal(err)
		}
		root := v["schema"].(map[string]any)["openAPIV3Schema"].(map[string]any)
		all = append(all, example{served{name, root, serve(t, def, name)}, spec["scope"] == "Namespaced", mine})
	}
	return all
}

// object returns a copy of an object. It adds fields that authors may omit, such as the name.
func (e *example) object(raw map[string]any) map[string]any {
	// Convert numbers to the types that the server's decoder uses.
	var o map[string]any
	if err := utiljson.Unmarshal([]byte(plain.Text(raw)), &o); err != nil {
		panic(err)
	}
	meta, ok := o["metadata"].(map[string]any)
	if !ok {
		meta = map[string]any{}
		o["metadata"] = meta
	}
	if meta["name"] == nil {
		meta["name"] = "x"
	}
	delete(meta, "namespace")
	if e.namespaced {
		meta["namespace"] = "y"
	}
	return o
}

// respoil adds mistakes to a CRD and lets --fix repair them. It adds only mistakes that
// --fix can repair. n is the number of repairs.
func respoil(t *testing.T, name string, doc map[string]any) (after map[string]any, n int) {
	t.Helper()
	if errs, err := upstream(t, doc); len(errs) > 0 || err != nil {
		return doc, 0 // the original CRD has such a mistake
	}
	for _, keys := range []bool{true, false} {
		after = runtime.DeepCopyJSON(doc)
		for _, v := range after["spec"].(map[string]any)["versions"].([]any) {
			schema, _ := v.(map[string]any)["schema"].(map[string]any)
			spoilDefaults(schema["openAPIV3Schema"], keys)
		}
		n = 0
		for {
			fixed, says := lintFix(t, name, after)
			if says == nil {
				break
			}
			after, n = fixed, n+len(says)
		}
		// --fix does not repair a key if several defaults are possible.
		if errs, err := upstream(t, after); len(errs) == 0 && err == nil {
			return after, n
		}
	}
	t.Errorf("%s: --fix does not repair its mistakes", name)
	return doc, 0
}

// spoilDefaults adds mistakes to a schema and to all schemas below it. It makes a field with
// a default required if the default of the surrounding object does not contain the field. If
// keys is set, it also removes the defaults of list keys.
func spoilDefaults(schema any, keys bool) {
	s, _ := schema.(map[string]any)
	if s == nil {
		return
	}
	props, _ := s["properties"].(map[string]any)
	if def, ok := s["default"].(map[string]any); ok {
		for _, name := range sortedKeys(props) {
			p := props[name].(map[string]any)
			required, _ := s["required"].([]any)
			if _, there := def[name]; !there && p["default"] != nil && !contains(required, name) {
				s["required"] = append(required, name)
			}
		}
	}
	if mapKeys, _ := s["x-kubernetes-list-map-keys"].([]any); keys && contains(mapKeys, "protocol") {
		item, _ := s["items"].(map[string]any)
		props, _ := item["properties"].(map[string]any)
		if p, _ := props["protocol"].(map[string]any); p["default"] == "TCP" {
			delete(p, "default")
		}
	}
	for _, name := range sortedKeys(props) {
		spoilDefaults(props[name], keys)
	}
	spoilDefaults(s["items"], keys)
	spoilDefaults(s["additionalProperties"], keys)
}

// emptied adds default: {} to each optional field that has fields with defaults. n is the
// number of changes.
func emptied(t *testing.T, name string, doc map[string]any) (after map[string]any, n int) {
	t.Helper()
	return edited(t, name, doc, func(o *manifest.Object, d *crd.Definition) (changes []manifest.Change) {
		for _, f := range d.Lint() {
			if steps, ok := o.Steps(f.Path); ok && f.Rule == openapi.BelowOptional {
				changes = append(changes, manifest.Change{Steps: steps, Set: "default", Value: map[string]any{}})
			}
		}
		n = len(changes)
		return changes
	}), n
}
