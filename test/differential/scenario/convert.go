// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/test/differential/tree"
)

// Convert converts an object from one version to another. All maps and lists of the result are
// new.
func Convert(v any, from, to *Version) any {
	v = tree.Copy(v)
	switch t := v.(type) {
	case map[string]any:
		return convertMap(t, from, to)
	case map[any]any:
		out := map[any]any{}
		names := map[string]any{}
		for k, item := range t {
			if name, ok := k.(string); ok {
				names[name] = item
			} else {
				out[k] = item
			}
		}
		for k, item := range convertMap(names, from, to) {
			out[k] = item
		}
		return out
	}
	return v
}

func convertMap(m map[string]any, from, to *Version) map[string]any {
	out := make(map[string]any, len(m))
	// Sort the keys, so that the result does not depend on Go's map order if two names become
	// equal.
	for _, k := range tree.Keys(m) {
		if name, ok := convertName(k, from, to); ok {
			out[name] = m[k]
		}
	}
	return out
}

func convertName(name string, from, to *Version) (string, bool) {
	for common, own := range from.Rename {
		if own == name {
			name = common
			break
		}
	}
	if slices.Contains(to.Drop, name) {
		return "", false
	}
	if own, ok := to.Rename[name]; ok {
		name = own
	}
	return name, true
}
