// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package words formats values, names, times and lists for a line of text. It formats values
// as YAML on one line, without control characters, and shortens long values. Start with
// [Flow]. short.go and width.go shorten text to the width of a terminal. The package writes no
// output.
package words
