// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package clientside reads and updates two traces that kubectl's client-side apply leaves in
// an object. The first is the annotation with the last applied configuration. The second is
// the managedFields entry of the manager of client-side apply.
package clientside
