// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package generate

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/test/generate/internal/tools"
)

// TestKnownSpellings checks that dovetail-gen knows all markers of controller-gen's generators,
// in all places where they are allowed.
func TestKnownSpellings(t *testing.T) {
	above := map[string]map[string]bool{"package": {}, "type": {}, "field": {}}
	for _, generator := range []string{"crd", "object", "rbac:roleName=x", "webhook", "applyconfiguration"} {
		var categories []struct {
			Markers []struct {
				Name, Target string
				Fields       []struct{ Name string }
			}
		}
		if err := json.Unmarshal(tools.Run(t, ".", "go", "tool", "controller-gen", generator, "-wwww"), &categories); err != nil {
			t.Fatal(err)
		}
		for _, c := range categories {
			for _, m := range c.Markers {
				if len(m.Fields) > 0 && m.Fields[0].Name != "" {
					m.Name += ":" + m.Fields[0].Name + "=x"
				}
				above[m.Target][m.Name] = true
			}
		}
	}
	comment := func(target string) string {
		names := slices.Sorted(maps.Keys(above[target]))
		if len(names) == 0 {
			t.Errorf("no markers for a %s; too little was tested", target)
		}
		return "// +" + strings.Join(names, "\n// +")
	}
	dir := t.TempDir()
	source := fmt.Sprintf("%s\npackage api\n\n%s\ntype T struct {\n%s\nF string `json:\"f\"`\n}\n", comment("package"), comment("type"), comment("field"))
	for name, text := range map[string]string{"go.mod": "module example.com/api\n\ngo 1.25\n", "api.go": source} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	// The markers have no values, and dovetail-gen must report this.
	out, err := tools.Command(dir, toolPath(t, "dovetail-gen"), "--check", ".").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "marker-value: +kubebuilder:validation:MaxLength of T.F") {
		t.Fatalf("dovetail-gen does not report a marker without a value, so the test proves nothing: %v:\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "unknown-marker") {
			t.Error(strings.TrimSpace(line))
		}
	}
}
