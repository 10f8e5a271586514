// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package report writes the outcomes of objects: messages on standard error, reports for
// scripts ([Report]), and the resulting objects. Start with [OutcomeWriter], which implements
// the flag -o.
//
// On a terminal, the package writes short messages: one line for each field ([Short]), and
// then the ways to resolve conflicts and a summary (closing.go). Otherwise, it writes full
// messages (conflict.go). conflictreport.go converts conflicts for reports.
package report
