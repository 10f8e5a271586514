// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value_test

import (
	"testing"

	"github.com/dovetail-ssa/dovetail/value"
)

// TestPointerToAPointer checks that a pointer to a pointer is not a value, neither in a
// struct nor by itself.
func TestPointerToAPointer(t *testing.T) {
	defer func() {
		if got := recover(); got != "unsupported type: *int" {
			t.Errorf("got %v", got)
		}
	}()
	p := new(int)
	v, err := value.NewValueReflect(&p)
	t.Errorf("got %v, %v", v, err)
}
