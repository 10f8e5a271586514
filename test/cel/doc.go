// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package cel compares markers of immutability with the CEL rules that package kube/crd
// generates from them. An API server checks updates with the rules, and the merge engine checks
// them with the markers. The API servers are separate programs (see judge), so one test covers
// several releases.
//
//	go test . -crds 1500 -pairs 60 -seed 1
package cel
