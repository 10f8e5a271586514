// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"github.com/dovetail-ssa/dovetail/internal/clientside"
	"github.com/dovetail-ssa/dovetail/merge"
)

// LastAppliedAnnotation is the annotation with the object that kubectl's client-side apply
// last applied.
const LastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration"

// withoutLastApplied removes a conflict if client-side apply last set the field to its live
// value, because kubectl itself set this value. ok is false if there is no valid
// annotation.
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
