// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package v7 compares what compat/v7 makes of our engine with structured-merge-diff
// v7.0.0. It is a module of its own, since that needs Go 1.27.
package v7
