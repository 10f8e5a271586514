// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package clientside knows kubectl's client-side apply: its manager, the annotation with
// what it last applied, and how that is kept up to date.
package clientside
