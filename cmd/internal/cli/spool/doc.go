// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package spool keeps what may be too large for memory: a [Text] in the making, and what comes
// from a pipe ([Keep]). What is large is in temporary files, which nobody else can open and
// which are gone when the process is, however it ends.
package spool
