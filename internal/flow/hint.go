// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package flow

import "fmt"

// BooleanHint returns a hint for unquoted text that YAML reads as a boolean. It returns "" if
// the text is "true" or "false", or empty.
func BooleanHint(text string) string {
	if text == "true" || text == "false" || text == "" {
		return ""
	}
	return fmt.Sprintf(": %s without quotes is a boolean in YAML 1.1, which Kubernetes reads; write %q", text, text)
}

// NumberHint returns a hint for unquoted text that should be a string, but that YAML reads as a
// number. If YAML would write the number differently, as for 012, 0x1F, 1_000, 1e3 and 1.10, the
// hint contains the number.
func NumberHint(text string) string {
	if v, ok := Unquoted(text); ok && Scalar(v) != text {
		return fmt.Sprintf(", which YAML reads as %s: quote it: %q", Scalar(v), text)
	}
	return fmt.Sprintf(": quote it: %q", text)
}
