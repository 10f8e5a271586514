// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package manifest reads files of Kubernetes objects in YAML, JSON or CBOR, and provides the
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
// The package splits files into documents as kubectl does. Text that kubectl ignores, such as text
// after a line "...", is an error. The package decodes values as the API server does, which reads
// YAML 1.1: y, no and on are booleans. Unlike the API server, the package rejects a mapping with
// duplicate keys.
//
// The package limits the size and depth of its input and the expansion of aliases. It has no
// schemas, and does not open or write files.
package manifest
