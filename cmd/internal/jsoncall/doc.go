// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package jsoncall answers calls from programs in other languages. Calls and answers are JSON.
//
// An [Engine] keeps sets of types. Each set has a number. A call names an operation, the number of
// a set, and the arguments of the operation:
//
//	{"op": "types", "args": {"kubernetesVersion": "1.37"}}
//	{"op": "apply", "types": 1, "args": {"config": "apiVersion: v1\n…", "manager": "web"}}
//
// With the build tag releasesondemand, the program does not contain the data of Kubernetes
// releases. In this case, the answer to the operation types can contain a list of releases in the
// field load. The caller must load these releases with LoadRelease, and then repeat the call.
//
// Each call gets an answer, which contains all errors. [Engine.Call] recovers from panics. It
// rejects input that could exhaust memory or the stack because of its size or depth.
//
// The command dovetail-engine is the WebAssembly program that uses this package. The file
// web/engine/index.d.ts describes the operations with their arguments and answers. This package
// only decodes calls and encodes answers. The packages of the dovetail command compute the
// results.
package jsoncall
