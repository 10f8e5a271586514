// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package document reads Kubernetes objects as plain data: their type, their metadata, what
// nobody owns of them, and whether two values are the same.
package document
