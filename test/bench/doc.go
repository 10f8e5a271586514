// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package bench measures server-side apply over real Kubernetes schemas,
// through public API only, so that the engine below can be swapped: it is
// written against structured-merge-diff v6, and test/cmd/benchcmp runs
// it over that and over Dovetail's shim.
//
// Benchmarks are named SSA/<group>/<operation>/<workload>, and Fresh/… where each run has
// inputs of its own, newly decoded, as a server's requests have; of the loop that SSA is,
// processors know the inputs by heart, and CPU ratios are larger. The groups are
//
//	a  validation
//	b  field set of an object
//	c  merge
//	d  comparison
//	e  Updater.Apply that changes nothing
//	f  Updater.Apply that changes one field, or creates
//	g  Updater.Apply that drops a field
//	h  Updater.Update
//	i  FieldsV1 encoding and decoding
//	j  set algebra, and what applies sets to objects
//	k  apimachinery's whole FieldManager
//	r  the same as a to h where the live object is a Go struct
//
// How operations grow with the object is counted by test/scale.
//
// Benchmarks FirstUse/<schemas>/<way> are what it takes to get from schemas to objects of all
// their kinds.
//
// TestResults prints a digest of what each operation returns, twice in a row on
// the same inputs: the engines must agree, and must leave their inputs alone.
package bench
