// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package unstructured

import (
	"slices"
	"strings"
)

// Text returns the named string field of object. It returns "" if the field is missing or is
// not a string.
func Text(object map[string]any, field string) string {
	s, _ := object[field].(string)
	return s
}

// Shallow returns a shallow copy of m. The copy of nil is an empty map.
func Shallow(m map[string]any) map[string]any {
	out := make(map[string]any, len(m))
	for k, v := range m {
		out[k] = v
	}
	return out
}

// SortedKeys returns the sorted keys of m.
func SortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// WithoutManagedFields returns object without managed fields. The result is a shallow copy, or
// object itself if it has no managed fields.
func WithoutManagedFields(object map[string]any) map[string]any {
	metadata, ok := object["metadata"].(map[string]any)
	if !ok {
		return object
	}
	if _, ok := metadata["managedFields"]; !ok {
		return object
	}
	object, metadata = Shallow(object), Shallow(metadata)
	delete(metadata, "managedFields")
	object["metadata"] = metadata
	return object
}

// GroupOf returns the group of an API version, or "" for the core group.
func GroupOf(apiVersion string) string {
	group, _, grouped := strings.Cut(apiVersion, "/")
	if !grouped {
		return ""
	}
	return group
}

// SelectsResource reports whether a name that a user has written selects a resource. names holds
// all names of the resource: plural, singular, kind and short names. As in kubectl, the user's
// name can also contain the group and the version: deploy, deployments.apps or
// deployments.v1.apps.
func SelectsResource(written string, names []string, apiVersion string) bool {
	short, rest, qualified := strings.Cut(strings.ToLower(written), ".")
	if short == "" || !slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, short) }) {
		return false
	}
	group := GroupOf(apiVersion)
	version, of, _ := strings.Cut(rest, ".")
	return !qualified || rest == "" || rest == group || of == group && version == apiVersion[strings.LastIndexByte(apiVersion, '/')+1:]
}
