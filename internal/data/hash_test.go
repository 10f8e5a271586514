// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package data

import "testing"

// TestHashFollowsEquality checks that equal values have equal hashes. Otherwise two items
// with the same identity would not be found to be the same item.
func TestHashFollowsEquality(t *testing.T) {
	for _, same := range [][]any{
		{int64(1), 1.0, int(1), int32(1), uint8(1), float32(1)},
		{int64(0), 0.0, -1 * 0.0},
		{"a", "a"},
		{true, true},
		{nil, nil},
		{map[string]any{"a": int64(1)}, map[string]any{"a": 1.0}},
		{[]any{int64(1)}, []any{1.0}},
	} {
		for _, v := range same[1:] {
			if new(Hashing).Value(HashSeed, v) != new(Hashing).Value(HashSeed, same[0]) {
				t.Errorf("%#v and %#v hash differently", same[0], v)
			}
		}
	}
}
