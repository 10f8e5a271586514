// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package builtin compares defaults of built-in types with Kubernetes' own functions, in
// its scheme, of one release: that of go.mod, or of another file with -modfile.
//
// What package defaults fills into random objects is what these functions do. The
// objects are as clients send them, of all kinds in all versions: with absent fields,
// null, zero values, and values of which defaulting takes notice. And of what the types'
// schemas declare, an object that Kubernetes has defaulted has nothing left to default,
// but for zero values, which Go leaves out.
//
//	GOWORK=off go test . -n 200000 -seed 1
//	GOWORK=off go test . -objects 200
//
// Which statements of the functions the objects reach is told by
//
//	GOWORK=off go test . -run TestFilled -n 200000 -coverprofile c.out \
//	    -coverpkg 'k8s.io/kubernetes/pkg/apis/...,k8s.io/apiextensions-apiserver/pkg/apis/...'
//	go tool cover -func c.out | grep '/defaults.go.*SetDefaults'
//
// Command gendefaults writes the tables of package defaults; generate.sh runs it for all
// releases.
package builtin
