// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build valgrind

// Instr runs operations of the suite under callgrind, which writes one dump for
// each: test/cmd/ircount starts it and reads the dumps.
//
//	valgrind --tool=callgrind --instr-atstart=no --separate-threads=yes instr -run REGEXP -n 3
//
// The label of a dump is "<operation> n=<runs>". Inputs are made, and the first
// runs done, outside callgrind.
package main

import (
	"flag"
	"fmt"
	"regexp"
	"runtime"
	"runtime/debug"
	"unsafe"

	"github.com/dovetail-ssa/dovetail/test/bench"
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

// Callgrind counts by thread.
func init() { runtime.LockOSThread() }

func main() {
	pattern := flag.String("run", ".", "operations, a regular `expression`")
	n := flag.Int("n", 3, "runs of each operation")
	list := flag.Bool("list", false, "print the names of the operations")
	flag.Parse()
	wanted := regexp.MustCompile(*pattern)
	for _, p := range bench.Programs([]int{10, 100, 1000, 10_000}) {
		switch {
		case !wanted.MatchString(p.Name):
		case *list:
			fmt.Println(p.Name)
		default:
			count(p, *n)
		}
	}
}

func count(p bench.Program, n int) {
	run := p.Prepare()
	for range 3 {
		run()
	}
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	request(requestStart, 0)
	run() // callgrind translates what it sees for the first time
	dump("")
	for range n {
		run()
	}
	dump(fmt.Sprintf("%s n=%d", p.Name, n))
	request(requestStop, 0)
}

// dump writes what was counted since the last dump, of all threads.
func dump(label string) {
	text := append([]byte(label), 0)
	request(requestDumpAt, uintptr(unsafe.Pointer(&text[0])))
	runtime.KeepAlive(text)
}
