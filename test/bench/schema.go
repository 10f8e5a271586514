// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"sync"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsapply "k8s.io/apiextensions-apiserver/pkg/client/applyconfiguration"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/applyconfigurations"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
)

// scheme has the Go types of all workloads except custom resources.
var scheme = sync.OnceValue(func() *runtime.Scheme {
	s := runtime.NewScheme()
	must(clientscheme.AddToScheme(s))
	must(apiextensions.AddToScheme(s))
	return s
})

// builtin and definitions have the merge schemas of Kubernetes' client libraries, with all
// types of the release.
var (
	builtin     = sync.OnceValue(func() managedfields.TypeConverter { return applyconfigurations.NewTypeConverter(scheme()) })
	definitions = sync.OnceValue(func() managedfields.TypeConverter { return apiextensionsapply.NewTypeConverter(scheme()) })
)

func converter(gvk schema.GroupVersionKind) managedfields.TypeConverter {
	if custom := customs[gvk]; custom != nil {
		return custom()
	}
	if gvk.Group == apiextensions.GroupName {
		return definitions()
	}
	return builtin()
}
