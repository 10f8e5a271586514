// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package builtin compares the defaults of built-in types with the functions in Kubernetes'
// scheme, for one release. This is the release in go.mod, or in another file of test/releases.
// In the folder test:
//
//	GOWORK=off go test -vet=off ./builtin ./immutable -modfile=releases/1.36.mod -tags v1.36
//
// Package defaults must set the same values in random objects as these functions. The objects
// are of all kinds in all versions. They are similar to objects of clients: fields can be
// absent, null or zero, or have values that influence defaulting. If Kubernetes has already
// defaulted an object, the defaults of the schemas may add only zero values, because Go omits
// them.
//
//	GOWORK=off go test . -random 200000 -seed 1
//	GOWORK=off go test . -objects 200
//
// These commands list the blocks of the functions that the objects do not reach:
//
//	GOWORK=off go test . -run TestFilled -random 200000 -coverprofile c.out \
//	    -coverpkg 'k8s.io/kubernetes/pkg/apis/...,k8s.io/apiextensions-apiserver/pkg/apis/...'
//	awk '/\/defaults[a-z_]*\.go:/ {n[$1] += $NF} END {for (b in n) if (!n[b]) print b}' c.out
//
// In 1.35, 1.36 and 1.37 these are blocks behind feature gates that are off, and the signers of
// certificates.k8s.io/v1beta1.
//
// Package goform must convert random objects to the same form as Go, which decodes and encodes
// them. It must do the same for objects that Go also encodes as protocol buffers in between.
//
// Command gendefaults writes the tables of package defaults, and gengoform those of package
// goform. kube/internal/releases/make.sh runs them.
package builtin
