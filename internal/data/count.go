// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package data

// CountUpTo returns the number of values in v, including v itself and all containers. It stops
// counting at the given maximum. A map[any]any counts as a single value.
func CountUpTo(v any, most int) int {
	n := 1
	switch v := v.(type) {
	case map[string]any:
		for _, c := range v {
			if n >= most {
				break
			}
			n += CountUpTo(c, most-n)
		}
	case []any:
		for _, c := range v {
			if n >= most {
				break
			}
			n += CountUpTo(c, most-n)
		}
	}
	return n
}
