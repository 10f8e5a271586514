// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package scopes

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/conformance/differential/engine"
	"github.com/dovetail-ssa/dovetail/conformance/differential/engine/ours"
	"github.com/dovetail-ssa/dovetail/conformance/differential/engine/upstream"
	"github.com/dovetail-ssa/dovetail/conformance/differential/engine/upstream4"
	"github.com/dovetail-ssa/dovetail/spec/cases"
)

// TestImplementations has engines answer the cases. Version 4 refuses items that lack a key
// which has no default (rule I2).
func TestImplementations(t *testing.T) {
	groups, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	for name, e := range map[string]engine.Engine{"ours": ours.New(), "v6": upstream.New(), "v4": upstream4.New()} {
		refused := 0
		for _, g := range groups {
			for _, c := range g.Cases {
				line, err := json.Marshal(struct {
					Schema json.RawMessage `json:"schema"`
					cases.Case
				}{g.Schema, c})
				if err != nil {
					t.Fatal(err)
				}
				var out bytes.Buffer
				if err := Serve(e, bytes.NewReader(append(line, '\n')), &out); err != nil {
					t.Fatal(err)
				}
				var a struct {
					cases.Want
					Error string
				}
				if err := json.Unmarshal(out.Bytes(), &a); err != nil {
					t.Fatal(err)
				}
				switch {
				case name == "v4" && strings.Contains(a.Error, "omits key field"):
					refused++
				case a.Error != "":
					t.Errorf("%s %s: %s", name, c.Name, a.Error)
				case !reflect.DeepEqual(told(t, a.Want), told(t, c.Want)):
					t.Errorf("%s %s: %s\n  is   %s\n  want %s", name, c.Name, c.About, told(t, a.Want), told(t, c.Want))
				}
			}
		}
		if (refused > 0) != (name == "v4") {
			t.Errorf("%s refuses %d items without keys", name, refused)
		}
	}
}

// told is an answer as plain data: field sets have another order of elements than the model's.
func told(t *testing.T, w cases.Want) any {
	text, err := json.Marshal(w)
	if err != nil {
		t.Fatal(err)
	}
	return decoded(string(text))
}
