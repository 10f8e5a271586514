// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Loops counts the instructions of two loops. The first loop has UNIT rounds, and the second has
// twice as many.
package main

import (
	"log"
	"os"
	"strconv"

	"github.com/dovetail-ssa/dovetail/test/internal/callgrind"
)

func main() {
	unit, err := strconv.Atoi(os.Getenv("UNIT"))
	if err != nil {
		log.Fatal(err)
	}
	callgrind.Count("once", 3, func() { loop(unit) })
	callgrind.Count("two times", 5, func() { loop(2 * unit) })
}

var sum int

//go:noinline
func loop(n int) {
	for i := range n {
		sum += i
	}
}
