// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package bench measures server-side apply with real Kubernetes schemas. It uses only the
// public API of structured-merge-diff v6, so the engine can be replaced. test/cmd/benchcmp
// runs it with structured-merge-diff and with Dovetail's shim.
//
// Benchmarks are named SSA/<group>/<operation>/<workload>. Those named Fresh/… use newly
// decoded inputs for each run, like the requests of a server. SSA runs in a loop over the same
// inputs, which stay in the processor's caches, so its CPU ratios are larger. The groups are
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
//	j  set algebra, and applying sets to objects
//	k  apimachinery's whole FieldManager
//	r  like a to h, with a Go struct as the live object
//
// test/scale counts how the cost of operations grows with the object.
//
// Benchmarks FirstUse/<schemas>/<way> start with schemas, and measure the time until an object
// of each kind is valid.
//
// TestResults prints a digest of the results of each operation. It runs each operation twice
// in a row on the same inputs. The engines must agree, and must not modify their inputs.
package bench
