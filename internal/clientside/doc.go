// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package clientside handles the two traces that kubectl's client-side apply leaves in an
// object: the annotation with the last applied configuration, and an entry in managedFields.
package clientside
