// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package report writes the outcomes of objects: messages on standard error, reports for
// scripts ([Report]), and the resulting objects. Start with [OutcomeWriter], which implements
// the flag -o.
//
// On a terminal, it writes a short form: a line for each field ([Short]), and the options for
// conflicts and a summary at the end (closing.go). Otherwise, it writes the full form
// (conflict.go). conflictreport.go has conflicts as data.
package report
