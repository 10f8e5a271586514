// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package report says what became of objects: in messages for people on standard error
// ([Messages]), in reports for scripts ([Write]), and in the objects themselves ([Finish]).
// conflict.go has what a person is told of conflicts, conflictreport.go what a script is.
package report
