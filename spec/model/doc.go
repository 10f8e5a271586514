// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package model implements the rules of server-side apply as a small program. People can read
// it together with spec/README.md, and tests compare engines with it. The program is simple,
// not fast: each function walks values from the root, a set is a map of paths, and no data is
// shared or cached. The functions expect valid values, except Refuse, which reports invalid
// values.
//
// A comment such as "rule R2" means that the code below implements this rule of spec/README.md.
package model
