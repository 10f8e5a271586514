// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package linediff compares two texts line by line. [Of] returns all lines, each with a sign.
// [Hunks] returns only the sections that differ, with a few common lines around them.
package linediff
