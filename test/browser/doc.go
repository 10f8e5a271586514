// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package browser tests the page of "dovetail owners --html" in a real browser: Chromium from
// Debian's package chromium, or the program in the environment variable CHROMIUM. Without a
// browser, the tests are skipped.
package browser
