// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package fieldmanager compares Dovetail's field manager with the field manager of
// k8s.io/apimachinery.
//
// Its test sends random sequences of applies, updates and subresource requests by several
// managers to both, on built-in types. After each request it compares objects, managed fields,
// timestamps and conflicts:
//
//	go test .                              a small sample
//	go test . -sequences 20000 -seed 7     more of them
//
// The schema is the Kubernetes OpenAPI document in kube-openapi's test data; both sides use the
// same conversion of it.
package fieldmanager
