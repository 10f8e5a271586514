// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"bytes"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/crd/cel"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/test/internal/gocmd"
	"github.com/dovetail-ssa/dovetail/test/internal/plain"
)

// projects are modules with CRD files.
var projects = []string{
	"sigs.k8s.io/gateway-api@v1.3.0",
	"github.com/cert-manager/cert-manager@v1.17.2",
	"sigs.k8s.io/kueue@v0.11.4",
	"github.com/prometheus-operator/prometheus-operator@v0.82.2",
}

// TestRealCRDs adds markers at random places to CRDs of well-known projects, and translates
// the markers to CEL rules. API servers must accept the CRDs with the generated rules. A rule
// that needs a missing bound is omitted and reported.
func TestRealCRDs(t *testing.T) {
	if testing.Short() {
		t.Skip("tests all CRDs of several projects")
	}
	for _, module := range projects {
		t.Run(module, func(t *testing.T) {
			dir, err := gocmd.Download(module)
			if err != nil {
				t.Fatal(err)
			}
			var requests []request
			rules, missing, bounds := 0, 0, 0
			var slowest time.Duration
			for i, doc := range realCRDs(t, dir) {
				g := &generator{rand.New(rand.NewPCG(uint64(i), 13)), true}
				if g.markReal(t, doc) == 0 {
					continue
				}
				start := time.Now()
				out, made, err := translate(t, []byte(plain.Text(doc)), cel.Options{Dialect: pick(g, cel.Portable, cel.Newest)})
				if err != nil {
					t.Fatal(err)
				}
				slowest = max(slowest, time.Since(start))
				rules += len(made.Rules)
				for _, m := range made.Missing {
					missing++
					if len(m.Bounds) > 0 {
						bounds++
					}
				}
				requests = append(requests, request{CRD: out})
			}
			if rules == 0 || missing == 0 {
				t.Errorf("%d rules, %d missing: too little was tested", rules, missing)
			}
			t.Logf("%d CRDs with %d rules; %d rules are omitted, %d of them with a proposed bound; the slowest CRD took %v", len(requests), rules, missing, bounds, slowest)
			for _, r := range releases[:2] {
				for i, a := range r.judge(t, requests) {
					if len(a.Refused) > 0 {
						t.Errorf("%s rejects %q: %.3000s", r.name, a.Refused, requests[i].CRD)
					}
				}
			}
		})
	}
}

// realCRDs returns at most six CRDs from a folder. Each has one version, and API servers accept
// it.
func realCRDs(t *testing.T, dir string) (all []object) {
	t.Helper()
	seen := map[any]bool{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".yaml") || len(all) == 6 {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(data, []byte("\nkind: CustomResourceDefinition\n")) {
			return err
		}
		values, err := manifest.ReadValues(path, data)
		if err != nil {
			return nil // the file is a template
		}
		for _, v := range values {
			doc, _ := v.(object)
			spec, _ := doc["spec"].(object)
			if doc["kind"] != "CustomResourceDefinition" || doc["apiVersion"] != "apiextensions.k8s.io/v1" || spec["group"] == nil {
				continue
			}
			meta, _ := doc["metadata"].(object)
			if seen[meta["name"]] || len(all) == 6 {
				continue
			}
			annotations, _ := meta["annotations"].(object)
			doc["metadata"] = object{"name": meta["name"], "annotations": object{"api-approved.kubernetes.io": annotations["api-approved.kubernetes.io"]}}
			if annotations["api-approved.kubernetes.io"] == nil {
				delete(doc["metadata"].(object), "annotations")
			}
			delete(spec, "conversion")
			versions := spec["versions"].([]any)
			i := slices.IndexFunc(versions, func(v any) bool { return v.(object)["storage"] == true })
			spec["versions"] = versions[i : i+1]
			delete(doc, "status")
			defs, err := crd.Read(path, []byte(plain.Text(doc)))
			if err != nil {
				t.Fatal(err)
			}
			if len(defs[0].Validate()) == 0 {
				seen[meta["name"]] = true
				all = append(all, doc)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatal("the folder has no CRD")
	}
	return all
}

// markReal adds up to eight markers to a CRD, in allowed places, and returns their number.
func (g *generator) markReal(t *testing.T, doc object) (count int) {
	t.Helper()
	root := doc["spec"].(object)["versions"].([]any)[0].(object)["schema"].(object)["openAPIV3Schema"].(object)
	var places []object
	var walk func(s object)
	walk = func(s object) {
		places = append(places, s)
		props, _ := s["properties"].(object)
		for _, name := range sorted(props) {
			if name != "metadata" && name != "apiVersion" && name != "kind" {
				walk(props[name].(object))
			}
		}
		for _, k := range []string{"items", "additionalProperties"} {
			if below, ok := s[k].(object); ok {
				walk(below)
			}
		}
	}
	props, _ := root["properties"].(object)
	for _, name := range []string{"spec", "status"} {
		if s, ok := props[name].(object); ok {
			walk(s)
		}
	}
	for range 60 {
		if count == 8 || len(places) == 0 {
			break
		}
		s := pick(g, places...)
		marker := pick(g, schema.Transitions()...).Extension()
		if s[marker] != nil {
			continue
		}
		s[marker] = true
		defs, err := crd.Read("crd", []byte(plain.Text(doc)))
		if err != nil {
			t.Fatal(err)
		}
		if found := defs[0].Validate(); len(found) > 0 {
			delete(s, marker)
			continue
		}
		count++
	}
	return count
}
