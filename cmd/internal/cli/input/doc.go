// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package input reads the files that flags name ([Files]), in directories and from standard
// input, and the objects in them ([ReadObjects]). What is wrong is told with file, line and
// path: in a file, in a document of types ([WithPositions]), by a type ([Findings]).
package input
