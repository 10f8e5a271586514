// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package clientside reads and updates the traces of kubectl's client-side apply: the
// annotation with the configuration that was applied last, and the entry of its manager in
// managed fields.
package clientside
