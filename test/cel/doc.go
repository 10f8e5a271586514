// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package cel compares the rules that package kube/crd makes of markers of
// immutability with the markers: an API server judges updates by the rules, the
// merge engine by the markers. The API servers are programs of their own, see
// judge, so that one test has several releases.
//
//	go test . -crds 1500 -pairs 60 -seed 1
package cel
