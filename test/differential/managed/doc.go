// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package managed answers spec's cases of level 3, requests to objects with
// metadata.managedFields, with the field managers of apimachinery (used in every API server)
// and of Dovetail.
package managed
