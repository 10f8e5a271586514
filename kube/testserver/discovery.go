// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver

import (
	"mime"
	"net/http"
	"strings"

	discovery "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var (
	objectVerbs = []string{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}
	// Namespaces cannot be deleted with deletecollection. These are their verbs.
	namespaceVerbs = []string{"create", "delete", "get", "list", "patch", "update", "watch"}
	partVerbs      = []string{"get", "patch", "update"}
	// Only Namespaces have the subresource finalize. These are its verbs.
	finalizeVerbs = []string{"update"}
)

// verbsOf returns the verbs of a resource, but not the verbs of its subresources.
func verbsOf(r *resource) []string {
	if r.isNamespace() {
		return namespaceVerbs
	}
	return objectVerbs
}

// aggregated is the media type for aggregated discovery.
const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

// serveDiscovery serves the discovery paths: api, apis, api/VERSION, apis/GROUP and
// apis/GROUP/VERSION.
func (s *Server) serveDiscovery(w http.ResponseWriter, r *http.Request, parts []string) error {
	known := s.resources()
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return notAllowed(r)
	}
	switch {
	case len(parts) == 1 && wantsAggregated(r):
		w.Header().Set("Content-Type", aggregated)
		writeJSON(w, http.StatusOK, aggregate(known, parts[0] == "api"))
	case len(parts) == 1 && parts[0] == "api":
		writeJSON(w, http.StatusOK, &metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"}, ServerAddressByClientCIDRs: []metav1.ServerAddressByClientCIDR{}})
	case len(parts) == 1:
		list := &metav1.APIGroupList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "APIGroupList"}, Groups: []metav1.APIGroup{}}
		for _, group := range known.groups() {
			if group != "" {
				list.Groups = append(list.Groups, groupOf(known, group))
			}
		}
		writeJSON(w, http.StatusOK, list)
	case len(parts) == 2 && parts[0] == "apis":
		if len(known.versions(parts[1])) == 0 || parts[1] == "" {
			return s.serveNotFound(w, r, parts)
		}
		group := groupOf(known, parts[1])
		group.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "APIGroup"}
		writeJSON(w, http.StatusOK, group)
	default:
		group, version := "", parts[len(parts)-1]
		if parts[0] == "apis" {
			if group = parts[1]; group == "" {
				return s.serveNotFound(w, r, parts)
			}
		}
		all := known.inGroupVersion(group, version)
		if len(all) == 0 {
			return s.serveNotFound(w, r, parts)
		}
		writeJSON(w, http.StatusOK, listOf(all))
	}
	return nil
}

// wantsAggregated reports whether a client accepts aggregated discovery.
func wantsAggregated(r *http.Request) bool {
	for one := range strings.SplitSeq(r.Header.Get("Accept"), ",") {
		_, parameters, err := mime.ParseMediaType(one)
		if err == nil && parameters["as"] == "APIGroupDiscoveryList" && parameters["v"] == "v2" {
			return true
		}
	}
	return false
}

func groupOf(known *resources, name string) metav1.APIGroup {
	group := metav1.APIGroup{Name: name}
	for _, version := range known.versions(name) {
		group.Versions = append(group.Versions, metav1.GroupVersionForDiscovery{GroupVersion: name + "/" + version, Version: version})
	}
	group.PreferredVersion = group.Versions[0]
	return group
}

// listOf returns the discovery list for one version of a group, given the resources of this
// version.
func listOf(all []*resource) *metav1.APIResourceList {
	list := &metav1.APIResourceList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "APIResourceList"}, GroupVersion: all[0].gvk().GroupVersion().String()}
	for _, r := range all {
		list.APIResources = append(list.APIResources, metav1.APIResource{
			Name: r.plural, SingularName: r.singular, Namespaced: r.namespaced, Kind: r.kind, Verbs: verbsOf(r), ShortNames: r.short, Categories: r.categories,
		})
		if r.status {
			list.APIResources = append(list.APIResources, metav1.APIResource{Name: r.plural + "/status", Namespaced: r.namespaced, Kind: r.kind, Verbs: partVerbs})
		}
		if r.isNamespace() {
			list.APIResources = append(list.APIResources, metav1.APIResource{Name: r.plural + "/finalize", Kind: r.kind, Verbs: finalizeVerbs})
		}
		if r.scale {
			list.APIResources = append(list.APIResources, metav1.APIResource{
				Name: r.plural + "/scale", Namespaced: r.namespaced, Group: "autoscaling", Version: "v1", Kind: "Scale", Verbs: partVerbs,
			})
		}
	}
	return list
}

// aggregate returns aggregated discovery, either for the core group or for all other
// groups.
func aggregate(known *resources, legacy bool) *discovery.APIGroupDiscoveryList {
	list := &discovery.APIGroupDiscoveryList{TypeMeta: metav1.TypeMeta{APIVersion: "apidiscovery.k8s.io/v2", Kind: "APIGroupDiscoveryList"}, Items: []discovery.APIGroupDiscovery{}}
	for _, name := range known.groups() {
		if (name == "") != legacy {
			continue
		}
		group := discovery.APIGroupDiscovery{ObjectMeta: metav1.ObjectMeta{Name: name}}
		for _, version := range known.versions(name) {
			v := discovery.APIVersionDiscovery{Version: version, Freshness: discovery.DiscoveryFreshnessCurrent}
			for _, r := range known.inGroupVersion(name, version) {
				v.Resources = append(v.Resources, aggregatedResource(r))
			}
			group.Versions = append(group.Versions, v)
		}
		list.Items = append(list.Items, group)
	}
	return list
}

func aggregatedResource(r *resource) discovery.APIResourceDiscovery {
	scope := discovery.ScopeCluster
	if r.namespaced {
		scope = discovery.ScopeNamespace
	}
	kind := &metav1.GroupVersionKind{Group: r.group, Version: r.version, Kind: r.kind}
	d := discovery.APIResourceDiscovery{
		Resource: r.plural, ResponseKind: kind, Scope: scope, SingularResource: r.singular, Verbs: verbsOf(r), ShortNames: r.short, Categories: r.categories,
	}
	if r.status {
		d.Subresources = append(d.Subresources, discovery.APISubresourceDiscovery{Subresource: "status", ResponseKind: kind, Verbs: partVerbs})
	}
	if r.isNamespace() {
		d.Subresources = append(d.Subresources, discovery.APISubresourceDiscovery{Subresource: "finalize", ResponseKind: kind, Verbs: finalizeVerbs})
	}
	if r.scale {
		d.Subresources = append(d.Subresources, discovery.APISubresourceDiscovery{
			Subresource: "scale", ResponseKind: &metav1.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"}, Verbs: partVerbs,
		})
	}
	return d
}
