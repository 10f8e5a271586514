// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build valgrind

package main

import (
	"runtime"
	"unsafe"
)

// Requests to callgrind. They begin with its letters.
const (
	requestDumpAt = 'C'<<24 | 'T'<<16 + iota + 3
	requestStart
	requestStop
)

// request hands a request with one argument to valgrind. Elsewhere it does
// nothing.
//
//go:noescape
func request(code, argument uintptr)

// count has callgrind dump what one run takes, under a label.
func count(label string, run func()) {
	run()
	runtime.GC()
	text := append([]byte(label), 0)
	request(requestStart, 0)
	run()
	request(requestDumpAt, uintptr(unsafe.Pointer(&text[0])))
	request(requestStop, 0)
	runtime.KeepAlive(text)
}
