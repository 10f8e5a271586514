// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"cmp"
	"slices"
	"strings"
)

// Kind is what a catalog knows of a kind.
type Kind struct {
	APIVersion string
	Kind       string
	// Type is the name of the definition.
	Type string
	// Resource is the plural name in URLs, empty if the source does not say.
	Resource string
	Scope    Scope
	// Subresources are the names of the subresources, such as status and
	// scale, sorted. Empty also if the source does not say.
	Subresources []string
	// Source is the name of the document, empty for built-in types.
	Source string
}

// kubernetes are the prefixes of definitions that Kubernetes generates.
var kubernetes = []string{
	"io.k8s.api.", "io.k8s.apimachinery.pkg.", "io.k8s.apiextensions-apiserver.pkg.", "io.k8s.kube-aggregator.pkg.",
}

// IsKubernetes says whether a definition is one of Kubernetes' own, generated from a Go
// type, which publishes a zero default for whatever is no pointer.
func IsKubernetes(definition string) bool {
	return slices.ContainsFunc(kubernetes, func(prefix string) bool { return strings.HasPrefix(definition, prefix) })
}

// Scope says whether objects of a kind are in a namespace.
type Scope int

const (
	// ScopeUnknown is the scope of a kind whose source does not say.
	ScopeUnknown Scope = iota
	// Namespaced objects are in a namespace.
	Namespaced
	// ClusterWide objects are not.
	ClusterWide
)

// String returns the scope as a CRD spells it, empty if it is not known.
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
		k.Subresources = slices.Clone(k.Subresources)
		kinds = append(kinds, k)
	}
	slices.SortFunc(kinds, func(a, b Kind) int {
		return cmp.Or(strings.Compare(a.APIVersion, b.APIVersion), strings.Compare(a.Kind, b.Kind))
	})
	return kinds
}

// Kind returns what is known of one kind, and whether the catalog has it.
func (c *Catalog) Kind(apiVersion, kind string) (Kind, bool) {
	k, ok := c.kind(apiVersion, kind)
	k.Subresources = slices.Clone(k.Subresources)
	return k, ok
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
