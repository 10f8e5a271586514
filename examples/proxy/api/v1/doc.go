// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package v1 is version v1 of a small API group. Markers declare some of its defaults, and
// hand-written functions set the other defaults.
//
// This command generates the zz_generated files and the files in ../../config from the types:
//
//	go generate ./...
//
// +groupName=net.example.com
// +k8s:defaulter-gen=TypeMeta
// +k8s:openapi-gen=true
package v1

//go:generate go tool dovetail-gen --header-file=../../../../.ci/header.txt --crds=../../config --openapi-json=../../config/openapi.json .
