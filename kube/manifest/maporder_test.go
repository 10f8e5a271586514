// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// TestSameErrors reads documents with several errors. Which error is reported must not
// depend on the random order of Go maps.
func TestSameErrors(t *testing.T) {
	var nan, deep strings.Builder
	nan.WriteString("kind: A\ndata:\n")
	deep.WriteString("kind: A\n")
	for i := range 20 {
		fmt.Fprintf(&nan, "  f%d: %s\n", i, []string{".nan", ".inf", "-.inf"}[i%3])
		fmt.Fprintf(&deep, "f%d: {1: a, '1': b, x: [{y: .nan}]}\n", i)
	}
	for _, text := range []string{nan.String(), deep.String(), "kind: A\n[1]: a\n[2]: b\n{a: b}: c\nx: .nan\n", "kind: A\n1.0: a\n1: b\n'1': c\ntrue: d\n'true': e\n"} {
		first := ""
		for range 50 {
			_, err := manifest.Read("f", []byte(text))
			if err == nil {
				t.Fatalf("%s is read", text)
			}
			if first == "" {
				first = err.Error()
			} else if err.Error() != first {
				t.Fatalf("%s\nnow  %v\nthen %s", text, err, first)
			}
		}
	}
}
