// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package jsoncall answers calls from programs in other languages. Calls and answers are JSON.
//
// An [Engine] keeps sets of types. Each set has a number. A call names an operation, the
// number of a set, and the arguments of the operation:
//
//	{"op": "types", "args": {"kubernetesVersion": "1.37"}}
//	{"op": "apply", "types": 1, "args": {"config": "apiVersion: v1\n…", "manager": "web"}}
//
// With the build tag releasesondemand, the program does not contain the data of Kubernetes
// releases. The answer of the operation types may then list releases in the field load. The
// caller must load them with LoadRelease and repeat the call.
//
// Every call gets an answer, and the answer contains all errors. [Engine.Call] recovers from
// panics. It rejects input that could exhaust memory or the stack because of its size or
// depth.
//
// The command dovetail-engine is the WebAssembly program that uses this package.
// web/engine/index.d.ts describes the operations, arguments and answers. This package converts
// the results of the commands apply, update, owners and diff. It does not compute them itself.
package jsoncall
