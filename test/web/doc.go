// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package web tests the npm package in web/engine. It runs the package's own tests under Node,
// installs the package as users do, checks its size, and runs the cases of spec with the engine
// as WebAssembly. It also installs the packages of the test server, web/testserver for npm and
// web/python, and runs their tests. The tests need node, npm, and Python with some packages. The
// first run downloads TypeScript, which checks the declarations, test runners, and a client.
package web
