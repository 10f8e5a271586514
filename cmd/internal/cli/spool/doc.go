// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package spool stores data that may be too large for memory: [Text] is a text that grows, and
// [Keep] copies the contents of a pipe. Large data are stored in temporary files. Other processes
// cannot open these files, and the system removes them when the process ends.
package spool
