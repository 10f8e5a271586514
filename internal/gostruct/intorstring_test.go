// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package gostruct

import (
	"reflect"
	"testing"
)

// A type of that name and form is another one elsewhere.
func TestIsIntOrString(t *testing.T) {
	type IntOrString intOrString
	for _, typ := range []reflect.Type{reflect.TypeFor[IntOrString](), reflect.TypeFor[intOrString](), reflect.TypeFor[int]()} {
		if isIntOrString(typ) {
			t.Errorf("%v is taken for the one of Kubernetes", typ)
		}
	}
}
