// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldsv1

import (
	"flag"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
)

// Main is the main function of the command fieldsv1. It does not return. After parsing the flags,
// it calls its argument to get the two implementations.
func Main(codecs func() (theirs, own Codec)) {
	seed := flag.Uint64("seed", 1, "seed")
	from := flag.Uint64("from", 0, "number of the first document")
	n := flag.Uint64("n", 1000000, "number of documents")
	workers := flag.Int("workers", 2, "documents to read at once")
	flag.Parse()
	var wg sync.WaitGroup
	var next, different, read atomic.Uint64
	next.Store(*from)
	const chunk = 1024
	theirs, own := codecs()
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
					text, difference := Difference(theirs, own, *seed, i)
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
