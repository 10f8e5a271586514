// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package wholefile replaces the whole content of files. A reader always gets either the
// complete old content or the complete new content, even while the program writes, and even if
// the program is killed. For a single file, call Write. For several files that belong together,
// call Stage for each.
//
//	err := wholefile.Write("owners.html", page, wholefile.ForAll)
//
// If replacing one of several files fails, the files that were replaced before keep their new
// content. The package does not lock files. If two programs write the same file, the last write
// wins.
package wholefile
