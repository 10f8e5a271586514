// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package input reads the objects in files ([ReadObjects], [Open]). Flags select files,
// directories or standard input ([Files]). Errors show file, line and path. This includes
// errors of validation ([Findings]) and errors in the files of types ([WithPositions]).
package input
