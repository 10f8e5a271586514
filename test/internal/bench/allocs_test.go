// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"bytes"
	"maps"
	"slices"
	"testing"
)

func TestAllocs(t *testing.T) {
	measured := Allocations([]byte("    allocs_test.go:1: allocations e/Apply/Pod 12\n--- PASS\n    allocs_test.go:1: allocations a/Validate/Pod 0\n"))
	if want := map[string]int{"e/Apply/Pod": 12, "a/Validate/Pod": 0}; !maps.Equal(measured, want) {
		t.Fatalf("got %v, want %v", measured, want)
	}
	bounds := map[string]Bound{"e/Apply/Pod": {300, 12}, "a/Validate/Pod": {90, 0}}
	var b bytes.Buffer
	if err := WriteAllocs(&b, bounds); err != nil {
		t.Fatal(err)
	}
	read, err := ReadAllocs(append([]byte("# name upstream dovetail\n"), b.Bytes()...))
	if err != nil || !maps.Equal(read, bounds) {
		t.Fatalf("got %v, %v, want %v", read, err, bounds)
	}
	if _, err := ReadAllocs([]byte("e/Apply/Pod many\n")); err == nil {
		t.Error("a text that is not a number is accepted")
	}

	if wrong := Above(bounds, measured); wrong != nil {
		t.Errorf("an operation that is exactly at its bound is reported: %q", wrong)
	}
	wrong := Above(bounds, map[string]int{"e/Apply/Pod": 13, "new": 1})
	want := []string{
		"a/Validate/Pod: has a bound, but there is no such operation",
		"e/Apply/Pod: 13 allocations, more than 12",
		"new: 1 allocations, but no bound",
	}
	if !slices.Equal(wrong, want) {
		t.Errorf("got %q, want %q", wrong, want)
	}
}
