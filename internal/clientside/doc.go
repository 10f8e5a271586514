// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package clientside reads and updates the traces of kubectl's client-side apply in an
// object: the annotation with the configuration that was last applied, and the managedFields
// entry of its manager.
package clientside
