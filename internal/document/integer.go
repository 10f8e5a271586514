// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package document

// Integer converts a number without a fraction to an int64. The number can have any Go type that
// decoders return. ok is false for all other values.
func Integer(v any) (n int64, ok bool) {
	switch v := v.(type) {
	case int64:
		return v, true
	case int:
		return int64(v), true
	case float64:
		return int64(v), float64(int64(v)) == v
	}
	return 0, false
}
