// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package jsoncall answers calls from programs in other languages. Calls and answers are JSON.
//
// An [Engine] keeps sets of types, and each set has a number. A call names an operation, the number
// of a set, and the arguments of the operation:
//
//	{"op": "types", "args": {"kubernetesVersion": "1.37"}}
//	{"op": "apply", "types": 1, "args": {"config": "apiVersion: v1\n…", "manager": "web"}}
//
// With the build tag releasesondemand, the program contains no releases. The answer of the
// operation types may then list releases in load. The caller loads them with LoadRelease and
// repeats the call.
//
// Every call has an answer, and errors are in the answer. [Engine.Call] recovers from panics. It
// rejects input that is so large or so deep that it could exhaust memory or stack.
//
// The command dovetail-engine is the WebAssembly program around this package. web/engine/index.d.ts
// describes operations, arguments and answers. Predictions, owners and differences are the results
// of the commands apply, update, owners and diff, which this package only converts.
package jsoncall
