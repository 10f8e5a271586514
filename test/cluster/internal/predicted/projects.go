// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predicted

import (
	"context"
	_ "embed"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/kube/predict"
	"github.com/dovetail-ssa/dovetail/test/internal/gocmd"
)

// Modules are Go modules of well-known projects. They contain CRDs and objects.
var Modules = []string{
	"sigs.k8s.io/gateway-api@v1.6.3",
	"github.com/external-secrets/external-secrets@v1.3.2",
	"github.com/kyverno/kyverno@v1.19.1",
	"github.com/envoyproxy/gateway@v1.9.1",
	"github.com/cert-manager/cert-manager@v1.21.2",
	"github.com/argoproj/argo-cd/v3@v3.5.7",
	"github.com/crossplane/crossplane/v2@v2.4.0",
	"github.com/prometheus-operator/prometheus-operator@v0.85.0",
	"go.universe.tf/metallb@v0.16.2",
	"github.com/cloudnative-pg/cloudnative-pg@v1.27.1",
}

// perKind is the maximum number of objects of one kind.
const perKind = 3

// project has the CRDs and objects of one module.
type project struct {
	crds    []object
	objects []object
	seen    map[string]bool
}

// versions contains a CRD with several versions, and objects of its kind. The storage version
// has different fields and defaults from the other versions.
//
//go:embed versions.yaml
var versions []byte

// ReadFolder returns the CRDs and the other objects in the files under a folder. It ignores
// files that are not valid YAML.
func ReadFolder(dir string) (crds, objects []map[string]any, err error) {
	p, err := readFolder(dir)
	if err != nil {
		return nil, nil, err
	}
	return p.crds, p.objects, nil
}

// read reads the CRDs and objects of a module.
func read(module string) (*project, error) {
	dir, err := gocmd.Download(module)
	if err != nil {
		return nil, err
	}
	return readFolder(dir)
}

// readFolder reads the CRDs and objects in the files under a folder.
func readFolder(dir string) (*project, error) {
	p := &project{seen: map[string]bool{}}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if ext := filepath.Ext(path); err != nil || !e.Type().IsRegular() || ext != ".yaml" && ext != ".yml" {
			return err
		}
		data, err := os.ReadFile(path)
		if err == nil {
			_ = p.add(path, data) // an error means that the file is a template
		}
		return err
	})
	return p, err
}

// add adds the objects in a file. It skips objects that were added before.
func (p *project) add(path string, data []byte) error {
	docs, err := manifest.ReadValues(path, data)
	if err != nil {
		return err
	}
	for _, v := range docs {
		doc, _ := v.(object)
		spec, _ := doc["spec"].(object)
		id := strings.Join([]string{text(doc["apiVersion"]), text(doc["kind"]), text(metadata(doc)["name"])}, " ")
		switch {
		case metadata(doc)["name"] == nil || p.seen[id]:
		case doc["kind"] != "CustomResourceDefinition":
			p.objects = append(p.objects, doc)
			p.seen[id] = true
		case doc["apiVersion"] == "apiextensions.k8s.io/v1" && spec["versions"] != nil:
			delete(spec, "conversion") // no webhook runs
			p.crds = append(p.crds, object{"apiVersion": doc["apiVersion"], "kind": doc["kind"], "spec": spec, "metadata": object{
				"name": metadata(doc)["name"], "annotations": object{"api-approved.kubernetes.io": "https://example.com"},
			}})
			p.seen[id] = true
		}
	}
	return nil
}

// install creates the CRDs of a project. It returns the objects of the kinds that these CRDs
// define, and moves all objects to one namespace.
func (w *run) install(ctx context.Context, p *project) ([]object, error) {
	const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	for _, doc := range p.crds {
		data, err := json.Marshal(doc)
		if err != nil {
			return nil, err
		}
		if a, err := w.client.do(ctx, w.client.rest.Post().AbsPath(path).Body(data)); err != nil || !a.ok() {
			if err == nil {
				w.report.Skipped[text(metadata(doc)["name"])] = a.message()
			}
			continue
		}
		if err := w.types.AddCRD(text(metadata(doc)["name"]), data); err != nil {
			return nil, err
		}
		if err := w.define(text(metadata(doc)["name"]), data); err != nil {
			return nil, err
		}
	}
	var all []object
	count := map[string]int{}
	for _, o := range p.objects {
		kind, ok := w.types.Kind(text(o["apiVersion"]), text(o["kind"]))
		if !ok || kind.Source == "" || count[kind.Type] == perKind {
			continue
		}
		count[kind.Type]++
		if delete(metadata(o), "namespace"); kind.Scope == openapi.Namespaced {
			metadata(o)["namespace"] = "shop"
		}
		delete(o, "status")
		all = append(all, o)
	}
	return all, w.waitUntilServed(ctx, all)
}

// waitUntilServed waits until the server serves the kinds of the objects.
func (w *run) waitUntilServed(ctx context.Context, objects []object) error {
	for _, o := range objects {
		kind, _ := w.types.Kind(text(o["apiVersion"]), text(o["kind"]))
		for range 200 {
			a, err := w.client.do(ctx, w.client.rest.Get().AbsPath("/apis/"+kind.APIVersion+"/"+kind.Resource))
			if err != nil || a.ok() {
				if err != nil {
					return err
				}
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
	return nil
}

// custom reports whether a CRD defines this kind.
func (w *run) custom(apiVersion, kind string) bool {
	k, ok := w.types.Kind(apiVersion, kind)
	return ok && k.Source != "" && !slices.Contains(openapi.Releases(), k.Source)
}

// definition returns the definition of a custom resource, or nil.
func (w *run) definition(apiVersion, kind string) predict.Definition {
	if v := w.defined[apiVersion+" "+kind]; v != nil {
		return v
	}
	return nil
}

// define records the versions of a CRD.
func (w *run) define(name string, doc []byte) error {
	if _, err := w.served.Define(doc); err != nil {
		return err
	}
	definitions, err := crd.Read(name, doc)
	for _, d := range definitions {
		for _, v := range d.Versions {
			w.defined[d.Group+"/"+v.Name+" "+d.Kind] = v
		}
	}
	return err
}
