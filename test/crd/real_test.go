// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"bytes"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/test/internal/gocmd"
	"github.com/dovetail-ssa/dovetail/test/internal/plain"
)

// projects are modules with CRD files. The test reads them from the module cache.
var projects = []string{
	"sigs.k8s.io/gateway-api@v1.3.0",
	"github.com/prometheus-operator/prometheus-operator@v0.82.2",
	"github.com/cert-manager/cert-manager@v1.17.2",
	"sigs.k8s.io/cluster-api@v1.10.1",
	"istio.io/api@v1.26.0",
	"sigs.k8s.io/kueue@v0.11.4",
	"github.com/crossplane/crossplane@v1.20.0",
	"github.com/kedacore/keda/v2@v2.17.0",
	"github.com/external-secrets/external-secrets@v0.16.1",
	"sigs.k8s.io/karpenter@v1.4.0",
}

// TestRealCRDs checks CRDs of well-known projects. The API server and kube/crd must agree
// whether a CRD is valid. They must also agree on the defaults and on the validity of random
// objects. Each valid CRD must have a merge schema.
func TestRealCRDs(t *testing.T) {
	for _, module := range projects {
		t.Run(module, func(t *testing.T) {
			dir, err := gocmd.Download(module)
			if err != nil {
				t.Fatal(err)
			}
			var sum tally
			files, templates := crdFiles(t, dir)
			count, refused := 0, 0
			for _, f := range files {
				n, bad := realFile(t, f, &sum)
				count, refused = count+n, refused+bad
			}
			t.Logf("%d CRDs in %d files (%d more files are templates), %d rejected by both; %d valid and %d invalid objects, %d changed, %d defaulted by type alone, %d updates",
				count, len(files), templates, refused, sum.valid, sum.invalid, sum.changed, sum.typed, sum.updates)
			if count == 0 {
				t.Error("the projects have no CRD")
			}
		})
	}
}

// crdFiles returns the YAML files with CRDs in a folder. It skips copies of a file. templates
// is the number of files that are templates.
func crdFiles(t *testing.T, dir string) (files []string, templates int) {
	t.Helper()
	seen := map[string]bool{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".yaml") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(data, []byte("\nkind: CustomResourceDefinition\n")) || seen[string(data)] {
			return err
		}
		seen[string(data)] = true
		if _, err := manifest.ReadValues(path, data); err != nil {
			if !bytes.Contains(data, []byte("{{")) && !bytes.Contains(data, []byte("${")) {
				t.Errorf("%v", err)
			}
			templates++
			return nil
		}
		files = append(files, path)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files, templates
}

// realFile compares all CRDs of a file. It returns the number of CRDs, and the number of
// CRDs that both sides reject.
func realFile(t *testing.T, file string, sum *tally) (count, refused int) {
	t.Helper()
	for _, doc := range documents(t, file) {
		spec, _ := doc["spec"].(map[string]any)
		if doc["kind"] != "CustomResourceDefinition" || doc["apiVersion"] != "apiextensions.k8s.io/v1" || spec["group"] == nil {
			continue // a patch of a CRD has no group
		}
		count++
		if m, ok := doc["metadata"].(map[string]any); ok && strings.Contains(plain.Text(m), "{{") {
			doc["metadata"] = map[string]any{"name": m["name"]} // labels may contain Helm's placeholders
		}
		defs, err := crd.Read(file, []byte(plain.Text(doc)))
		if err != nil {
			t.Fatal(err)
		}
		found := defs[0].Validate()
		errs, err := upstream(t, doc)
		if theirs := len(errs) > 0 || err != nil; theirs != (len(found) > 0) {
			t.Errorf("%s: apiextensions: %v %v\nkube/crd: %v", file, errs, err, found)
			continue
		}
		if len(found) > 0 {
			refused++
			t.Logf("%s: both reject the CRD: %v", filepath.Base(file), found[0])
			continue
		}
		if err := openapi.New(openapi.Options{}).AddCRD(file, []byte(plain.Text(doc))); err != nil {
			t.Errorf("%s: the CRD has no merge schema: %v", file, err)
			continue
		}
		for seed := range uint64(2) {
			g := &generator{rand.New(rand.NewPCG(seed, 9)), 3 + 40*int(seed)}
			each(t, file, g, doc, defs[0], 5, sum)
		}
	}
	return count, refused
}
