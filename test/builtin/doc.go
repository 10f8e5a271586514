// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package builtin compares defaults of built-in types with Kubernetes' own functions, in
// its scheme, of one release: that of go.mod, or of another file of test/releases. In the folder test:
//
//	GOWORK=off go test -vet=off ./builtin ./immutable -modfile=releases/1.36.mod -tags v1.36
//
// What package defaults fills into random objects is what these functions do. The
// objects are as clients send them, of all kinds in all versions: with absent fields,
// null, zero values, and values of which defaulting takes notice. And of what the types'
// schemas declare, an object that Kubernetes has defaulted has nothing left to default,
// but for zero values, which Go leaves out.
//
//	GOWORK=off go test . -random 200000 -seed 1
//	GOWORK=off go test . -objects 200
//
// Which blocks of the functions the objects do not reach is told by
//
//	GOWORK=off go test . -run TestFilled -random 200000 -coverprofile c.out \
//	    -coverpkg 'k8s.io/kubernetes/pkg/apis/...,k8s.io/apiextensions-apiserver/pkg/apis/...'
//	awk '/\/defaults[a-z_]*\.go:/ {n[$1] += $NF} END {for (b in n) if (!n[b]) print b}' c.out
//
// Of 1.35, 1.36 and 1.37 that is what stands behind feature gates that are off, and the
// signers of certificates.k8s.io/v1beta1.
//
// What package goform makes of random objects is what Go's encoder writes of them once they
// are decoded, and once they have been protocol buffers.
//
// Command gendefaults writes the tables of package defaults, and gengoform those of package
// goform. kube/internal/releases/make.sh runs them.
package builtin
