// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package guide contains the programs of docs/library.md as examples. Tests run these examples.
package guide
