// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package fieldmanager compares Dovetail's field manager with the field manager of
// k8s.io/apimachinery.
//
// Its test sends random series of requests to both field managers: applies, updates, and
// requests to subresources by several managers, for built-in types. After each request, it
// compares objects, managed fields, times and conflicts:
//
//	go test .                              a small sample
//	go test . -sequences 20000 -seed 7     more of them
//
// The schema is the OpenAPI document of Kubernetes in the test data of kube-openapi. Both
// field managers convert this document with the same code.
package fieldmanager
