// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

// Package cputime measures how much CPU time the process has used.
package cputime

import (
	"syscall"
	"time"
)

// Used returns the CPU time that the process has used. It returns false if the system does not
// report it.
func Used() (time.Duration, bool) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, false
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), true
}
