// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
)

// The output about hundreds of conflicts grows only in proportion to their number.
func TestManyConflicts(t *testing.T) {
	object := func(n int, v string) string {
		var b strings.Builder
		b.WriteString("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: d}\ndata:\n")
		for i := range n {
			fmt.Fprintf(&b, "  key.%d: %s\n", i, v)
		}
		return b.String()
	}
	size := func(n int, flags ...string) (text, report int, conflicts []struct{ Outcomes any }) {
		status, live, _ := run(object(n, "a"), false, "apply", "-f", "-", "--field-manager", "a")
		if status != command.StatusDone {
			t.Fatal(status)
		}
		args := append([]string{"apply", "-f", "-", "--live", write(t, "live.yaml", live), "--field-manager", "b"}, flags...)
		_, _, message := run(object(n, "b"), false, args...)
		_, out, _ := run(object(n, "b"), false, append(args, "-o", "report")...)
		type reported struct{ Conflicts []struct{ Outcomes any } }
		r, err := reportedObject[reported](out)
		if err != nil {
			t.Fatal(err)
		}
		return len(message), len(out), r.Conflicts
	}
	text, report, conflicts := size(150)
	if len(conflicts) != 150 || conflicts[0].Outcomes != nil {
		t.Errorf("150 conflicts: %d, the first with %v", len(conflicts), conflicts[0].Outcomes)
	}
	if _, _, few := size(12); len(few) != 12 || few[0].Outcomes == nil {
		t.Errorf("12 conflicts: %d, the first with %v", len(few), few[0].Outcomes)
	}
	text4, report4, conflicts := size(600)
	if len(conflicts) != 600 || text4 > 5*text || report4 > 5*report {
		t.Errorf("600 conflicts: %d in %d bytes, %d of report; 150 took %d and %d", len(conflicts), text4, report4, text, report)
	}
	// Flags accept paths as the command prints them, even if a key contains dots.
	if _, _, left := size(20, "--yield=.data.key.7", "--force-conflicts=.data.key.1,.data.key.12"); len(left) != 17 {
		t.Errorf("%d conflicts are left, want 17", len(left))
	}
}

// If many objects conflict, the summary comes first, and each conflict has two lines. A long list
// of reports has one line for each object.
func TestManyObjectsConflict(t *testing.T) {
	const n = 300
	objects := func(v string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: x%d, namespace: d}\ndata: {a: %s, b: %s}\n", i, v, v)
		}
		return b.String()
	}
	_, live, _ := run(objects("old"), false, "apply", "-f", "-", "--field-manager", "helm")
	args := []string{"apply", "-f", "-", "--live", write(t, "live.yaml", live), "--field-manager", "argocd"}
	status, _, text := run(objects("new"), false, args...)
	want := "300 objects: 600 conflicts in 300 objects\n  600 conflicts with helm (Apply)\n  -o report shows every conflict with all ways to resolve it\n"
	if status != command.StatusConflict || !strings.HasPrefix(text, want) {
		t.Errorf("status %d, got %.300s", status, text)
	}
	if lines := strings.Count(text, "\n"); lines > 2*2*n+300 {
		t.Errorf("%d lines", lines)
	}
	if !strings.Contains(text, "conflict: v1 ConfigMap d/x299: .data.b\n") {
		t.Error("the last conflict is missing")
	}
	_, out, _ := run(objects("new"), false, append(args, "-o", "report")...)
	type conflicting struct {
		Name      string
		Conflicts []struct{ Outcomes any }
	}
	reports, err := reportedObjects[conflicting](out)
	if err != nil || len(reports) != n || reports[n-1].Name != "x299" || reports[n-1].Conflicts[1].Outcomes == nil {
		t.Errorf("%d reports, %v", len(reports), err)
	}
	if _, list, _ := strings.Cut(out, `"objects": [`); strings.Count(list, "\n") != n+3 {
		t.Errorf("%d lines of objects", strings.Count(list, "\n"))
	}
}
