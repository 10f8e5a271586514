// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package upstream4

import (
	"iter"

	"sigs.k8s.io/structured-merge-diff/v4/fieldpath"
)

// These functions replace methods of v6 that structured-merge-diff v4 does not have.

func copyElement(pe fieldpath.PathElement) fieldpath.PathElement { return pe }

func copySet(s *fieldpath.Set) *fieldpath.Set { return s.Union(fieldpath.NewSet()) }

func all(s *fieldpath.Set) iter.Seq[fieldpath.Path] {
	return func(yield func(fieldpath.Path) bool) {
		s.Iterate(func(p fieldpath.Path) { yield(p) })
	}
}
