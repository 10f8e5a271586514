// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package native

import (
	"fmt"
	"time"
)

// Limits restricts the time and memory that a program may use. Zero means the default.
type Limits struct {
	// Start is the maximum time until the native program writes its greeting. The default is 30 seconds.
	Start time.Duration
	// Answer is the maximum time for one answer. The default is 10 seconds.
	Answer time.Duration
	// Line is the maximum size of one line in bytes. The default is 64 MiB.
	Line int
}

// Error describes why a program cannot be used. For example, it does not start, it has another
// protocol version or release, it does not answer in time, or its response is invalid.
type Error struct {
	// Path is the path of the program.
	Path string
	Err  error
	// Output is the last part of the program's standard error.
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
