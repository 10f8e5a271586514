// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package words is how values, names, times and lists stand in a line for people: as YAML
// in one line, cut where it is too long, without what a terminal would obey. Start from
// [Flow]. It writes nothing itself.
package words
