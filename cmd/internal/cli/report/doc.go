// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package report says what became of objects: in messages for people on standard error
// ([Messages]), in reports for scripts ([Report]), and by the objects themselves. [Finish]
// does what the flag -o asks for.
// conflict.go has what a person is told of conflicts, conflictreport.go what a script is.
package report
