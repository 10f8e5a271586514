// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"fmt"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/component-base/version"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/install"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/admissionregistration/install"
	_ "k8s.io/kubernetes/pkg/apis/apiserverinternal/install"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/authentication/install"
	_ "k8s.io/kubernetes/pkg/apis/authorization/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/certificates/install"
	_ "k8s.io/kubernetes/pkg/apis/coordination/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/discovery/install"
	_ "k8s.io/kubernetes/pkg/apis/events/install"
	_ "k8s.io/kubernetes/pkg/apis/flowcontrol/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	_ "k8s.io/kubernetes/pkg/apis/storagemigration/install"
)

func init() {
	apiextensions.Install(legacyscheme.Scheme)
	apiregistration.Install(legacyscheme.Scheme)
}

// Minor is the minor release of the linked Kubernetes, such as 1.37.
const Minor = version.DefaultKubeBinaryVersion

// Kubernetes returns the version of k8s.io/kubernetes in this program, such as v1.37.2. It
// does not work in a test binary.
func Kubernetes() string {
	info, ok := debug.ReadBuildInfo()
	if ok {
		for _, m := range info.Deps {
			if m.Path == "k8s.io/kubernetes" {
				return m.Version
			}
		}
	}
	panic("the build information does not contain k8s.io/kubernetes")
}

// Kind is one version of a kind in Kubernetes' scheme.
type Kind struct {
	schema.GroupVersionKind
	Type reflect.Type
}

func (k Kind) String() string { return k.GroupVersion().String() + " " + k.Kind }

// Kinds returns all kinds of objects and of lists, in all versions, sorted.
func Kinds() []Kind {
	var all []Kind
	for gvk, t := range legacyscheme.Scheme.AllKnownTypes() {
		if gvk.Version == runtime.APIVersionInternal || strings.HasPrefix(t.PkgPath(), "k8s.io/apimachinery/") {
			continue
		}
		all = append(all, Kind{gvk, t})
	}
	slices.SortFunc(all, func(a, b Kind) int { return strings.Compare(a.String(), b.String()) })
	return all
}

// Decode decodes the JSON of an object. It does not set defaults.
func (k Kind) Decode(data []byte) (runtime.Object, error) {
	object := reflect.New(k.Type).Interface().(runtime.Object)
	if err := utiljson.Unmarshal(data, object); err != nil {
		return nil, fmt.Errorf("%s: %w", k, err)
	}
	object.GetObjectKind().SetGroupVersionKind(k.GroupVersionKind)
	return object, nil
}

// SetDefaults sets the defaults of an object as the API server does after it decoded a request.
func SetDefaults(object runtime.Object) { legacyscheme.Scheme.Default(object) }

// Definition returns the name of a Go type in OpenAPI documents.
func Definition(t reflect.Type) string {
	// Since 1.38, the types of CRDs are in a separate module. Their names in OpenAPI documents
	// have not changed.
	path := strings.Replace(t.PkgPath(), "k8s.io/apiextensions-api/", "k8s.io/apiextensions-apiserver/", 1)
	host, rest, _ := strings.Cut(path, "/")
	domain := strings.Split(host, ".")
	slices.Reverse(domain)
	return strings.Join(domain, ".") + "." + strings.ReplaceAll(rest, "/", ".") + "." + t.Name()
}
