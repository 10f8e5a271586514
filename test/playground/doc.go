// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package playground tests the page of web/playground in Chromium, and its code in Node. It
// needs node, npm and Chromium. The first run downloads the npm packages in
// web/playground/package-lock.json.
package playground
