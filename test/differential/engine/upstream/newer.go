// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"iter"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// These functions call methods that structured-merge-diff v4 does not have.

func copyElement(pe fieldpath.PathElement) fieldpath.PathElement { return pe.Copy() }

func copySet(s *fieldpath.Set) *fieldpath.Set { return s.Copy() }

func all(s *fieldpath.Set) iter.Seq[fieldpath.Path] { return s.All() }
