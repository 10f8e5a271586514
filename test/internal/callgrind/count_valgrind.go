// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build valgrind

package callgrind

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// These are the codes of requests to callgrind. In all of them, the upper two bytes are the
// letters C and T.
const (
	requestDumpAt = 'C'<<24 | 'T'<<16 + iota + 3
	requestStart
	requestStop
)

// request sends a request to valgrind. The text must end with a zero byte. Without valgrind, the
// request does nothing.
//
//go:noescape
func request(code uintptr, text *byte)

// Count lets callgrind count n runs of a function. Before that, it runs the function twice
// without counting these runs. Garbage collection is off during the counted runs.
func Count(label string, n int, run func()) {
	runtime.LockOSThread() // callgrind counts each thread separately
	defer runtime.UnlockOSThread()
	run()
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	request(requestStart, nil)
	run() // this run fills pools and makes callgrind translate the code; it is not counted
	dump("")
	for range n {
		run()
	}
	dump(fmt.Sprint(label, runs, n))
	request(requestStop, nil)
}

// dump writes the counts since the last dump, for all threads.
func dump(label string) {
	text := append([]byte(label), 0)
	request(requestDumpAt, &text[0])
}
