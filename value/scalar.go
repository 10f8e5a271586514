// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

// FloatCompare returns -1, 0 or +1 as lhs is less than, equal to or greater
// than rhs. A NaN is neither less nor greater than anything, so it gives 0.
func FloatCompare(lhs, rhs float64) int {
	switch {
	case lhs < rhs:
		return -1
	case lhs > rhs:
		return 1
	}
	return 0
}

// IntCompare returns -1, 0 or +1 as lhs is less than, equal to or greater
// than rhs.
func IntCompare(lhs, rhs int64) int {
	switch {
	case lhs < rhs:
		return -1
	case lhs > rhs:
		return 1
	}
	return 0
}

// BoolCompare returns -1, 0 or +1 as lhs is less than, equal to or greater
// than rhs; false is less than true.
func BoolCompare(lhs, rhs bool) int {
	switch {
	case lhs == rhs:
		return 0
	case rhs:
		return -1
	}
	return 1
}
