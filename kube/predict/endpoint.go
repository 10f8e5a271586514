// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/httpstatus"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
)

// checkSubresource returns a server's error if the kind of an object lacks a subresource. It returns
// nil if the subresources of the kind are not known.
func (s *Server) checkSubresource(object map[string]any, subresource string) error {
	if subresource == "" || s.Kind == nil {
		return nil
	}
	apiVersion, kind := document.TypeOf(object)
	k, _ := s.Kind(apiVersion, kind)
	if k.Resource == "" || slices.Contains(k.Subresources, subresource) {
		return nil
	}
	other := "send the request to the object itself"
	if len(k.Subresources) > 0 {
		other = "the subresources of this kind are " + strings.Join(k.Subresources, ", ")
	}
	return &fieldmanager.RequestError{Status: httpstatus.NotFound, Message: fmt.Sprintf(
		"the server could not find the requested resource: %s %s has no subresource %q; %s", apiVersion, kind, subresource, other)}
}

// resetFields returns the fields that the endpoint of a request does not store, as a value
// for fieldmanager.Options.ResetFields. If status is a subresource, the main endpoint does
// not store status, and the status endpoint stores nothing else. For built-in kinds, the
// strategy of the kind decides which fields are stored. The result is nil if all fields are
// stored, or if the kind is not known.
//
// For built-in kinds, servers reset the fields in all versions. For custom resources, servers
// reset them only in the version of the request. Since Kubernetes 1.35, a request to the
// subresource status of a custom resource also resets them in all versions.
func (s *Server) resetFields(r *Request, t typed.ParseableType) map[fieldpath.APIVersion]*fieldpath.Set {
	apiVersion, kind := document.TypeOf(r.Object)
	set := s.resetSet(apiVersion, kind, r.Subresource, t)
	if set == nil {
		return nil
	}
	all := map[fieldpath.APIVersion]*fieldpath.Set{fieldpath.APIVersion(apiVersion): set}
	k, _ := s.Kind(apiVersion, kind)
	allVersions := r.Subresource == "status" && (s.Release == nil || minor(s.Release.Version()) >= 35)
	if allVersions || openapi.IsKubernetes(k.Type) {
		for _, version := range ownedVersions(r.Live, apiVersion) {
			all[version] = set
		}
	}
	return all
}

// ownedVersions returns the versions in live's managed fields that have the same group as
// apiVersion.
func ownedVersions(live map[string]any, apiVersion string) (versions []fieldpath.APIVersion) {
	entries, _ := document.Metadata(live)["managedFields"].([]any)
	for _, e := range entries {
		entry, _ := e.(map[string]any)
		version, _ := entry["apiVersion"].(string)
		if groupOf(version) == groupOf(apiVersion) {
			versions = append(versions, fieldpath.APIVersion(version))
		}
	}
	return versions
}

// resetSet returns the fields of one API version that an endpoint does not store.
func (s *Server) resetSet(apiVersion, kind, subresource string, t typed.ParseableType) *fieldpath.Set {
	if s.Kind == nil {
		return nil
	}
	k, _ := s.Kind(apiVersion, kind)
	set := fieldpath.NewSet()
	switch {
	case subresource == "" && slices.Contains(k.Subresources, "status"):
		set.Insert(fieldpath.MakePathOrDie("status"))
	case subresource == "status" && s.Release != nil && openapi.IsKubernetes(k.Type):
		set.Insert(fieldpath.MakePathOrDie("spec"))
		for _, path := range metadataKept[groupKind(apiVersion, kind)] {
			set.Insert(path)
		}
	case subresource == "status":
		atom, ok := t.Schema.Resolve(t.TypeRef)
		if !ok || atom.Map == nil {
			return nil
		}
		for i := range atom.Map.Fields {
			switch name := atom.Map.Fields[i].Name; name {
			case "apiVersion", "kind", "status":
			default:
				set.Insert(fieldpath.MakePathOrDie(name))
			}
		}
	default:
		return nil
	}
	return set
}

// metadataKept maps kinds to the metadata paths that requests to status do not change. For
// most built-in kinds, such requests change all metadata.
var metadataKept = func() map[string][]fieldpath.Path {
	all := map[string][]fieldpath.Path{
		"Deployment.apps": {fieldpath.MakePathOrDie("metadata", "labels")},
		"Pod":             {fieldpath.MakePathOrDie("metadata", "ownerReferences")},
	}
	for kind := range strings.FieldsSeq(`APIService.apiregistration.k8s.io
		CompositePodGroup.scheduling.k8s.io CSINode.storage.k8s.io DeviceTaintRule.resource.k8s.io
		Eviction.lifecycle.k8s.io EvictionRequest.lifecycle.k8s.io FlowSchema.flowcontrol.apiserver.k8s.io
		PodCertificateRequest.certificates.k8s.io PodGroup.scheduling.k8s.io
		PriorityLevelConfiguration.flowcontrol.apiserver.k8s.io ResourceClaim.resource.k8s.io
		ResourcePoolStatusRequest.resource.k8s.io ServiceCIDR.networking.k8s.io
		StorageVersion.internal.apiserver.k8s.io StorageVersionMigration.storagemigration.k8s.io
		ValidatingAdmissionPolicy.admissionregistration.k8s.io VolumeAttachment.storage.k8s.io`) {
		all[kind] = []fieldpath.Path{fieldpath.MakePathOrDie("metadata")}
	}
	return all
}()

// warnReset warns about fields of the request that its endpoint does not store. It does not warn about
// values that are the same as in the live object, because clients often send back a whole object that
// they have read.
func (p *PreparedRequest) warnReset(reset map[fieldpath.APIVersion]*fieldpath.Set) {
	if p.keepsStatus() {
		return
	}
	subresource, sent := p.request.Subresource, p.request.Object
	apiVersion, _ := document.TypeOf(sent)
	set := reset[fieldpath.APIVersion(apiVersion)]
	if set == nil {
		return
	}
	warn := func(path, name string, sent, live map[string]any) {
		v := sent[name]
		switch {
		case v == nil || document.IsZero(v) || document.Equal(v, live[name]):
		case subresource == "":
			p.warn(path+name, "ignored: only requests to the subresource "+name+" can write this field")
		default:
			p.warn(path+name, "ignored: requests to the subresource "+subresource+" cannot write this field")
		}
	}
	for _, name := range []string{"annotations", "finalizers", "labels", "ownerReferences"} {
		if path := fieldpath.MakePathOrDie("metadata", name); set.Has(path) || set.Has(path[:1]) {
			warn(".metadata.", name, document.Metadata(sent), document.Metadata(p.Live))
		}
	}
	for e := range set.Members.All() {
		if name := *e.FieldName; name != "metadata" { // the first step of these paths is always a field name
			warn(".", name, sent, p.Live)
		}
	}
}

// builtin reports whether a kind is built into Kubernetes.
func (s *Server) builtin(apiVersion, kind string) bool {
	if s.Kind == nil {
		return false
	}
	k, ok := s.Kind(apiVersion, kind)
	return ok && k.Source == ""
}

// empty returns a function for fieldmanager.Options.Empty, which creates empty objects of a
// built-in kind. For other kinds, this function returns nil. t is the type of the objects.
func (s *Server) empty(t typed.ParseableType) func(apiVersion, kind string) map[string]any {
	return func(apiVersion, kind string) map[string]any {
		if !s.builtin(apiVersion, kind) {
			return nil
		}
		object := s.emptyGo(apiVersion, kind)
		if object == nil {
			object = alwaysWritten(t, t.TypeRef)
			object["apiVersion"], object["kind"] = apiVersion, kind
		}
		if phase := phases[kindOf(object)]; phase != "" {
			object["status"] = map[string]any{"phase": phase}
		}
		return object
	}
}

// alwaysWritten returns the fields of a built-in type that Go's encoder always writes, because they
// are structs. In OpenAPI, these fields have the default {}. When an apply creates an object, the
// API server starts with these fields.
func alwaysWritten(t typed.ParseableType, ref schema.TypeRef) map[string]any {
	object := map[string]any{}
	atom, ok := t.Schema.Resolve(ref)
	if !ok || atom.Map == nil {
		return object
	}
	for i := range atom.Map.Fields {
		f := &atom.Map.Fields[i]
		if d, ok := f.Default.(map[string]any); ok && len(d) == 0 {
			object[f.Name] = alwaysWritten(t, f.Type)
		}
	}
	return object
}
