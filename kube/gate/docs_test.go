// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package gate_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// docs/controllers.md must have a row for each reason. Its programs must be the same as in
// the example and in the package comment.
func TestDocument(t *testing.T) {
	read := func(name string) string {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	guide := read("../../docs/controllers.md")
	var reasons, rows []string
	for _, m := range regexp.MustCompile(`Reason = "([a-z-]+)"`).FindAllStringSubmatch(read("check.go"), -1) {
		reasons = append(reasons, m[1])
	}
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\|").FindAllStringSubmatch(guide, -1) {
		rows = append(rows, m[1])
	}
	slices.Sort(reasons)
	slices.Sort(rows)
	if len(reasons) == 0 || !slices.Equal(reasons, rows) {
		t.Errorf("reasons %q, rows %q", reasons, rows)
	}
	for _, line := range []string{
		`c := gate.NewClient(mgr.GetClient(), g, gate.ClientOptions{Live: mgr.GetCache()})`, `metrics.Registry.MustRegister(g)`,
		`gate.New(gate.Options{Release: "1.37"})`, `gate.Apply(`,
	} {
		if !strings.Contains(guide, line) || !strings.Contains(read("doc.go"), line) {
			t.Errorf("docs/controllers.md and doc.go do not both have %s", line)
		}
	}
	if line := `decision, err := gate.Apply(`; !strings.Contains(guide, line) || !strings.Contains(read("example_test.go"), line) {
		t.Error("docs/controllers.md and the example do not both call Apply")
	}
}
