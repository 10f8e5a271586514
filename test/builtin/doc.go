// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package builtin compares packages kube/defaults and kube/goform with Kubernetes. It uses the
// Kubernetes release that go.mod or a file of test/releases requires. For example, in the
// folder test:
//
//	GOWORK=off go test -vet=off ./builtin ./immutable -modfile=releases/1.36.mod -tags v1.36
//
// Package kube/defaults must set the same values in random objects as Kubernetes' functions.
// The objects are of all kinds in all versions, and similar to objects that clients send.
// Fields can be absent, null or zero, or have values that influence defaulting. If Kubernetes
// has already defaulted an object, the defaults in the schemas may add only zero values, which
// Go omits.
//
//	GOWORK=off go test . -random 200000 -seed 1
//	GOWORK=off go test . -objects 200
//
// These commands list the code in Kubernetes' defaulting functions that no random object
// reaches:
//
//	GOWORK=off go test . -run TestFilled -random 200000 -coverprofile c.out \
//	    -coverpkg 'k8s.io/kubernetes/pkg/apis/...,k8s.io/apiextensions-apiserver/pkg/apis/...'
//	awk '/\/defaults[a-z_]*\.go:/ {n[$1] += $NF} END {for (b in n) if (!n[b]) print b}' c.out
//
// In 1.35, 1.36 and 1.37, the listed code is for feature gates that are off, and for the
// signers of certificates.k8s.io/v1beta1.
//
// Package kube/goform must convert random objects to the same JSON that Go writes after it has
// decoded them. The same must be true if Go also encodes the objects as protocol buffers in
// between.
//
// The command gendefaults writes the tables of kube/defaults, and gengoform writes the tables
// of kube/goform. The script kube/internal/releases/make.sh runs both.
package builtin
