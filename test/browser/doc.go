// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package browser tests the page of "dovetail owners --html" in a browser. The browser is
// Chromium from Debian's package chromium, or the program that the environment variable
// CHROMIUM names. Without a browser, the tests are skipped.
package browser
