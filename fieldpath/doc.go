// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package fieldpath names places in data: one step ([PathElement]), a way down
// from the root ([Path]), and a set of such ways ([Set]). A Set is what
// Kubernetes calls field ownership; [ManagedFields] holds one per manager, and
// [Set.FromJSON] and [Set.ToJSON] read and write the FieldsV1 format of
// metadata.managedFields.
//
// Start from Set:
//
//	owned := fieldpath.NewSet(
//		fieldpath.MakePathOrDie("spec", "replicas"),
//		fieldpath.MakePathOrDie("spec", "containers", fieldpath.KeyByFields("name", "app")),
//	)
//	owned.Has(fieldpath.MakePathOrDie("spec", "replicas")) // true
//
// # Sharing
//
// Sets are trees, and the results of set operations share unchanged subtrees
// with their operands. Insert and Descend change a set in place, so use them on
// sets you build yourself, or on a Copy. The slices inside a result are capped:
// adding an element at one level of a result never overwrites an operand's
// memory at that level. Sets also share what path elements point at, decoded ones
// among each other, too: nobody is to write to it.
//
// Any number of goroutines may read the same Set, Path or matcher. Only Insert,
// Descend and FromJSON write, and only to their receiver.
//
// # Limits
//
// The package knows nothing of what the paths point at: whether a field exists,
// and which fields are the keys of a list, is for package typed to say. It does
// not merge, compare or prune data. FieldsV1 documents nested deeper than 10,000
// objects are refused with an error.
package fieldpath
