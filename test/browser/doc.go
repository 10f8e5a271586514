// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package browser holds tests that look at the page of "dovetail owners --html" in
// a real browser: Chromium, as Debian's package chromium has it, or what the
// environment variable CHROMIUM names. Without one they are skipped.
package browser
