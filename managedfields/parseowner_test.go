// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package managedfields

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestPlainOwnersAreReadAsJSON checks that parsePlain returns the same result as
// encoding/json.
func TestPlainOwnersAreReadAsJSON(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"{", "}", `"manager":"a"`, `"manager":"b c"`, `"operation":"Apply"`, `"operation":"Update"`, `"apiVersion":"v1"`,
		`"subresource":"status"`, `"manager":""`, `"manager":"\u00e9"`, "\"manager\":\"\xff\"", "\"manager\":\"\t\"", `"manager":3`, `"manager":"a\`, `"other":"x"`, ",", ",", ",", " ", `"`}
	plain := 0
	for range 200000 {
		var b strings.Builder
		b.WriteString("{")
		for range r.IntN(8) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		b.WriteString("}")
		id := b.String()
		got, ok := parsePlain(id)
		if !ok {
			continue
		}
		plain++
		var want struct{ Manager, Operation, APIVersion, Subresource string }
		if err := json.Unmarshal([]byte(id), &want); err != nil {
			t.Fatalf("%s is read as %v: %v", id, got, err)
		}
		if got != (Owner{want.Manager, Operation(want.Operation), want.APIVersion, want.Subresource}) {
			t.Fatalf("%s: got %+v, want %+v", id, got, want)
		}
	}
	if plain < 1000 {
		t.Errorf("%d were plain", plain)
	}
}
