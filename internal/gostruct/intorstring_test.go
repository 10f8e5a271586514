// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package gostruct

import (
	"reflect"
	"testing"
)

// TestIsIntOrString checks that a type with the name and fields of IntOrString in another
// package is not accepted.
func TestIsIntOrString(t *testing.T) {
	type IntOrString intOrString
	for _, typ := range []reflect.Type{reflect.TypeFor[IntOrString](), reflect.TypeFor[intOrString](), reflect.TypeFor[int]()} {
		if isIntOrString(typ) {
			t.Errorf("%v is taken for the one of Kubernetes", typ)
		}
	}
}
