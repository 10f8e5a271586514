// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package managed runs the cases of level 3 from the folder spec. These are requests to objects
// with metadata.managedFields. It runs them with the field manager of apimachinery, which every
// API server uses, and with the field manager of Dovetail.
package managed
