// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package report writes the outcomes of objects: messages on standard error, reports for scripts
// ([Report]), and the resulting objects. Start from [OutcomeWriter], which follows the flag -o.
//
// A terminal gets a short form: a line for each field ([Short]), and the ways out and a summary at the
// end (closing.go). Everything else gets the full form (conflict.go). conflictreport.go has conflicts
// as data.
package report
