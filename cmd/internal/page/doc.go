// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package page writes objects and their owners as a single HTML page that needs no other
// files. Users can read and filter the page without a network and without JavaScript.
//
// Start with [Write]. The caller computes the lines and owners. The package defines the
// layout, and escapes all text in a [Page].
package page
