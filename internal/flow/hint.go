// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package flow

import "fmt"

// BooleanHint returns a hint about an unquoted word that YAML reads as a boolean, such as yes
// or off. It returns "" for true, false and the empty text.
func BooleanHint(text string) string {
	if text == "true" || text == "false" || text == "" {
		return ""
	}
	return fmt.Sprintf(": in YAML 1.1, which Kubernetes reads, the unquoted word %q is a boolean; write it in quotes: %[1]q", text)
}

// NumberHint returns a hint about unquoted text that should be a string, but that YAML reads as
// a number. If the number looks different from the text, as for 012, 0x1F, 1_000, 1e3 and 1.10,
// the hint shows the number.
func NumberHint(text string) string {
	if v, ok := Unquoted(text); ok && Scalar(v) != text {
		return fmt.Sprintf(", which YAML reads as %s; quote it: %q", Scalar(v), text)
	}
	return fmt.Sprintf("; quote it: %q", text)
}
