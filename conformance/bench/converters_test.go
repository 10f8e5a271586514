// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"runtime"
	"testing"

	"k8s.io/apimachinery/pkg/util/managedfields"
)

// TestHeld prints how many bytes an idle API server with a thousand custom
// resource definitions holds for each of their type converters: for those that
// were never used, and for those that were used once.
func TestHeld(t *testing.T) {
	const n = 1000
	t.Logf("%d static definitions", len(static()))
	useOnce(converterOf(n), n)
	before := heap()
	converters := make([]managedfields.TypeConverter, n)
	for i := range converters {
		converters[i] = converterOf(i)
	}
	t.Logf("held converter/unused %d", (heap()-before)/n)
	for i, c := range converters {
		useOnce(c, i)
	}
	t.Logf("held converter/used %d", (heap()-before)/n)
	runtime.KeepAlive(converters)
}

// heap returns how many bytes are in use. Three collections, since pools give
// up what they hold at the second.
func heap() uint64 {
	for range 3 {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
