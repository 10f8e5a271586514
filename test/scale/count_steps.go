// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build steps

package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"runtime/coverage"
)

// count prints how many blocks of code a run executes. It counts only blocks in the packages
// that "go build -coverpkg" lists.
func count(label string, run func()) {
	run()
	must(coverage.ClearCounters())
	run()
	var data bytes.Buffer
	must(coverage.WriteCounters(&data))
	fmt.Printf("%s steps=%d\n", label, steps(data.Bytes()))
}

// steps returns the sum of all counters in the coverage data of a program that "go build
// -cover" built. The data consists of a header, one segment and a footer. The segment begins
// with a header and strings. Then, for each function, it contains the number of counters, two
// numbers that identify the function, and the counters.
func steps(data []byte) (sum uint64) {
	const header, footer, leb = 32, 16, 2
	if data[24] != leb {
		panic(fmt.Sprintf("unknown format of counters: %d", data[24]))
	}
	functions := binary.LittleEndian.Uint64(data[header:])
	texts := int(binary.LittleEndian.Uint32(data[header+8:])) + int(binary.LittleEndian.Uint32(data[header+12:]))
	r := bytes.NewReader(data[header+16+texts : len(data)-footer])
	number := func() uint64 {
		n, err := binary.ReadUvarint(r)
		must(err)
		return n
	}
	for range functions {
		counters := number()
		number()
		number()
		for range counters {
			sum += number()
		}
	}
	if _, err := r.ReadByte(); err != io.EOF {
		panic("there is data after the counters of the functions")
	}
	return sum
}
