// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package generate holds what dovetail-gen makes against the documents it is made
// for, against itself, and against the generators of Kubernetes and kubebuilder.
//
//	go test .
//	go test . -run TestEquivalence -objects 100000
//	go run ./cmd/readall
//	go run ./cmd/beside
//
// The last holds it beside controller-gen on the API packages of twenty sets of published
// modules: what they are is in cmd/beside/projects.yaml, the differences with their reasons
// are in cmd/beside/differences.yaml, and RESULTS.md is its last run.
package generate

//go:generate go tool dovetail-gen --quiet --header-file=../../.ci/header.txt --openapi=false --crds=testdata --openapi-json=testdata/kep.json ./kep/...
