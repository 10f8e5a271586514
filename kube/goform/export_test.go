// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package goform

import "slices"

// Kinds returns the known kinds in alphabetical order, such as "apps/v1 Deployment".
func (r *Release) Kinds() []string {
	var all []string
	for k := range r.table().kinds {
		all = append(all, k.apiVersion+" "+k.kind)
	}
	slices.Sort(all)
	return all
}
