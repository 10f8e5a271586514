// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package owners has the commands that tell who owns what of live objects: owners as text
// (text.go), as a page (page.go) and as JSON (report.go), and extract, which makes a config of
// what one manager owns.
package owners
