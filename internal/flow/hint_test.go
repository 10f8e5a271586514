// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package flow

import "testing"

func TestHints(t *testing.T) {
	for text, want := range map[string]string{
		"3": `; quote it: "3"`, "1.5": `; quote it: "1.5"`,
		"012":    `, which YAML reads as 10; quote it: "012"`,
		"0o14":   `, which YAML reads as 12; quote it: "0o14"`,
		"0x1F":   `, which YAML reads as 31; quote it: "0x1F"`,
		"1_000":  `, which YAML reads as 1000; quote it: "1_000"`,
		"1e3":    `, which YAML reads as 1000; quote it: "1e3"`,
		"1.10":   `, which YAML reads as 1.1; quote it: "1.10"`,
		"+1":     `, which YAML reads as 1; quote it: "+1"`,
		"0b11":   `, which YAML reads as 3; quote it: "0b11"`,
		"999999": `; quote it: "999999"`,
	} {
		if got := NumberHint(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
