// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package cel compares immutability markers with CEL rules, which package kube/crd/cel
// generates from the markers. An API server checks updates with the rules, and the merge
// engine checks the same updates with the markers. The code of each API server release is in a
// separate program (see judge), so one test covers several releases.
//
//	go test . -crds 1500 -pairs 60 -seed 1
package cel
