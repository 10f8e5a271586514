// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package prediction

import (
	"sync"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// atHand finds the objects of a kind among all that were given. Of an object that is in several
// lists the first counts, so the live one goes before the one that is applied. Objects of a kind
// that nobody asks for are not read.
func atHand(lists ...[]*input.Ref) func(group, kind string) []map[string]any {
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
				if object, err := x.Object(); err == nil { // one that has changed is told of by who reads it itself
					all = append(all, object.Content)
				}
			}
		}
		read[k] = all
		return all
	}
}
