// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build valgrind

package callgrind

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// Requests to callgrind. They begin with its letters.
const (
	requestDumpAt = 'C'<<24 | 'T'<<16 + iota + 3
	requestStart
	requestStop
)

// request sends a request to valgrind, with a text that ends in a zero byte. Without valgrind
// it does nothing.
//
//go:noescape
func request(code uintptr, text *byte)

// Count lets callgrind count n runs of a function, without garbage collection, after one or two
// warm-up runs.
func Count(label string, n int, run func()) {
	runtime.LockOSThread() // callgrind counts by thread
	defer runtime.UnlockOSThread()
	run()
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	request(requestStart, nil)
	run() // warm up: refill pools, and let callgrind translate the code
	dump("")
	for range n {
		run()
	}
	dump(fmt.Sprint(label, runs, n))
	request(requestStop, nil)
}

// dump writes the counts of all threads since the last dump.
func dump(label string) {
	text := append([]byte(label), 0)
	request(requestDumpAt, &text[0])
}
