// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package gostruct

import (
	"reflect"
	"testing"
)

// TestIsIntOrString checks that isIntOrString returns false for a type in another package
// that has the name and the fields of IntOrString.
func TestIsIntOrString(t *testing.T) {
	type IntOrString intOrString
	for _, typ := range []reflect.Type{reflect.TypeFor[IntOrString](), reflect.TypeFor[intOrString](), reflect.TypeFor[int]()} {
		if isIntOrString(typ) {
			t.Errorf("%v is taken for the one of Kubernetes", typ)
		}
	}
}
