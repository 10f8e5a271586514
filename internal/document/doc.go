// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package document reads Kubernetes objects as plain data: their type, their metadata and
// the fields that nobody can own. It also compares decoded values.
package document
