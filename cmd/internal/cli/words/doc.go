// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package words renders values, names, times and lists for a line of text: values as YAML in one line,
// shortened if they are too long, and without control characters. Start from [Flow]. short.go and
// width.go fit text into the columns of a terminal. The package writes nothing itself.
package words
