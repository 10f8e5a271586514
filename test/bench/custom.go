// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/dovetail-ssa/dovetail/test/internal/gocmd"
)

// fleetSchema is the OpenAPI schema of a custom resource. It has lists with one key, lists
// with two keys, sets, atomic lists, granular maps, and fields with arbitrary content.
//
//go:embed testdata/fleet.json
var fleetSchema []byte

// customs maps each custom resource to a function that returns its type converter. The
// converter is created at the first call.
var customs = map[schema.GroupVersionKind]func() managedfields.TypeConverter{
	fleetGVK: sync.OnceValue(func() managedfields.TypeConverter {
		var s spec.Schema
		must(json.Unmarshal(fleetSchema, &s))
		c, err := managedfields.NewTypeConverter(map[string]*spec.Schema{"com.example.fleet.v1.Fleet": &s}, false)
		must(err)
		return c
	}),
	treeGVK: sync.OnceValue(func() managedfields.TypeConverter {
		below := *spec.RefSchema(refPrefix + "com.example.tree.v1.Level")
		level := objectOf(map[string]spec.Schema{"name": *spec.StringProperty(), "size": *spec.Int64Property(), "below": below})
		return converterOfSchemas(map[string]*spec.Schema{
			"com.example.tree.v1.Level": level, "com.example.tree.v1.Tree": withObject(objectOf(map[string]spec.Schema{"spec": below}), treeGVK)})
	}),
	documentGVK: sync.OnceValue(func() managedfields.TypeConverter {
		free := objectOf(nil)
		free.AddExtension("x-kubernetes-preserve-unknown-fields", true)
		return converterOfSchemas(map[string]*spec.Schema{
			"com.example.document.v1.Document": withObject(objectOf(map[string]spec.Schema{"spec": *free}), documentGVK)})
	}),
	applicationGVK: shippedCRD("github.com/argoproj/argo-cd/v3@v3.5.7", "manifests/crds/application-crd.yaml", applicationGVK),
	httpRouteGVK:   shippedCRD("sigs.k8s.io/gateway-api@v1.6.3", "config/crd/standard/gateway.networking.k8s.io_httproutes.yaml", httpRouteGVK),
	prometheusGVK: shippedCRD("github.com/prometheus-operator/prometheus-operator@v0.85.0",
		"example/prometheus-operator-crd/monitoring.coreos.com_prometheuses.yaml", prometheusGVK),
}

// shippedCRD returns a function that reads a CRD from a file in a Go module, and returns a type
// converter for the given version of the CRD.
func shippedCRD(module, file string, gvk schema.GroupVersionKind) func() managedfields.TypeConverter {
	return sync.OnceValue(func() managedfields.TypeConverter {
		text, err := os.ReadFile(filepath.Join(downloaded(module), file))
		must(err)
		var crd apiextensions.CustomResourceDefinition
		must(yaml.Unmarshal(text, &crd))
		for _, v := range crd.Spec.Versions {
			if v.Name != gvk.Version {
				continue
			}
			text, err := json.Marshal(v.Schema.OpenAPIV3Schema)
			must(err)
			s := &spec.Schema{}
			must(json.Unmarshal(text, s))
			return converterOfSchemas(map[string]*spec.Schema{"crd." + gvk.Kind: withObject(s, gvk)})
		}
		panic(fmt.Sprintf("%s: no version %s", file, gvk.Version))
	})
}

// downloaded returns the folder of a module in the module cache. It downloads the module if it
// is missing there.
func downloaded(module string) string {
	dir, err := gocmd.Download(module)
	must(err)
	return dir
}

// withObject adds apiVersion, kind and metadata to the schema of a custom resource, as an API
// server does.
func withObject(s *spec.Schema, gvk schema.GroupVersionKind) *spec.Schema {
	s.Properties["metadata"] = spec.Schema{SchemaProps: spec.SchemaProps{AllOf: []spec.Schema{
		*spec.RefSchema(refPrefix + "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"),
	}}}
	s.Properties["apiVersion"], s.Properties["kind"] = *spec.StringProperty(), *spec.StringProperty()
	s.AddExtension("x-kubernetes-group-version-kind", []any{map[string]any{"group": gvk.Group, "version": gvk.Version, "kind": gvk.Kind}})
	return s
}

// converterOfSchemas returns a type converter for the given schemas. It adds the schemas that
// an API server adds for every custom resource.
func converterOfSchemas(all map[string]*spec.Schema) managedfields.TypeConverter {
	for name, d := range static() {
		if all[name] == nil {
			all[name] = d
		}
	}
	c, err := managedfields.NewTypeConverter(all, false)
	must(err)
	return c
}

func objectOf(properties map[string]spec.Schema) *spec.Schema {
	return &spec.Schema{SchemaProps: spec.SchemaProps{Type: spec.StringOrArray{"object"}, Properties: properties}}
}
