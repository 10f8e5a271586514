// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package wholefile writes files as wholes: whoever reads one, meanwhile or after the
// program was stopped at any moment, sees all of what was there before or all of what was
// written. Start from Write; Stage is for several files that belong together.
//
//	err := wholefile.Write("owners.html", page, wholefile.ForAll)
//
// It does not undo what was put in place before another file failed, and it does not
// lock: of two programs that write one file, the last one wins.
package wholefile
