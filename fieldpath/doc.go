// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package fieldpath identifies fields and list items in objects. A [Path] leads from the root of an
// object to a field or an item, and consists of path elements ([PathElement]). A [Set] is a set of
// paths. Kubernetes records field ownership as one set for each manager ([ManagedFields]).
// [Set.FromJSON] and [Set.ToJSON] read and write the FieldsV1 format of metadata.managedFields.
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
// Sets are trees, and the results of set operations share unchanged subtrees with their operands.
// Insert and Descend change a set in place, including subtrees that it shares. So use them only on
// sets that you build yourself, or on a Copy. Slices in results have no spare capacity, so an
// insertion at the root of a result never overwrites memory of an operand. All sets, including
// decoded sets, share the names, keys and values that path elements point to. Nobody may change
// these.
//
// Any number of goroutines may read the same Set, Path or matcher. Only Insert, Descend and
// FromJSON write, and only to their receiver.
//
// # Limits
//
// This package does not handle objects or schemas. To check whether a field exists, or to merge,
// compare or prune data, use package typed. FromJSON returns an error for FieldsV1 documents with
// more than 10,000 nested objects.
package fieldpath
