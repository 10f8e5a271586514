// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package generate compares the output of dovetail-gen with the examples in KEPs, and with the
// output of the generators of Kubernetes and kubebuilder. It also compares the different
// outputs of dovetail-gen with each other.
//
//	go test .
//	go test . -run TestEquivalence -objects 100000
//	go run ./cmd/readall
//	go run ./cmd/beside
//
// The command cmd/beside compares dovetail-gen with controller-gen, for the API packages of twenty
// sets of published modules. cmd/beside/projects.yaml lists the modules.
// cmd/beside/differences.yaml lists the differences with reasons. RESULTS.md is the output of
// the last run.
package generate

//go:generate go tool dovetail-gen --quiet --header-file=../../.ci/header.txt --openapi=false --root-defaults --crds=testdata --openapi-json=testdata/kep.json ./kep/...
