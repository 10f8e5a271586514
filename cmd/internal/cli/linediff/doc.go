// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package linediff tells how the lines of two texts differ: [Of] as all lines, each with a
// sign, [Hunks] as the parts that differ, with lines that both have around.
package linediff
