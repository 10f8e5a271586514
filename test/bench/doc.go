// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package bench measures server-side apply with the schemas of Kubernetes. It calls only the
// public API of structured-merge-diff v6, so another engine can replace that module. The
// command test/cmd/benchcmp runs it with structured-merge-diff and with Dovetail's drop-in.
//
// The names of benchmarks are SSA/<group>/<operation>/<workload> and
// Fresh/<group>/<operation>/<workload>. Fresh decodes new inputs for each run, as a server
// does for each request. SSA uses the same inputs in each run, so they stay in the processor's
// caches. Therefore the ratio of the two engines' CPU times is larger for SSA than for Fresh.
// The groups are:
//
//	a  validation
//	b  field set of an object
//	c  merge
//	d  comparison
//	e  Updater.Apply of an unchanged config
//	f  Updater.Apply that changes one field, or creates the object
//	g  Updater.Apply that gives up a field
//	h  Updater.Update
//	i  FieldsV1 encoding and decoding
//	j  operations on sets, such as the union, and on the objects that they belong to
//	k  the complete FieldManager of apimachinery
//	r  groups a to h, with a Go struct as the live object
//
// Package test/scale measures how the cost of an operation grows with the size of the object.
//
// The benchmarks FirstUse/<schemas>/<way> start with unprepared schemas. They measure the time
// until one object of each kind is validated.
//
// TestResults prints a digest of the results of each operation. It runs each operation twice
// on the same inputs, to detect an engine that modifies its inputs. Both engines must have the
// same digests.
package bench
