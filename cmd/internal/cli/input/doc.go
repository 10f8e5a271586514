// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package input reads the objects in files ([ReadObjects], [Open]). Flags select files,
// directories or standard input ([Files]). Errors show the file, the line and the path. The
// package also adds positions to validation errors ([Findings]), and to errors in CRDs and
// OpenAPI documents ([WithPositions]).
package input
