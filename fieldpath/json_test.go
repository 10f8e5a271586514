// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"math/rand"
	"testing"
)

func TestPlainLength(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 100_000 {
		b := make([]byte, r.Intn(30))
		for i := range b {
			b[i] = byte(r.Intn(256))
			if r.Intn(8) > 0 {
				b[i] |= 0x80
			}
			if r.Intn(20) == 0 {
				b[i] = "\"\\ !\x1f#]["[r.Intn(8)]
			}
		}
		want := 0
		for want < len(b) && b[want] >= ' ' && b[want] != '"' && b[want] != '\\' {
			want++
		}
		if got := plainLength(b); got != want {
			t.Fatalf("%q: got %d, want %d", b, got, want)
		}
	}
}
