// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package page renders objects with their owners as one HTML page that needs
// nothing but itself: no network, and no JavaScript to be read and filtered.
//
// Start from [Write]. What the lines and owners are is the caller's; here is only
// how they look. Everything in a [Page] is taken for text.
package page
