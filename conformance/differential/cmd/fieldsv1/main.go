// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Command fieldsv1 reads documents of FieldsV1 that were changed at random, and
// compares what becomes of them with structured-merge-diff.
//
//	go run ./cmd/fieldsv1 -n 5000000 -seed 1
//	go run ./cmd/fieldsv1 -n 1 -seed 1 -from 4711    one document again
package main

import (
	"flag"
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	"github.com/dovetail-ssa/dovetail/conformance/differential/engine/ours"
	"github.com/dovetail-ssa/dovetail/conformance/differential/engine/upstream"
	"github.com/dovetail-ssa/dovetail/conformance/differential/engine/upstream4"
	"github.com/dovetail-ssa/dovetail/conformance/differential/fieldsv1"
	"github.com/dovetail-ssa/dovetail/conformance/differential/run"
	"github.com/dovetail-ssa/dovetail/schema"
)

func main() {
	seed := flag.Uint64("seed", 1, "seed")
	from := flag.Uint64("from", 0, "number of the first document")
	n := flag.Uint64("n", 1000000, "number of documents")
	v4 := flag.Bool("v4", false, "compare what compat/v4 does with structured-merge-diff v4")
	workers := flag.Int("workers", 2, "documents to read at once")
	flag.Parse()
	var wg sync.WaitGroup
	var next, different, read atomic.Uint64
	next.Store(*from)
	const chunk = 1024
	theirs, own := upstream.FieldsV1(), ours.FieldsV1()
	if *v4 {
		schema.SetProcessPolicies(run.Version4)
		theirs = upstream4.FieldsV1()
	}
	for range max(1, *workers) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				first := next.Add(chunk) - chunk
				if first >= *from+*n {
					return
				}
				for i := first; i < min(first+chunk, *from+*n); i++ {
					text, difference := fieldsv1.Difference(theirs, own, *seed, i)
					if difference != "" && different.Add(1) <= 10 {
						fmt.Printf("--- document %d\n%s\n", i, difference)
					}
					if theirs.Read([]byte(text), nil).Error == "" {
						read.Add(1)
					}
				}
			}
		}()
	}
	wg.Wait()
	fmt.Printf("seed %d, documents %d to %d: %d could be read, %d differ\n", *seed, *from, *from+*n-1, read.Load(), different.Load())
	if different.Load() > 0 {
		os.Exit(1)
	}
}
