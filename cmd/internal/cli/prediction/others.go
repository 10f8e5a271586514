// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package prediction

import (
	"sync"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// byKind returns a function that finds all given objects of a kind. If several lists contain an
// object, it uses the first list. So pass live objects before objects to apply. It reads the
// objects of a kind when the kind is first requested. The function is safe for concurrent use.
func byKind(lists ...[]*input.Ref) func(group, kind string) []map[string]any {
	type key struct{ group, kind string }
	var mu sync.Mutex
	read := map[key][]map[string]any{}
	return func(group, kind string) []map[string]any {
		mu.Lock()
		defer mu.Unlock()
		k := key{group, kind}
		if all, ok := read[k]; ok {
			return all
		}
		var all []map[string]any
		seen := map[manifest.Identity]bool{}
		for _, list := range lists {
			for _, x := range list {
				id := x.Identity()
				if id.Kind != kind || id.Name == "" || unstructured.GroupOf(id.APIVersion) != group {
					continue
				}
				if id.APIVersion = group; seen[id] {
					continue
				}
				seen[id] = true
				if object, err := x.Object(); err == nil { // a file that has changed since is an error elsewhere
					all = append(all, object.Content)
				}
			}
		}
		read[k] = all
		return all
	}
}
