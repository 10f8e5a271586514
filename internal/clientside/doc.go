// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package clientside reads and updates two parts of an object that kubectl's client-side apply
// writes: the annotation with the last applied configuration, and the managedFields entry of
// its manager.
package clientside
