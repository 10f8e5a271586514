// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"cmp"
	"slices"
	"strings"
)

// Kind describes a kind in a catalog.
type Kind struct {
	APIVersion string
	Kind       string
	// Type is the name of the kind's definition.
	Type string
	// Resource is the plural name in URLs. It is "" if it is not known.
	Resource string
	// Singular is the singular name that a CRD declares. If it is "", the singular name is the
	// kind in lower case. ShortNames are further names that kubectl accepts, such as deploy.
	Singular   string
	ShortNames []string
	Scope      Scope
	// Subresources lists the names of the subresources in alphabetical order, such as scale and
	// status. The list is also empty if the subresources are not known. They are known if Resource is
	// known.
	Subresources []string
	// Source is the name of the document with the definition, or "" for a built-in type.
	Source string
}

// kubernetes lists the name prefixes of Kubernetes' own definitions.
var kubernetes = []string{
	"io.k8s.api.", "io.k8s.apimachinery.pkg.", "io.k8s.apiextensions-apiserver.pkg.", "io.k8s.kube-aggregator.pkg.",
}

// IsKubernetes reports whether a definition is one of Kubernetes' own, which are generated from Go
// types. In these definitions, every field that is not a pointer in Go has a zero default, such as
// "".
func IsKubernetes(definition string) bool {
	return slices.ContainsFunc(kubernetes, func(prefix string) bool { return strings.HasPrefix(definition, prefix) })
}

// Scope is the scope of a kind: whether its objects are in a namespace.
type Scope int

const (
	// ScopeUnknown means that the document does not contain the scope.
	ScopeUnknown Scope = iota
	// Namespaced means that objects are in a namespace.
	Namespaced
	// ClusterWide means that objects are not in a namespace.
	ClusterWide
)

// String returns the scope as a CRD spells it, or "" if it is not known.
func (s Scope) String() string {
	switch s {
	case Namespaced:
		return "Namespaced"
	case ClusterWide:
		return "Cluster"
	}
	return ""
}

// Kinds returns all kinds, sorted by API version and kind.
func (c *Catalog) Kinds() []Kind {
	var kinds []Kind
	for _, k := range c.allKinds() {
		kinds = append(kinds, k.copy())
	}
	slices.SortFunc(kinds, func(a, b Kind) int {
		return cmp.Or(strings.Compare(a.APIVersion, b.APIVersion), strings.Compare(a.Kind, b.Kind))
	})
	return kinds
}

// Kind returns the description of a kind. It returns false if the catalog does not have
// the kind.
func (c *Catalog) Kind(apiVersion, kind string) (Kind, bool) {
	k, ok := c.kind(apiVersion, kind)
	return k.copy(), ok
}

// copy returns a copy of k whose lists the caller may change.
func (k Kind) copy() Kind {
	if k.ShortNames == nil && IsKubernetes(k.Type) {
		k.ShortNames = shortNames[k.Resource]
	}
	k.Subresources, k.ShortNames = slices.Clone(k.Subresources), slices.Clone(k.ShortNames)
	return k
}

type kindName struct{ apiVersion, kind string }

func (c *Catalog) kind(apiVersion, kind string) (Kind, bool) {
	if k, ok := c.kinds[kindName{apiVersion, kind}]; ok {
		return k, true
	}
	if !c.builtin {
		return Kind{}, false
	}
	k, ok := c.release.kinds()[kindName{apiVersion, kind}]
	return k, ok
}

func (c *Catalog) allKinds() map[kindName]Kind {
	all := make(map[kindName]Kind, len(c.kinds))
	if c.builtin {
		for name, k := range c.release.kinds() {
			all[name] = k
		}
	}
	for name, k := range c.kinds {
		all[name] = k
	}
	return all
}

// shortNames maps built-in resources to their short names.
var shortNames = map[string][]string{
	"certificatesigningrequests": {"csr"}, "configmaps": {"cm"}, "cronjobs": {"cj"}, "customresourcedefinitions": {"crd", "crds"},
	"daemonsets": {"ds"}, "deployments": {"deploy"}, "endpoints": {"ep"}, "events": {"ev"}, "horizontalpodautoscalers": {"hpa"},
	"ingresses": {"ing"}, "ipaddresses": {"ip"}, "limitranges": {"limits"}, "namespaces": {"ns"}, "networkpolicies": {"netpol"}, "nodes": {"no"},
	"persistentvolumeclaims": {"pvc"}, "persistentvolumes": {"pv"}, "poddisruptionbudgets": {"pdb"}, "pods": {"po"},
	"priorityclasses": {"pc"}, "replicasets": {"rs"}, "replicationcontrollers": {"rc"}, "resourcequotas": {"quota"},
	"serviceaccounts": {"sa"}, "services": {"svc"}, "statefulsets": {"sts"}, "storageclasses": {"sc"},
	"volumeattributesclasses": {"vac"}, "componentstatuses": {"cs"},
}
