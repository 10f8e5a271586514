// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict

import (
	"fmt"
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/kube/internal/validation"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/managedfields"
)

// systemMetadata restores the metadata that only an API server writes, such as creationTimestamp.
// These fields keep their live values, even if the request contains different values. A new object has
// none of these fields. The server rejects some values instead of replacing them; systemMetadata keeps
// these values, and CheckMetadata of package validation reports them. systemMetadata also removes empty
// metadata fields.
//
// If object lacks the namespace, the uid or the resourceVersion, or has an empty one, it gets the live
// value. whole is true for an update. If nothing changes, the result is object itself.
func systemMetadata(object, live map[string]any, whole bool) map[string]any {
	metadata, ok := object["metadata"].(map[string]any)
	if !ok {
		return object
	}
	was := document.Metadata(live)
	after := document.Shallow(metadata)
	for _, field := range systemFields {
		switch v := was[field]; {
		case field == "deletionGracePeriodSeconds" && metadata[field] != nil && live != nil:
			// A server restores only an absent grace period, and rejects a different one.
		case v != nil:
			after[field] = v
		case live == nil, metadata[field] == nil, field == "generation", field == "selfLink":
			delete(after, field)
		}
	}
	switch {
	case live == nil && whole:
		delete(after, "uid")
	case live == nil:
		delete(after, "resourceVersion")
	}
	for _, field := range []string{"namespace", "uid", "resourceVersion"} {
		if v := metadata[field]; v != nil && v != "" {
			continue
		}
		if delete(after, field); was[field] != nil {
			after[field] = was[field]
		}
	}
	for _, field := range emptied {
		if v, there := after[field]; there && (v == nil || document.IsZero(v)) {
			delete(after, field)
		}
	}
	if len(after) == len(metadata) && document.Equal(after, metadata) {
		return object
	}
	object = document.Shallow(object)
	object["metadata"] = after
	return object
}

// withoutRepeatedOwners returns an object without the owner references that equal an earlier one.
// uids lists the uid of each removed reference.
func withoutRepeatedOwners(object map[string]any) (_ map[string]any, uids []string) {
	owners, _ := document.Metadata(object)["ownerReferences"].([]any)
	var kept []any
	seen := map[ownerFields]bool{}
	for _, owner := range owners {
		if fields, ok := fieldsOfOwner(owner); ok {
			if seen[fields] {
				uid, _ := owner.(map[string]any)["uid"].(string)
				uids = append(uids, uid)
				continue
			}
			seen[fields] = true
		}
		kept = append(kept, owner)
	}
	if len(uids) == 0 {
		return object, nil
	}
	object, metadata := document.WithMetadata(object)
	metadata["ownerReferences"] = kept
	return object, uids
}

// ownerFields contains the values of all fields of an owner reference.
type ownerFields [6]any

// fieldsOfOwner returns the fields of an owner reference. ok is false if owner is not a map, or if one
// of these fields is not a scalar.
func fieldsOfOwner(owner any) (fields ownerFields, ok bool) {
	m, ok := owner.(map[string]any)
	for i, name := range []string{"uid", "apiVersion", "kind", "name", "controller", "blockOwnerDeletion"} {
		fields[i] = m[name]
		ok = ok && data.IsScalar(m[name])
	}
	return fields, ok
}

// emptied lists the metadata fields that a server does not store if they are empty.
var emptied = []string{"annotations", "labels", "finalizers", "ownerReferences"}

// systemFields lists metadata fields that no request can change. The server ignores or rejects other
// values.
var systemFields = []string{"creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "selfLink"}

// warnSystemMetadata warns about metadata in the request that only an API server writes,
// if it differs from the server's values.
func (p *PreparedRequest) warnSystemMetadata() {
	sent := document.Metadata(p.Object)
	stored := document.Metadata(systemMetadata(p.Object, p.Live, false))
	for _, field := range systemFields {
		if v := sent[field]; v != nil && !document.Equal(v, stored[field]) {
			p.warn(".metadata."+field, "ignored: only the API server writes this field")
		}
	}
}

// removeRepeatedOwners removes repeated owner references from the object of a request, with a warning.
func (p *PreparedRequest) removeRepeatedOwners() {
	var uids []string
	p.Object, uids = withoutRepeatedOwners(p.Object)
	p.sentOwners = repeatedOwnersWarning(uids, "")
}

// repeatedOwnersWarning returns the server's warning about repeated owner references, or nil if there
// are none. The argument "when" contains the server's words for references that mutating policies have
// added. It is empty for other references.
func repeatedOwnersWarning(uids []string, when string) []string {
	if len(uids) == 0 {
		return nil
	}
	return []string{".metadata.ownerReferences contains duplicate entries" + when + "; API server dedups owner references in 1.20+, " +
		"and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: " + strings.Join(uids, ", ")}
}

// needResourceVersion lists the built-in kinds whose objects cannot be updated without a
// resourceVersion, each with the first minor release of Kubernetes for which that is true. If an update
// of another kind has no resourceVersion, a server uses the resourceVersion of the live object.
var needResourceVersion = map[string]int{
	"APIService.apiregistration.k8s.io":                             0,
	"CSIDriver.storage.k8s.io":                                      0,
	"CSINode.storage.k8s.io":                                        0,
	"CSIStorageCapacity.storage.k8s.io":                             0,
	"ClusterTrustBundle.certificates.k8s.io":                        0,
	"CompositePodGroup.scheduling.k8s.io":                           37,
	"CustomResourceDefinition.apiextensions.k8s.io":                 0,
	"DeviceTaintRule.resource.k8s.io":                               37,
	"Eviction.lifecycle.k8s.io":                                     37,
	"EvictionRequest.lifecycle.k8s.io":                              37,
	"Lease.coordination.k8s.io":                                     0,
	"LeaseCandidate.coordination.k8s.io":                            0,
	"MutatingAdmissionPolicy.admissionregistration.k8s.io":          0,
	"MutatingAdmissionPolicyBinding.admissionregistration.k8s.io":   0,
	"MutatingWebhookConfiguration.admissionregistration.k8s.io":     0,
	"PodCertificateRequest.certificates.k8s.io":                     0,
	"PodDisruptionBudget.policy":                                    0,
	"PodGroup.scheduling.k8s.io":                                    37,
	"ResourcePoolStatusRequest.resource.k8s.io":                     0,
	"RuntimeClass.node.k8s.io":                                      0,
	"StorageVersion.internal.apiserver.k8s.io":                      0,
	"StorageVersionMigration.storagemigration.k8s.io":               0,
	"ValidatingAdmissionPolicy.admissionregistration.k8s.io":        0,
	"ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io": 0,
	"ValidatingWebhookConfiguration.admissionregistration.k8s.io":   0,
	"VolumeAttachment.storage.k8s.io":                               0,
	"Workload.scheduling.k8s.io":                                    37,
}

// NeedsResourceVersion reports whether a server rejects an update of an object of this kind if the
// result of the update has no resourceVersion. That is true for custom resources, and for some
// built-in kinds.
func (s *Server) NeedsResourceVersion(apiVersion, kind string) bool {
	object := map[string]any{"apiVersion": apiVersion, "kind": kind}
	if _, custom := s.custom(object); custom {
		return true
	}
	if kind == "DeviceTaintRule" && (apiVersion == "resource.k8s.io/v1alpha3" || apiVersion == "resource.k8s.io/v1beta2") {
		return false // requests in the old versions of this kind need no resourceVersion
	}
	since, listed := needResourceVersion[groupKind(apiVersion, kind)]
	return listed && s.predicts(object) && minor(s.Release.Version()) >= since
}

// checkRevision returns an *InvalidError if an apply sets an empty resourceVersion, and the server
// rejects that. The argument is the merged object. checkRevision accepts an update without a
// resourceVersion, because clients such as "kubectl replace" add the live resourceVersion.
func (p *PreparedRequest) checkRevision(object map[string]any) error {
	sent, there := document.Metadata(p.Object)["resourceVersion"]
	if !there || sent != nil && sent != "" || p.Live == nil || !p.request.Verb.IsApply() || !p.server.NeedsResourceVersion(document.TypeOf(object)) {
		return nil
	}
	causes := []Cause{{Type: validation.Invalid, Field: "metadata.resourceVersion", Message: "Invalid value: 0: must be specified for an update"}}
	k, _ := p.server.Kind(document.TypeOf(object))
	if k.Resource == "" {
		return NewInvalidError(object, causes)
	}
	err := newInvalidError(object, k.Resource, causes)
	err.Resource = k.Resource
	return err
}

// deletes reports whether the server deletes the live object instead of storing the object of a
// result. It does so if the live object is being deleted without a grace period, and the new object
// has no finalizers.
func (p *PreparedRequest) deletes(object map[string]any) bool {
	was := document.Metadata(p.Live)
	if was["deletionTimestamp"] == nil || hasItems(document.Metadata(object)["finalizers"]) {
		return false
	}
	if grace, there := document.Integer(was["deletionGracePeriodSeconds"]); there && grace != 0 {
		return false
	}
	return kindOf(object) != "Namespace" || !hasItems(specOf(object)["finalizers"])
}

func hasItems(v any) bool {
	items, _ := v.([]any)
	return len(items) > 0
}

func (p *PreparedRequest) warn(path, message string) {
	p.Warnings = append(p.Warnings, managedfields.Warning{Path: path, Message: message})
}

// RemoveNamespace removes the namespace of a cluster-scoped object, as a server does, and
// returns a warning. Any other object is returned unchanged, with a nil warning.
func (s *Server) RemoveNamespace(object map[string]any) (map[string]any, *managedfields.Warning) {
	if _, there := document.Metadata(object)["namespace"]; !there || s.Kind == nil {
		return object, nil
	}
	apiVersion, kind := document.TypeOf(object)
	if k, _ := s.Kind(apiVersion, kind); k.Scope != openapi.ClusterWide {
		return object, nil
	}
	object, metadata := document.WithMetadata(object)
	delete(metadata, "namespace")
	return object, &managedfields.Warning{Path: ".metadata.namespace", Message: fmt.Sprintf("removed: objects of kind %s have no namespace", kind)}
}
