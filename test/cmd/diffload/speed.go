// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/dovetail-ssa/dovetail/test/internal/cputime"
)

// usual is the CPU time of the function work on the machine for which the bounds were chosen.
// On that machine, diff took 0.69 s for 1,000 Deployments.
const usual = 380 * time.Millisecond

// slowness returns how many times slower than usual this machine currently is, at least 1. A
// processor that is shared with other virtual machines can run at half its speed for minutes.
func slowness() float64 {
	before, _ := cputime.Used()
	work()
	after, _ := cputime.Used()
	return max(1, float64(after-before)/float64(usual))
}

// work decodes a JSON text with encoding/json, on all processors at once.
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
					panic(err) // the text was encoded above, so it is valid JSON
				}
			}
		}()
	}
	wg.Wait()
}
