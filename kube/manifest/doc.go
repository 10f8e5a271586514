// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package manifest reads files of Kubernetes objects, YAML, JSON or CBOR, and
// knows where in the file each value stands.
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
// Values mean what they mean to the API server, which reads YAML as
// version 1.1 does: y, no and on are booleans. Unlike the API server, a mapping
// that has a key twice is an error here.
//
// Input is bounded: size, depth and the expansion of aliases. The package
// knows no schema, reads no file by itself and writes nothing.
package manifest
