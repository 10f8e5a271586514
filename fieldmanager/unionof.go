// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import "github.com/dovetail-ssa/dovetail/fieldpath"

// unionOf is the union of many sets. They are joined in pairs, then the pairs, and so
// on: adding one after the other to a union copies that each time.
func unionOf(sets []*fieldpath.Set) *fieldpath.Set {
	switch len(sets) {
	case 0:
		return fieldpath.NewSet()
	case 1:
		return sets[0]
	}
	half := len(sets) / 2
	return unionOf(sets[:half]).Union(unionOf(sets[half:]))
}
