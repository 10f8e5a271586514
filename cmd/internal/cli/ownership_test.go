// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"encoding/json"
	"math/rand/v2"
	"testing"
)

// ownershipCommands returns command lines that read an object with managed fields from standard
// input.
func ownershipCommands() [][]string {
	return [][]string{
		{"owners", "-f", "-", "--untyped"},
		{"owners", "-f", "-", "--untyped", "-o", "report"},
		{"owners", "-f", "-", "--untyped", "--field-manager", "m1"},
		{"owners", "-f", "-", "--untyped", "--html", "-"},
		{"extract", "-f", "-", "--untyped", "--field-manager", "m1"},
		{"migrate", "-f", "-", "--untyped", "--from", "m1", "--to", "m2"},
		{"migrate", "-f", "-", "--untyped", "--from", "kubectl-client-side-apply", "--to", "kubectl", "-o", "json"},
		{"doctor", "-f", "-", "--untyped", "--stale", "1d"},
		{"doctor", "-f", "-", "--untyped", "--owned-defaults", "--stats"},
		{"doctor", "-f", "-", "--untyped", "--fix"},
		{"doctor", "-f", "-", "--untyped", "--fix", "-o", "report"},
		{"extract", "-f", "-", "--untyped", "--field-manager", "kubectl-client-side-apply", "--operation", "Update", "-o", "json"},
	}
}

// Whatever the object and its managed fields contain, each command ends with a
// result or with errors.
func TestOwnershipOfMutatedObjects(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	results, refusals := map[string]int{}, map[string]int{}
	for _, live := range liveObjects(t) {
		for range 6 {
			input := toJSON(t, mutate(r, live))
			for _, command := range ownershipCommands() {
				status, stdout, stderr := run(input, false, command...)
				checkOrderly(t, input, command, status, stdout, stderr)
				if status == 3 {
					refusals[command[0]]++
				} else {
					results[command[0]]++
				}
			}
		}
	}
	for _, command := range ownershipCommands() {
		if results[command[0]] < 20 || refusals[command[0]] < 20 {
			t.Errorf("%s: %d results and %d refusals: the objects show too little", command[0], results[command[0]], refusals[command[0]])
		}
	}
}

func FuzzOwnership(f *testing.F) {
	for _, object := range liveObjects(f) {
		text, err := json.Marshal(object)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, live string) {
		for _, command := range ownershipCommands() {
			status, stdout, stderr := run(live, false, command...)
			checkOrderly(t, live, command, status, stdout, stderr)
		}
	})
}
