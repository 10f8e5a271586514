// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	_ "embed"
	"encoding/json"
	"sync"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsapply "k8s.io/apiextensions-apiserver/pkg/client/applyconfiguration"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/applyconfigurations"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// scheme knows the Go types of all workloads but the custom resource.
var scheme = sync.OnceValue(func() *runtime.Scheme {
	s := runtime.NewScheme()
	must(clientscheme.AddToScheme(s))
	must(apiextensions.AddToScheme(s))
	return s
})

// builtin and definitions hold the merge schemas that Kubernetes' client
// libraries carry: every type of the release in one.
var (
	builtin     = sync.OnceValue(func() managedfields.TypeConverter { return applyconfigurations.NewTypeConverter(scheme()) })
	definitions = sync.OnceValue(func() managedfields.TypeConverter { return apiextensionsapply.NewTypeConverter(scheme()) })
)

// fleetSchema is the OpenAPI schema of a custom resource: lists keyed by one
// and by two fields, sets, atomic lists, granular maps, free-form content.
//
//go:embed testdata/fleet.json
var fleetSchema []byte

var fleets = sync.OnceValue(func() managedfields.TypeConverter {
	var s spec.Schema
	must(json.Unmarshal(fleetSchema, &s))
	c, err := managedfields.NewTypeConverter(map[string]*spec.Schema{"com.example.fleet.v1.Fleet": &s}, false)
	must(err)
	return c
})

func converter(gvk schema.GroupVersionKind) managedfields.TypeConverter {
	switch gvk.Group {
	case fleetGVK.Group:
		return fleets()
	case apiextensions.GroupName:
		return definitions()
	}
	return builtin()
}
