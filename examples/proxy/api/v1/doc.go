// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package v1 is version v1 of a small API group. Some of its defaults are declared with
// markers, others are set by hand-written functions.
//
// The files named zz_generated and those in ../../config are generated from it:
//
//	go generate ./...
//
// +groupName=net.example.com
// +k8s:defaulter-gen=TypeMeta
// +k8s:openapi-gen=true
package v1

//go:generate go tool dovetail-gen --header-file=../../../../.ci/header.txt --crds=../../config --openapi-json=../../config/openapi.json .
