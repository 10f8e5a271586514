// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	kjson "sigs.k8s.io/json"
)

// encode converts a stored object to the version of the request, as a server does for its response.
// It removes values that only a real server knows, such as a new UID.
func (t *target) encode(stored runtime.Object, meta *metav1.PartialObjectMetadata, r *request) (map[string]any, error) {
	versioned, err := legacyscheme.Scheme.ConvertToVersion(stored, t.GroupVersion())
	if err != nil {
		return nil, err
	}
	legacyscheme.Scheme.Default(versioned)
	versioned.GetObjectKind().SetGroupVersionKind(t.GroupVersionKind)
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(versioned)
	if err != nil {
		return nil, err
	}
	metadata, _ := object["metadata"].(map[string]any)
	made, _ := metadata["uid"].(string)
	if meta.UID == "" {
		delete(metadata, "uid")
	}
	if delete(metadata, "resourceVersion"); meta.ResourceVersion != "" {
		metadata["resourceVersion"] = meta.ResourceVersion
	}
	if meta.CreationTimestamp.IsZero() {
		delete(metadata, "creationTimestamp")
	}
	if meta.Namespace == "" {
		delete(metadata, "namespace")
	}
	if meta.Name == "" {
		delete(metadata, "name")
	}
	if meta.UID == "" && made != "" {
		removeText(object, made)
	}
	if paths := allocated[t.GroupKind()]; paths != nil {
		var given, live map[string]any
		if err := kjson.UnmarshalCaseSensitivePreserveInts(r.Object, &given); err != nil {
			return nil, err
		}
		if r.Live != nil {
			if err := kjson.UnmarshalCaseSensitivePreserveInts(r.Live, &live); err != nil {
				return nil, err
			}
		}
		for _, path := range paths {
			known := append(valuesAt(given, path), valuesAt(live, path)...)
			if path[len(path)-1] == "clusterIPs" { // a server copies clusterIP to clusterIPs
				for _, ip := range valuesAt(given, []string{"spec", "clusterIP"}) {
					known = append(known, []any{ip})
				}
			}
			removeAt(object, path, func(v any) bool {
				return !slices.ContainsFunc(known, func(k any) bool { return equality.Semantic.DeepEqual(k, v) })
			})
		}
	}
	return object, nil
}

// allocated lists, for each kind, the fields whose values a server allocates if the client does not
// set them. The user's server would allocate other values than the engine, so encode removes them.
var allocated = map[schema.GroupKind][][]string{
	{Kind: "Service"}: {
		{"spec", "clusterIP"}, {"spec", "clusterIPs"}, {"spec", "ipFamilies"}, {"spec", "healthCheckNodePort"}, {"spec", "ports", "nodePort"},
	},
	{Group: "batch", Kind: "Job"}: {{"spec", "selector"}},
	{Group: "certificates.k8s.io", Kind: "CertificateSigningRequest"}: {
		{"spec", "username"}, {"spec", "uid"}, {"spec", "groups"}, {"spec", "extra"},
	},
}

// valuesAt returns the values at a path of field names. For each list on the path, it looks into
// all items.
func valuesAt(v any, path []string) (all []any) {
	if len(path) == 0 {
		return []any{v}
	}
	switch v := v.(type) {
	case map[string]any:
		if below, ok := v[path[0]]; ok {
			return valuesAt(below, path[1:])
		}
	case []any:
		for _, item := range v {
			all = append(all, valuesAt(item, path)...)
		}
	}
	return all
}

// removeAt removes the values at a path of field names for which the function remove returns true.
// For each list on the path, it looks into all items.
func removeAt(v any, path []string, remove func(any) bool) {
	switch v := v.(type) {
	case map[string]any:
		below, ok := v[path[0]]
		switch {
		case !ok:
		case len(path) > 1:
			removeAt(below, path[1:], remove)
		case remove(below):
			delete(v, path[0])
		}
	case []any:
		for _, item := range v {
			removeAt(item, path, remove)
		}
	}
}

// removeText removes all map entries with the given text as value. The engine uses it to remove the
// labels that contain the UID of a Job.
func removeText(v any, text string) {
	switch v := v.(type) {
	case map[string]any:
		for name, below := range v {
			if below == text {
				delete(v, name)
			} else {
				removeText(below, text)
			}
		}
	case []any:
		for _, item := range v {
			removeText(item, text)
		}
	}
}
