// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package browser tests the page that "dovetail owners --html" writes, in Chromium. It uses
// the program that the environment variable CHROMIUM names, or Chromium from Debian's package
// chromium. If there is no browser, it skips the tests.
package browser
