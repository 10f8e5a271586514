// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package clientside

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestPlainNumbers(t *testing.T) {
	v := map[string]any{"a": json.Number("1"), "b": []any{json.Number("1.5"), "x", map[string]any{"c": json.Number("9223372036854775808")}}}
	if err := plainNumbers(v); err != nil {
		t.Fatal(err)
	}
	if want := (map[string]any{"a": int64(1), "b": []any{1.5, "x", map[string]any{"c": 9223372036854775808.0}}}); !reflect.DeepEqual(v, want) {
		t.Errorf("got %#v, want %#v", v, want)
	}
	if err := plainNumbers([]any{json.Number("1e999")}); err == nil {
		t.Error("a number that is too large was accepted")
	}
}
