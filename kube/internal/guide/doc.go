// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package guide has the programs of docs/library.md as examples that tests run.
package guide
