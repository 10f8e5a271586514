// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package intern

import (
	"hash/maphash"
	"math"
)

// Hash is a hash that is computed step by step: each method adds a value. The seed for strings
// is random in each process, so that nobody can construct strings with equal hashes.
type Hash uint64

var seed = maphash.MakeSeed()

// Number adds a number.
func (h *Hash) Number(n uint64) {
	x := (uint64(*h) ^ n) * 0x9e3779b97f4a7c15
	*h = Hash(x ^ x>>29)
}

// Flag adds a boolean.
func (h *Hash) Flag(is bool) {
	n := uint64(1)
	if is {
		n = 2
	}
	h.Number(n)
}

// Text adds a string.
func (h *Hash) Text(s string) { h.Number(maphash.String(seed, s)) }

// Pointer adds the identity of a pointer.
func Pointer[T any](h *Hash, p *T) { h.Number(maphash.Comparable(seed, p)) }

// Plain adds a value of decoded JSON or YAML to the hash. Values that are the same according to
// SamePlain have the same effect. For a list or map, it adds only the length.
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
