// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

// The command version prints the versions of structured-merge-diff with which tests compare the
// engine.
func TestStructuredMergeDiffIsCompared(t *testing.T) {
	compared := map[string]bool{}
	for _, file := range []string{"../../../test/go.mod", "../../../test/v7/go.mod"} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`\tsigs.k8s.io/structured-merge-diff/v\d+ (v\S+)`).FindAllSubmatch(data, -1) {
			compared[string(m[1])] = true
		}
	}
	for v := range compared {
		if !slices.Contains(structuredMergeDiff, v) {
			t.Errorf("%s is missing", v)
		}
	}
	if len(compared) != len(structuredMergeDiff) {
		t.Errorf("compared with %v", compared)
	}
}
