// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package fieldmanager holds Dovetail's field manager against the one of
// k8s.io/apimachinery.
//
// Its test sends random sequences of applies, updates and subresource requests
// by several managers through both, on built-in types, and compares objects,
// managed fields, time stamps and conflicts after each request:
//
//	go test .                              a small slice
//	go test . -sequences 20000 -seed 7     more of them
//
// The schema is the Kubernetes OpenAPI document that kube-openapi carries as
// test data; both sides get the same conversion of it.
package fieldmanager
