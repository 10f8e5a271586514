// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package testserver

// lockFile does nothing, because the syscall package has no file locks for this operating system.
func lockFile(string) (unlock func(), err error) { return func() {}, nil }
