// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package box

import (
	"reflect"
	"testing"
)

func TestBox(t *testing.T) {
	s, f := "text", 1.5
	if got, ok := String(&s).(string); !ok || got != "text" {
		t.Errorf("got %v", got)
	}
	if got, ok := Float(&f).(float64); !ok || got != 1.5 {
		t.Errorf("got %v", got)
	}
	if String(&s) != any("text") || Float(&f) != any(1.5) || reflect.TypeOf(String(&s)).Kind() != reflect.String {
		t.Error("boxed values differ from others")
	}
}
