// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package intern

import (
	"hash/maphash"
	"math"
)

// Hash is the hash of a value that is added part by part. It is quick, and texts are hashed
// with a seed of the process, so that nobody can prepare some with one hash.
type Hash uint64

var seed = maphash.MakeSeed()

// Number adds a number.
func (h *Hash) Number(n uint64) {
	x := (uint64(*h) ^ n) * 0x9e3779b97f4a7c15
	*h = Hash(x ^ x>>29)
}

// Flag adds whether something is so.
func (h *Hash) Flag(is bool) {
	n := uint64(1)
	if is {
		n = 2
	}
	h.Number(n)
}

// Text adds a text.
func (h *Hash) Text(s string) { h.Number(maphash.String(seed, s)) }

// Pointer adds which pointer p is.
func Pointer[T any](h *Hash, p *T) { h.Number(maphash.Comparable(seed, p)) }

// Plain adds a value of decoded JSON or YAML. Values that are the same, see SamePlain, add
// the same.
func (h *Hash) Plain(v any) {
	switch v := v.(type) {
	case nil:
		h.Number(0)
	case string:
		h.Text(v)
	case bool:
		h.Flag(v)
	case int:
		h.Number(uint64(v))
	case int64:
		h.Number(uint64(v))
	case uint64:
		h.Number(v)
	case float64:
		h.Number(math.Float64bits(v))
	case []any:
		h.Number(uint64(len(v)))
	case map[string]any:
		h.Number(uint64(len(v)))
	}
}
