// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package web tests the npm package in web/engine. It runs the package's own tests under Node,
// installs the package as users do, checks its size, and runs the cases of spec with the engine
// as WebAssembly. The tests need node and npm. The first run downloads TypeScript, which checks
// the declarations.
package web
