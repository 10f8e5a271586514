// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package web tests the npm package of web/engine: its own tests under Node, the package as users
// install it, its size, and the cases of spec with the engine as WebAssembly. The tests need node and
// npm. The first run downloads TypeScript, which checks the declarations.
package web
