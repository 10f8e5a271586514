// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package owners implements the commands that show the owners of fields in live objects. The
// command owners shows the owners as text (text.go), as an HTML page (page.go) or as JSON
// (report.go). The command extract prints the fields of one manager as a config.
package owners
