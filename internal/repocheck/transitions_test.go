// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package repocheck

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/schema"
)

// TestListsOfTransitionRulesAreWhole checks that every list of transition rules is complete,
// in the help of commands and in the documents. It also checks that gen/internal/markers
// documents each marker.
func TestListsOfTransitionRulesAreWhole(t *testing.T) {
	lists := 0
	for _, root := range []string{"cmd", "docs"} {
		err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasSuffix(name, "_test.go") || filepath.Ext(name) != ".go" && filepath.Ext(name) != ".md" {
				return err
			}
			text, err := os.ReadFile(name)
			if err != nil || !strings.Contains(string(text), schema.Immutable.Extension()) || !strings.Contains(string(text), schema.ImmutableKeys.Extension()) {
				return err
			}
			lists++
			for _, rule := range schema.Transitions() {
				if !strings.Contains(string(text), rule.Extension()) {
					t.Errorf("%s lists transition rules without %s", name, rule.Extension())
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if lists < 2 {
		t.Errorf("%d files list transition rules, want at least 2", lists)
	}
	doc, err := os.ReadFile("gen/internal/markers/doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, transition := range graph.Transitions() {
		if rule := transition.Rule(); !rule.NoMarker && !strings.Contains(string(doc), strings.TrimSuffix("+immutable="+rule.Marker, "=")+" ") {
			t.Errorf("gen/internal/markers/doc.go does not document +immutable=%s", rule.Marker)
		}
	}
}
