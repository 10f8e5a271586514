// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"encoding/json"
	"reflect"
	"testing"
)

// TestMergePatch runs the examples of RFC 7386 in which the target and the patch are objects.
func TestMergePatch(t *testing.T) {
	for _, tc := range [][3]string{
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
	} {
		var object, patch, want map[string]any
		for i, v := range []*map[string]any{&object, &patch, &want} {
			if err := json.Unmarshal([]byte(tc[i]), v); err != nil {
				t.Fatal(err)
			}
		}
		if got := MergePatch(object, patch); !reflect.DeepEqual(got, want) {
			t.Errorf("%s with %s: got %v, want %v", tc[0], tc[1], got, want)
		}
	}
}
