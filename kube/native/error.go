// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package native

import (
	"fmt"
	"time"
)

// Limits limit the time and memory of a program. Zero values mean the defaults in the
// comments.
type Limits struct {
	// Start is the maximum time until the greeting. The default is 30 seconds.
	Start time.Duration
	// Answer is the maximum time for one answer. The default is 10 seconds.
	Answer time.Duration
	// Line is the maximum size of one line in bytes. The default is 64 MiB.
	Line int
}

// Error is returned if a program cannot be used: it does not start, has another protocol
// or another release, does not answer in time, or returns an invalid answer.
type Error struct {
	// Path is the file of the program.
	Path string
	Err  error
	// Output is the end of the program's standard error.
	Output string
}

func (e *Error) Error() string {
	text := fmt.Sprintf("%s: %v", e.Path, e.Err)
	if e.Output != "" {
		text += "; its last output: " + e.Output
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }
