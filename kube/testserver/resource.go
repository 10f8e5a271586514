// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"

	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/kube/crd/served"
	"github.com/dovetail-ssa/dovetail/kube/immutable"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// resource is one version of a kind, served under one path. It is immutable.
type resource struct {
	group, version, kind string
	plural, singular     string
	list                 string // the kind of a list of these objects
	short, categories    []string
	namespaced           bool
	status, scale        bool
	columns              []column
	selectable           []string
	// custom is the definition of a custom resource, or nil for a built-in kind. scaling contains
	// the paths that the definition declares for the scale subresource.
	custom  *served.Definition
	scaling scaling
	// deprecation is the warning that each response contains, or "" if the version is not deprecated.
	deprecation string
}

// column is a printer column in a CustomResourceDefinition.
type column struct {
	name, kind, format, description, path string
	priority                              int32
}

func (r *resource) apiVersion() string { return r.gvk().GroupVersion().String() }

func (r *resource) gvk() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: r.group, Version: r.version, Kind: r.kind}
}

// isNamespace reports whether the kind is the built-in kind Namespace.
func (r *resource) isNamespace() bool {
	return r.custom == nil && r.group == "" && r.kind == "Namespace"
}

// isPod reports whether the kind is the built-in kind Pod.
func (r *resource) isPod() bool { return r.custom == nil && r.group == "" && r.kind == "Pod" }

func (r *resource) gr() schema.GroupResource {
	return schema.GroupResource{Group: r.group, Resource: r.plural}
}

func (r *resource) gvr() schema.GroupVersionResource {
	return r.gr().WithVersion(r.version)
}

// resources contains all served resources, in the order of discovery.
type resources struct {
	all    []*resource
	byPath map[schema.GroupVersionResource]*resource
}

func newResources(all []*resource) *resources {
	slices.SortStableFunc(all, func(a, b *resource) int {
		return cmp.Or(cmp.Compare(a.group, b.group), -version.CompareKubeAwareVersionStrings(a.version, b.version), cmp.Compare(a.plural, b.plural))
	})
	r := &resources{all: all, byPath: map[schema.GroupVersionResource]*resource{}}
	for _, one := range all {
		r.byPath[one.gvr()] = one
	}
	return r
}

// groups returns the names of the groups in alphabetical order.
func (r *resources) groups() (names []string) {
	for _, one := range r.all {
		if !slices.Contains(names, one.group) {
			names = append(names, one.group)
		}
	}
	return names
}

// versions returns the versions of a group, with the preferred version first.
func (r *resources) versions(group string) (names []string) {
	for _, one := range r.all {
		if one.group == group && !slices.Contains(names, one.version) {
			names = append(names, one.version)
		}
	}
	return names
}

// inGroupVersion returns the resources in one version of a group.
func (r *resources) inGroupVersion(group, version string) (all []*resource) {
	for _, one := range r.all {
		if one.group == group && one.version == version {
			all = append(all, one)
		}
	}
	return all
}

// isStored reports whether an API server stores objects of a kind. If release is nil, isStored
// decides by a fixed list of kinds that are not stored.
func isStored(k openapi.Kind, release *immutable.Release) bool {
	if release != nil {
		return release.Knows(k.APIVersion, k.Kind)
	}
	group, _, _ := strings.Cut(k.APIVersion, "/")
	return group != "authentication.k8s.io" && group != "authorization.k8s.io" && k.Kind != "ComponentStatus" && k.Kind != "Binding"
}

// builtinResources returns a resource for each kind that an API server of the release stores. The
// argument version is the release, such as v1.37.2.
func builtinResources(kinds []openapi.Kind, release *immutable.Release, version string) (all []*resource) {
	for _, k := range kinds {
		if k.Source != "" || k.Resource == "" || !isStored(k, release) {
			continue
		}
		gv, err := schema.ParseGroupVersion(k.APIVersion)
		if err != nil {
			continue
		}
		all = append(all, &resource{
			group: gv.Group, version: gv.Version, kind: k.Kind, plural: k.Resource, singular: strings.ToLower(k.Kind), list: k.Kind + "List",
			short: k.ShortNames, categories: categoriesOf(k.Resource), namespaced: k.Scope == openapi.Namespaced,
			status: slices.Contains(k.Subresources, "status"), scale: slices.Contains(k.Subresources, "scale"),
			deprecation: deprecationOf(gv.WithKind(k.Kind), version),
		})
	}
	return all
}

// customResources returns a resource for each version that a definition serves.
func customResources(d *served.Definition) (all []*resource) {
	spec, _ := d.Object().Content["spec"].(map[string]any)
	names, _ := spec["names"].(map[string]any)
	listed, _ := spec["versions"].([]any)
	for i, v := range d.Versions {
		if !v.Served || i >= len(listed) {
			continue
		}
		said, _ := listed[i].(map[string]any)
		subresources, _ := said["subresources"].(map[string]any)
		_, status := subresources["status"]
		r := &resource{
			group: d.Group, version: v.Name, kind: d.Kind, plural: d.Plural, namespaced: d.Namespaced, custom: d, status: status,
			singular: cmp.Or(text(names["singular"]), strings.ToLower(d.Kind)), list: cmp.Or(text(names["listKind"]), d.Kind+"List"),
			short: texts(names["shortNames"]), categories: texts(names["categories"]),
		}
		r.deprecation = customDeprecation(r.gvk(), listed)
		if s, ok := subresources["scale"].(map[string]any); ok {
			r.scale = true
			r.scaling = scaling{text(s["specReplicasPath"]), text(s["statusReplicasPath"]), text(s["labelSelectorPath"])}
		}
		columns, _ := said["additionalPrinterColumns"].([]any)
		for _, c := range columns {
			c, _ := c.(map[string]any)
			priority, _ := c["priority"].(int64)
			r.columns = append(r.columns, column{text(c["name"]), text(c["type"]), text(c["format"]), text(c["description"]), text(c["jsonPath"]), int32(priority)})
		}
		selectable, _ := said["selectableFields"].([]any)
		for _, f := range selectable {
			f, _ := f.(map[string]any)
			r.selectable = append(r.selectable, strings.TrimPrefix(text(f["jsonPath"]), "."))
		}
		all = append(all, r)
	}
	return all
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

func texts(v any) (all []string) {
	items, _ := v.([]any)
	for _, item := range items {
		if s, ok := item.(string); ok {
			all = append(all, s)
		}
	}
	return all
}

// at returns the value at the path of field names in object, or nil if there
// is none.
func at(object map[string]any, names ...string) any {
	var v any = object
	for _, name := range names {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	return v
}

// categoriesOf returns the categories of a built-in resource. "kubectl get all" uses them.
func categoriesOf(plural string) []string {
	switch plural {
	case "pods", "services", "deployments", "replicasets", "statefulsets", "daemonsets", "jobs", "cronjobs", "replicationcontrollers", "horizontalpodautoscalers":
		return []string{"all"}
	case "customresourcedefinitions", "mutatingwebhookconfigurations", "validatingwebhookconfigurations", "validatingadmissionpolicies":
		return []string{"api-extensions"}
	}
	return nil
}

// describe returns the name of an object for messages.
func (r *resource) describe(object map[string]any) string {
	return cmp.Or(document.MetaString(object, "name"), document.MetaString(object, "generateName"))
}
