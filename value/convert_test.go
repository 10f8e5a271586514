// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/dovetail-ssa/dovetail/value"
)

// TestMapsOfStructs converts equal maps of common types and of named types. Only maps of
// named types need reflection. The test compares both results with the output of
// encoding/json.
func TestMapsOfStructs(t *testing.T) {
	type name string
	type file []byte
	long := bytes.Repeat([]byte("long "), 100)
	o := struct {
		Texts map[string]string `json:"texts"`
		Named map[name]name     `json:"named"`
		Bytes map[string][]byte `json:"bytes"`
		Files map[name]file     `json:"files"`
		Nil   map[string][]byte `json:"nil"`
		None  map[string]string `json:"none"`
	}{
		Texts: map[string]string{"a": "1", "": ""},
		Named: map[name]name{"a": "1", "": ""},
		Bytes: map[string][]byte{"nil": nil, "empty": {}, "short": []byte("s"), "long": long},
		Files: map[name]file{"nil": nil, "empty": {}, "short": []byte("s"), "long": long},
		None:  map[string]string{},
	}
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	var want any
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	v, err := value.NewValueReflect(&o)
	if err != nil {
		t.Fatal(err)
	}
	if got := v.Unstructured(); !reflect.DeepEqual(got, want) {
		t.Errorf("read as %v, want %v", got, want)
	}
}
