package cli_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli"
)

// Hundreds of conflicts are told in a size that grows with their number.
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
		if status != cli.StatusDone {
			t.Fatal(status)
		}
		args := append([]string{"apply", "-f", "-", "--live", write(t, "live.yaml", live), "--field-manager", "b"}, flags...)
		_, _, message := run(object(n, "b"), false, args...)
		_, out, _ := run(object(n, "b"), false, append(args, "-o", "report")...)
		var r struct{ Conflicts []struct{ Outcomes any } }
		if err := json.Unmarshal([]byte(out), &r); err != nil {
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
	// A key with dots is chosen as it reads.
	if _, _, left := size(20, "--yield=.data.key.7", "--force-conflicts=.data.key.1,.data.key.12"); len(left) != 17 {
		t.Errorf("%d conflicts are left, want 17", len(left))
	}
}
