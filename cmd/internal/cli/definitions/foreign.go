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

// foreignObjects counts objects that a comparison of Kubernetes releases skips, because neither
// Kubernetes nor a given CRD defines their API group.
type foreignObjects struct {
	groups map[string]bool // groups that the old release or a CRD defines
	kinds  map[string]int  // number of skipped objects by kind
}

// skip reports whether an object is foreign. It also counts the foreign objects.
func (f *foreignObjects) skip(old, now *sources.Types, id manifest.Identity) bool {
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

// note prints a note about the skipped objects.
func (f *foreignObjects) note(r *command.Run) {
	if len(f.kinds) == 0 {
		return
	}
	count := 0
	for _, n := range f.kinds {
		count += n
	}
	r.Notef("skipped %s whose API groups are not part of Kubernetes: %s; to check them, pass their CRDs with --old-crd and --new-crd",
		words.Count(count, "object"), words.Visible(strings.Join(slices.Sorted(maps.Keys(f.kinds)), ", ")))
}
