// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package owners has the commands about the owners of fields in live objects. Command owners shows them
// as text (text.go), as an HTML page (page.go) or as JSON (report.go). Command extract makes a config
// from the fields of one manager.
package owners
