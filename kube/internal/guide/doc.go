// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package guide holds the programs of docs/library.md, as examples that run.
package guide
