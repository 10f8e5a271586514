// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package unstructured contains helpers for objects as maps and lists, independent of their
// types. It reads fields, copies maps, and removes managed fields. It also handles Secrets: it
// encodes stringData as an API server does, and [Masks] hides the values of Secrets in all
// output.
package unstructured
