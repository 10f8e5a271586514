// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package wholefile replaces the content of files completely. A reader always gets either the
// complete old content or the complete new content, even while the program writes, and even
// if the program is killed. Start with Write. Use Stage for several files that belong
// together.
//
//	err := wholefile.Write("owners.html", page, wholefile.ForAll)
//
// If replacing one of several files fails, the package does not restore the files that it has
// already replaced. It does not lock files. If two programs write the same file, the last
// write wins.
package wholefile
