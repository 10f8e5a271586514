// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package unstructured is what commands do with objects as maps and lists, whatever their
// types: read a field, copy what is to be changed, leave managed fields out. It knows one
// kind, Secrets: how the API server stores what stringData has, and the [Masks] that stand
// for their values wherever they are shown.
package unstructured
