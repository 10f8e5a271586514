// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"

	"github.com/dovetail-ssa/dovetail/internal/flow"
)

// BooleanHint is what to say of an unquoted text that was read as a boolean,
// to be put behind it; empty if it looks like one.
func BooleanHint(text string) string {
	if text == "true" || text == "false" || text == "" {
		return ""
	}
	return fmt.Sprintf(": %s without quotes is a boolean in YAML 1.1, which Kubernetes reads; write %q", text, text)
}

// NumberHint is what to say of an unquoted text that was read as a number where a
// string is wanted, to be put behind it: that of 012, 0x1F, 1_000, 1e3 and 1.10 says
// what number they are.
func NumberHint(text string) string {
	if v, ok := flow.Unquoted(text); ok && flow.Scalar(v) != text {
		return fmt.Sprintf(", which YAML reads as %s: quote it: %q", flow.Scalar(v), text)
	}
	return fmt.Sprintf(": quote it: %q", text)
}
