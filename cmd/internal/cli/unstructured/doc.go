// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package unstructured has helpers for objects as maps and lists, independent of their types: reading a
// field, copying a map, removing managed fields. It also handles Secrets: how an API server stores
// stringData, and the [Masks] that replace their values in all output.
package unstructured
