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

// withoutLastApplied returns the conflicts, except the conflicts over fields that still have the
// value that client-side apply last set. These fields do not conflict, because kubectl itself set
// the live value. ok is false if there is no annotation, or if the annotation or the live object is
// invalid in the version of the endpoint. A live object with duplicate list items counts as
// invalid.
func (r *request) withoutLastApplied(conflicts merge.Conflicts) (left merge.Conflicts, ok bool) {
	own, err := clientside.Fields(r.live, r.apiVersion, r.liveType)
	if err != nil {
		return nil, false
	}
	for _, c := range conflicts {
		if !own.Has(c.Path) {
			left = append(left, c)
		}
	}
	return left, true
}
