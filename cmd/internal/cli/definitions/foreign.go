// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package definitions

import (
	"maps"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// foreignObjects are objects that two releases of Kubernetes say nothing of: those of groups
// that are none of Kubernetes, and that no CRD defines.
type foreignObjects struct {
	groups map[string]bool // of the old release and CRDs
	kinds  map[string]int  // how many objects there are
}

// has says whether an object is one of them, and remembers it.
func (f *foreignObjects) has(old, now *sources.Types, id manifest.Identity) bool {
	if f.groups == nil {
		f.groups, f.kinds = map[string]bool{}, map[string]int{}
		for _, k := range old.Catalog.Kinds() {
			if now.Definitions != nil || old.FromCRD(k) || openapi.IsKubernetes(k.Type) {
				f.groups[unstructured.GroupOf(k.APIVersion)] = true
			}
		}
	}
	if f.groups[unstructured.GroupOf(id.APIVersion)] {
		return false
	}
	f.kinds[id.APIVersion+" "+id.Kind]++
	return true
}

// note says what was passed over.
func (f *foreignObjects) note(r *command.Run) {
	if len(f.kinds) == 0 {
		return
	}
	count := 0
	for _, n := range f.kinds {
		count += n
	}
	r.Notef("passed over %s of groups that are none of Kubernetes, whose CRDs are not given with --old-crd and --new-crd: %s",
		words.Count(count, "object"), words.Visible(strings.Join(slices.Sorted(maps.Keys(f.kinds)), ", ")))
}
