// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package manifest reads Kubernetes objects from YAML, JSON or CBOR files, and finds the
// position of each value in the file.
//
// Start from [Read]:
//
//	objects, err := manifest.Read("web.yaml", data)
//	for _, o := range objects {
//		fmt.Println(o.Identity(), o.Position(".spec.replicas"))
//	}
//
// [Stream] reads files of any length, one object at a time.
//
// The package splits files into documents like kubectl. Text that kubectl ignores, such as text after a
// line "...", is an error. The package decodes values like the API server, which reads YAML 1.1: "y",
// "no" and "on" without quotes are booleans. Unlike the server, the package reports duplicate keys in a
// mapping as errors.
//
// The package limits the size and depth of its input and the expansion of aliases. It does
// not know schemas, and does not open or write files.
package manifest
