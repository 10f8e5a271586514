// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package managed answers the cases of spec's level 3, requests to objects with metadata.managedFields, by
// field managers: that of apimachinery, which is in every API server, and that of Dovetail.
package managed
