// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package generate holds what dovetail-gen makes against the documents it is made
// for, against itself, and against the generators of Kubernetes and kubebuilder.
//
//	go test .
//	go test . -run TestEquivalence -objects 100000
//	go run ./cmd/readall
package generate

//go:generate go tool dovetail-gen --quiet --header-file=../../.ci/header.txt --crds=testdata --openapi-json=testdata/kep.json ./kep/...
//go:generate go tool dovetail-gen --quiet --header-file=../../.ci/header.txt --crds= --openapi-json= ./builtin
