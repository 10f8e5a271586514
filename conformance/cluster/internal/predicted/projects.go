// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predicted

import (
	"context"
	_ "embed"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dovetail-ssa/dovetail/conformance/internal/gocmd"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// Modules are those that hold CRDs and objects of their kinds, of well-known projects.
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

// perKind is how many objects of a kind are taken.
const perKind = 3

// project is what a module ships.
type project struct {
	crds    []object
	objects []object
	seen    map[string]bool
}

// versions has a CRD of our own and objects of its kind, in versions with other fields and
// defaults than the one that is stored.
//
//go:embed versions.yaml
var versions []byte

// read is what a module ships.
func read(module string) (*project, error) {
	dir, err := gocmd.Download(module)
	if err != nil {
		return nil, err
	}
	p := &project{seen: map[string]bool{}}
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if ext := filepath.Ext(path); err != nil || !e.Type().IsRegular() || ext != ".yaml" && ext != ".yml" {
			return err
		}
		data, err := os.ReadFile(path)
		if err == nil {
			_ = p.add(path, data) // or it is a template
		}
		return err
	})
	return p, err
}

// add adds what a file has, each object once.
func (p *project) add(path string, data []byte) error {
	docs, err := manifest.Values(path, data)
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
			delete(spec, "conversion") // nobody answers
			p.crds = append(p.crds, object{"apiVersion": doc["apiVersion"], "kind": doc["kind"], "spec": spec, "metadata": object{
				"name": metadata(doc)["name"], "annotations": object{"api-approved.kubernetes.io": "https://example.com"},
			}})
			p.seen[id] = true
		}
	}
	return nil
}

// install creates the CRDs of a project, and returns the objects of their kinds that there
// are: all in one namespace, as clients send them.
func (w *run) install(ctx context.Context, p *project) ([]object, error) {
	const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	for _, crd := range p.crds {
		data, err := json.Marshal(crd)
		if err != nil {
			return nil, err
		}
		if a, err := w.client.do(ctx, w.client.rest.Post().AbsPath(path).Body(data)); err != nil || !a.ok() {
			if err == nil {
				w.report.Skipped[text(metadata(crd)["name"])] = a.message()
			}
			continue
		}
		if err := w.types.AddCRD(text(metadata(crd)["name"]), data); err != nil {
			return nil, err
		}
		w.noteStored(crd)
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
	return all, w.served(ctx, all)
}

// served waits until the kinds of objects are served.
func (w *run) served(ctx context.Context, objects []object) error {
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

// custom says whether a kind is one of a CRD.
func (w *run) custom(apiVersion, kind string) bool {
	k, ok := w.types.Kind(apiVersion, kind)
	return ok && k.Source != "" && !slices.Contains(openapi.Releases(), k.Source)
}

// definition prunes and defaults custom resources by their types: that of their version, and
// that of the stored one.
type definition struct{ version, stored version }

// version is one version of a kind, with its type.
type version struct {
	apiVersion string
	typ        typed.ParseableType
}

// definition is that of a kind of a CRD, which converts by None.
func (w *run) definition(apiVersion, kind string) definition {
	group, _, _ := strings.Cut(apiVersion, "/")
	own, _ := w.types.Type(apiVersion, kind)
	d := definition{version{apiVersion, own}, version{apiVersion, own}}
	in := w.storedIn[group+" "+kind]
	if t, ok := w.types.Type(in, kind); ok {
		d.stored = version{in, t}
	}
	return d
}

// noteStored remembers in which version objects of a CRD are stored, and what scales them.
func (w *run) noteStored(crd object) {
	spec, _ := crd["spec"].(object)
	names, _ := spec["names"].(object)
	versions, _ := spec["versions"].([]any)
	for _, v := range versions {
		v, _ := v.(object)
		apiVersion := text(spec["group"]) + "/" + text(v["name"])
		if v["storage"] == true {
			w.storedIn[text(spec["group"])+" "+text(names["kind"])] = apiVersion
		}
		subresources, _ := v["subresources"].(object)
		scale, _ := subresources["scale"].(object)
		if path := text(scale["specReplicasPath"]); path != "" {
			w.replicasAt[apiVersion+" "+text(names["kind"])] = strings.Split(strings.TrimPrefix(path, "."), ".")
		}
	}
}

func (d definition) Default(o map[string]any) (map[string]any, error) {
	return d.version.as(o, (*typed.TypedValue).Prune, (*typed.TypedValue).Default)
}

func (d definition) ReadBack(o map[string]any) (map[string]any, error) {
	if d.stored.apiVersion == d.version.apiVersion {
		return d.Default(o)
	}
	o, err := d.stored.as(o, (*typed.TypedValue).Prune, (*typed.TypedValue).Default)
	if err != nil {
		return nil, err
	}
	return d.version.as(o, (*typed.TypedValue).Prune)
}

// as is a copy of an object in a version, after some steps.
func (v version) as(o object, steps ...func(*typed.TypedValue) (*typed.TypedValue, error)) (object, error) {
	o = maps.Clone(o)
	o["apiVersion"] = v.apiVersion
	now := typed.AsTypedUnvalidated(value.NewValueInterface(o), v.typ.Schema, v.typ.TypeRef)
	for _, step := range steps {
		var err error
		if now, err = step(now); err != nil {
			return nil, err
		}
	}
	after, _ := now.AsValue().Unstructured().(object) // what was an object stays one
	return after, nil
}
