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
//
// # Readers and writers
//
// FieldsV1 is a JSON object for each level of a set, whose keys are path elements
// (f:name, k:{"name":"a"}, v:"a", i:0) and ".". Each text has one writer, and two
// readers: a fast one for what writers write, and a patient one for the rest.
//
//	what                   written by            read by
//	a document             Set.ToJSON            Set.FromJSON: decoder (decode.go), or else replay
//	the key of an element  SerializePathElement  DeserializePathElement: content (json.go), or else replay
//	a path for people      Path.String           ParsePath (parse.go)
//
// The fast readers take JSON without liberties and say no to anything else. The
// patient one, replay, reads as json-iterator does, on which structured-merge-diff
// stands: with the same liberties, error texts, and sets after an error. It shares
// no code with the fast ones, and tests compare the two.
//
// Managed fields in their stored form are maps that another decoder has made of
// the document. The package that holds them reads and writes those without going
// through their text, and leaves to the functions above each key that is not in
// the form in which it is nearly always written.
package fieldpath
