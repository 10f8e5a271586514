// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package page renders objects with their owners as a self-contained HTML page. Users can read
// and filter the page without a network and without JavaScript.
//
// Start with [Write]. The caller computes the lines and owners, and the package defines their
// layout. It escapes all text in a [Page].
package page
