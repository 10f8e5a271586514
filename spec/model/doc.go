// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package model implements the rules of server-side apply in spec/README.md as simply as
// possible. It is meant to be read together with these rules, and tests compare real engines
// with it. It is simple, not fast: each function walks values from the root, a set is a map of
// paths, and no data is shared or cached. The functions expect valid values, except Refuse,
// which reports invalid values.
//
// A comment such as "rule R2" means that the code below implements this rule of spec/README.md.
package model
