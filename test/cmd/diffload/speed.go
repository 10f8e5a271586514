// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// usual is what work takes on the machine that the bounds are of, on which diff took 0.69 s for 1,000 Deployments: work
// takes little more than a quarter of what 2,000 of these do.
const usual = 380 * time.Millisecond

// slowness is how many times as long as usual the processors take now, at least 1: they are shared with other
// machines, and half as fast for minutes.
func slowness() float64 {
	before := ownCPU()
	work()
	return max(1, float64(ownCPU()-before)/float64(usual))
}

// work has all processors read a text as JSON, with Go's own reader.
func work() {
	items := make([]string, 2000)
	for i := range items {
		items[i] = fmt.Sprintf(`{"name": "item-%d", "ports": [%d, %d], "labels": {"app": "web", "tier": "%d"}}`, i, i, i+1, i%7)
	}
	text := []byte("[" + strings.Join(items, ",") + "]")
	var wg sync.WaitGroup
	for range runtime.NumCPU() {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 100 / runtime.NumCPU() {
				var v any
				if err := json.Unmarshal(text, &v); err != nil {
					panic(err) // it was made above
				}
			}
		}()
	}
	wg.Wait()
}

// ownCPU is what this process has taken of the processors.
func ownCPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
