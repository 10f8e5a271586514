// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package jsoncall answers the calls of programs in other languages. Calls and answers are JSON.
//
// An [Engine] keeps sets of types, each with a number. A call names an operation, the number of the
// types, and the arguments of the operation:
//
//	{"op": "types", "args": {"kubernetesVersion": "1.37"}}
//	{"op": "apply", "types": 1, "args": {"config": "apiVersion: v1\n…", "manager": "web"}}
//
// With the build tag releasesondemand, no release is embedded: the answer of types may name releases in
// load. The caller then loads them with LoadRelease, and repeats the call.
//
// Every call has an answer, and an answer has all errors: [Engine.Call] recovers panics, and rejects
// input that is so large or so deep that it could exhaust memory or stack. The command dovetail-engine
// is the WebAssembly program around this package, and web/engine/index.d.ts describes operations,
// arguments and answers.
//
// Predictions, owners and differences equal the results of the commands apply, update, owners
// and diff. This package only converts these results.
package jsoncall
