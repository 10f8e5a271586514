// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"strings"
	"sync"

	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// atHand finds the objects of a kind among all that were given. Of an object that is in several
// lists the first counts, so the live one goes before the one that is applied.
func atHand(lists ...[]*manifest.Object) func(group, kind string) []map[string]any {
	type key struct{ group, kind string }
	read := sync.OnceValue(func() map[key][]map[string]any {
		all, seen := map[key][]map[string]any{}, map[manifest.Identity]bool{}
		for _, list := range lists {
			for _, object := range list {
				id := object.Identity()
				group, _, named := strings.Cut(id.APIVersion, "/")
				if !named {
					group = ""
				}
				one := id
				if one.APIVersion = group; one.Name == "" || seen[one] {
					continue
				}
				seen[one] = true
				all[key{group, id.Kind}] = append(all[key{group, id.Kind}], object.Content)
			}
		}
		return all
	})
	return func(group, kind string) []map[string]any { return read()[key{group, kind}] }
}
