// Code generated from engine/upstream by go generate; DO NOT EDIT.

// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package upstream7

import (
	"iter"

	"sigs.k8s.io/structured-merge-diff/v7/fieldpath"
)

// What structured-merge-diff v4 does not have.

func copyElement(pe fieldpath.PathElement) fieldpath.PathElement { return pe.Copy() }

func copySet(s *fieldpath.Set) *fieldpath.Set { return s.Copy() }

func all(s *fieldpath.Set) iter.Seq[fieldpath.Path] { return s.All() }
