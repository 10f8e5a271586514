// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package prediction

import (
	"maps"
	"sync"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// Others is a function that lists the input objects of a kind. It is safe for concurrent use.
type Others func(group, kind string) []map[string]any

// byKind returns an Others for the objects in several lists. It reads the objects of a kind when
// they are first requested. If the same object is in several lists, byKind uses the first one, so
// the live objects must be the first list. A Namespace also gets the labels from later lists,
// because an apply adds them.
func byKind(lists ...[]*input.Ref) Others {
	return readOnce(func(group, kind string) (all []map[string]any) {
		seen := map[manifest.Identity]int{} // index in all
		for _, list := range lists {
			for _, x := range list {
				id := x.Identity()
				if id.Kind != kind || id.Name == "" || unstructured.GroupOf(id.APIVersion) != group {
					continue
				}
				id.APIVersion = group
				before, known := seen[id]
				if known && kind != "Namespace" {
					continue
				}
				object, err := x.Object()
				if err != nil {
					continue // the file has changed, and another check reports this
				}
				if known {
					all[before] = withLabels(all[before], object.Content)
					continue
				}
				seen[id] = len(all)
				all = append(all, object.Content)
			}
		}
		return all
	})
}

// readOnce returns an Others that calls read only once for each kind.
func readOnce(read Others) Others {
	type key struct{ group, kind string }
	var mu sync.Mutex
	done := map[key][]map[string]any{}
	return func(group, kind string) []map[string]any {
		mu.Lock()
		defer mu.Unlock()
		k := key{group, kind}
		all, ok := done[k]
		if !ok {
			all = read(group, kind)
			done[k] = all
		}
		return all
	}
}

// withLabels returns a copy of object with the additional labels of other. A label in other
// replaces the same label in object.
func withLabels(object, other map[string]any) map[string]any {
	object, metadata := document.WithMetadata(object)
	labels := map[string]any{}
	for _, from := range []map[string]any{object, other} {
		more, _ := document.Metadata(from)["labels"].(map[string]any)
		maps.Copy(labels, more)
	}
	if metadata["labels"] = labels; len(labels) == 0 {
		delete(metadata, "labels")
	}
	return object
}

// othersIn returns an Others that lists the objects of a set.
func othersIn(set *input.Set) Others {
	return readOnce(func(group, kind string) (all []map[string]any) {
		ofKind := func(o *manifest.Object) bool {
			id := o.Identity()
			return id.Kind == kind && unstructured.GroupOf(id.APIVersion) == group
		}
		for o := range set.Containing(kind, ofKind) {
			all = append(all, o.Content)
		}
		return all
	})
}
