// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"github.com/dovetail-ssa/dovetail/internal/clientside"
	"github.com/dovetail-ssa/dovetail/merge"
)

// LastAppliedAnnotation is the annotation in which kubectl's client-side apply stores the
// object that it last applied.
const LastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration"

// withoutConflictsOverLastApplied removes some conflicts of an apply by kubectl, and returns the
// remaining ones. If a field still has the value that client-side apply last set, then kubectl itself
// set this value, so the field does not conflict. ok is false if the annotation of client-side apply is
// missing, or if the annotation or the live object is invalid in the version of the endpoint. A live
// object with duplicate list items counts as invalid.
func (r *request) withoutConflictsOverLastApplied(conflicts merge.Conflicts) (remaining merge.Conflicts, ok bool) {
	lastApplied, err := clientside.Fields(r.live, r.apiVersion, r.liveType)
	if err != nil {
		return nil, false
	}
	for _, c := range conflicts {
		if !lastApplied.Has(c.Path) {
			remaining = append(remaining, c)
		}
	}
	return remaining, true
}
