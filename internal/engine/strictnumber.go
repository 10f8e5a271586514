// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"math"
	"reflect"
)

// exact is a number without loss: a whole one by sign and magnitude, if it fits,
// else a float.
type exact struct {
	whole, negative bool
	magnitude       uint64
	float           float64
}

func equalNumbers(a, b any) bool {
	x, ok := numberOf(a)
	y, is := numberOf(b)
	if !ok || !is {
		return ok == is && reflect.DeepEqual(a, b)
	}
	return x == y || x.float != x.float && y.float != y.float
}

// hash is the same for numbers that are equal.
func (x exact) hash() uint64 {
	switch {
	case x.whole && x.negative:
		return mix(hashNumbers, -x.magnitude)
	case x.whole:
		return mix(hashNumbers, x.magnitude)
	case x.float != x.float:
		return hashNumbers
	}
	return mix(hashNumbers, math.Float64bits(x.float))
}

func numberOf(v any) (exact, bool) {
	switch x := v.(type) {
	case int64:
		return exactInt(x), true
	case float64:
		return exactFloat(x), true
	case int:
		return exactInt(int64(x)), true
	case int32:
		return exactInt(int64(x)), true
	case int16:
		return exactInt(int64(x)), true
	case int8:
		return exactInt(int64(x)), true
	case uint:
		return exact{whole: true, magnitude: uint64(x)}, true
	case uint32:
		return exact{whole: true, magnitude: uint64(x)}, true
	case uint16:
		return exact{whole: true, magnitude: uint64(x)}, true
	case uint8:
		return exact{whole: true, magnitude: uint64(x)}, true
	case float32:
		return exactFloat(float64(x)), true
	}
	return exact{}, false
}

func exactInt(i int64) exact {
	if i < 0 {
		return exact{whole: true, negative: true, magnitude: -uint64(i)}
	}
	return exact{whole: true, magnitude: uint64(i)}
}

func exactFloat(f float64) exact {
	if size := math.Abs(f); size < 1<<64 && size == math.Trunc(size) {
		return exact{whole: true, negative: f < 0, magnitude: uint64(size)}
	}
	return exact{float: f}
}
