// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package spool stores data that may be too large for memory: a growing [Text], and the
// contents of a pipe ([Keep]). It writes large data to temporary files. No other process can
// open these files. The system removes them when the process ends, for whatever reason.
package spool
