// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package playground tests the page of web/playground in Chromium, and its code in Node. It also
// tests the site, web/site: links, code blocks, accessibility and width. The tests need node, npm,
// git and Chromium. The first run downloads the npm packages in the files package-lock.json.
//
// TestCases opens one of 25 cases of the specification in the playground. With -every 1, it opens
// all cases.
package playground
