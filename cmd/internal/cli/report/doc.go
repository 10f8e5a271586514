// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package report writes the outcomes of objects: messages on standard error, reports for scripts
// ([Report]), and the resulting objects. Start with [OutcomeWriter], which implements the flag -o.
//
// On a terminal, the package writes a short form: one line for each field ([Short]), and at the end
// the ways out of conflicts and a summary (closing.go). Otherwise, it writes the full form
// (conflict.go). conflictreport.go converts conflicts for reports.
package report
