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

// request hands a request, with a text that ends in a zero, to valgrind. Elsewhere it does
// nothing.
//
//go:noescape
func request(code uintptr, text *byte)

// Count has callgrind count n runs of a function, with the collector off, after a first one
// or two.
func Count(label string, n int, run func()) {
	runtime.LockOSThread() // callgrind counts by thread
	defer runtime.UnlockOSThread()
	run()
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	request(requestStart, nil)
	run() // what the collector took is made again, and callgrind translates what it sees for the first time
	dump("")
	for range n {
		run()
	}
	dump(fmt.Sprint(label, runs, n))
	request(requestStop, nil)
}

// dump writes what was counted since the last dump, of all threads.
func dump(label string) {
	text := append([]byte(label), 0)
	request(requestDumpAt, &text[0])
}
