// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/managedfields"
)

// systemMetadata restores the metadata that only an API server writes, such as creationTimestamp.
// These fields keep their live values, even if the request contains different values. A new object has
// none of these fields. systemMetadata also removes empty metadata fields.
//
// whole is true for an update. If the object of an update omits the uid or the resourceVersion, the
// live value is added. If nothing changes, the result is object itself.
func systemMetadata(object, live map[string]any, whole bool) map[string]any {
	metadata, ok := object["metadata"].(map[string]any)
	if !ok {
		return object
	}
	was := document.Metadata(live)
	after := document.Shallow(metadata)
	for _, field := range systemFields {
		switch v := was[field]; {
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
	case whole:
		for _, field := range []string{"uid", "resourceVersion"} {
			if v := was[field]; v != nil && document.MetaString(object, field) == "" {
				after[field] = v
			}
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

// withoutRepeatedOwners returns an object without the owner references that equal an earlier one. uids lists the uid of each
// removed reference.
func withoutRepeatedOwners(object map[string]any) (_ map[string]any, uids []string) {
	owners, _ := document.Metadata(object)["ownerReferences"].([]any)
	var kept []any
	for _, owner := range owners {
		if slices.ContainsFunc(kept, func(other any) bool { return isSameOwner(owner, other) }) {
			uid, _ := owner.(map[string]any)["uid"].(string)
			uids = append(uids, uid)
			continue
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

// isSameOwner reports whether two owner references have the same fields.
func isSameOwner(a, b any) bool {
	first, ok := a.(map[string]any)
	second, ok2 := b.(map[string]any)
	if !ok || !ok2 {
		return false
	}
	for _, field := range []string{"uid", "apiVersion", "kind", "name", "controller", "blockOwnerDeletion"} {
		if !document.Equal(first[field], second[field]) {
			return false
		}
	}
	return true
}

// emptied lists the metadata fields that a server does not store if they are empty.
var emptied = []string{"annotations", "labels", "finalizers", "ownerReferences"}

// systemFields lists metadata fields that no request can change.
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
	if p.Object, uids = withoutRepeatedOwners(p.Object); len(uids) > 0 {
		p.metadataWarnings = append(p.metadataWarnings, ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, "+
			"and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: "+strings.Join(uids, ", "))
	}
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
