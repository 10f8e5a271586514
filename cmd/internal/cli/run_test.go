// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/program"
)

// run runs a command in this process. If the command prints a report, the report must match the
// schema.
func run(stdin string, colour bool, args ...string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	status = cli.Run(args, command.Env{
		Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &err, Colour: colour,
	})
	if _, err := program.CheckReport(args, out.Bytes()); err != nil {
		panic(fmt.Sprintf("%v: %v", args, err))
	}
	return status, out.String(), err.String()
}

// reportedObjects returns the objects in a report.
func reportedObjects[T any](report string) ([]T, error) {
	var document struct{ Objects []T }
	err := json.Unmarshal([]byte(report), &document)
	return document.Objects, err
}

// reportedObject returns the only object in a report. If the report has no object, it returns a
// zero value.
func reportedObject[T any](report string) (object T, err error) {
	all, err := reportedObjects[T](report)
	switch {
	case err != nil || len(all) == 0:
		return object, err
	case len(all) > 1:
		return object, fmt.Errorf("%d objects", len(all))
	}
	return all[0], nil
}

func write(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestDiffInColour(t *testing.T) {
	live := write(t, "live.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: one, b: two}\n")
	config := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: two, c: \"3\"}\n"
	args := []string{"diff", "-f", "-", "--live", live, "--field-manager", "m", "--force-conflicts"}
	status, coloured, _ := run(config, true, args...)
	if status != command.StatusDifference {
		t.Fatalf("status %d: %s", status, coloured)
	}
	for _, want := range []string{
		"\x1b[1mv1 ConfigMap a\x1b[0m\n",
		"\x1b[33m~ .data.a: one -> two\x1b[0m\n",
		"\x1b[32m+ .data.c: \"3\"\x1b[0m\n",
	} {
		if !strings.Contains(coloured, want) {
			t.Errorf("no %q in %q", want, coloured)
		}
	}
	_, unified, _ := run(config, true, append(args, "--view=unified")...)
	for _, want := range []string{"\x1b[36m@@ -1,7 +1,8 @@\x1b[0m\n", "\n\x1b[31m-  a: one\x1b[0m\n", "\n\x1b[32m+  c: \"3\"\x1b[0m\n"} {
		if !strings.Contains(unified, want) {
			t.Errorf("no %q in %q", want, unified)
		}
	}
	_, plain, _ := run(config, false, args...)
	if strings.Contains(plain, "\x1b") {
		t.Errorf("colour in %q", plain)
	}
}

// With any input, a command ends soon with a result or an error, and never with a panic.
func TestHostileInput(t *testing.T) {
	nested := func(levels int) string { return strings.Repeat("[", levels) + strings.Repeat("]", levels) }
	object := func(data string) string {
		return `{"apiVersion":"ex.io/v1","kind":"X","metadata":{"name":"x"},"spec":` + data + "}"
	}
	long := strings.Repeat("x", 1<<20)
	for _, tt := range []struct {
		name, data string
		status     int
	}{
		{"nested", object(nested(2_000)), command.StatusDone},
		{"nested too deep", object(nested(3_000_000)), command.StatusInvalid},
		{"maps too deep", object(strings.Repeat(`{"a":`, 1_000_000)), command.StatusInvalid},
		{"YAML too deep", strings.Repeat("a: {", 1_000_000), command.StatusInvalid},
		{"long name", object(`{"` + long + `":1}`), command.StatusDone},
		{"no UTF-8", object("\"\xff\xfe\""), command.StatusDone},
		{"binary", "\x00\x01\x02", command.StatusInvalid},
		{"name with escapes", `{"apiVersion":"ex.io/v1","kind":"X","metadata":{"name":"\u001b[2J"}}`, command.StatusDone},
		{"managed fields nonsense", `{"apiVersion":"ex.io/v1","kind":"X","metadata":{"name":"x","managedFields":{"a":[]}}}`, command.StatusDone},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, args := range [][]string{
				{"apply", "-f", "-", "--untyped", "--field-manager", "m"},
				{"apply", "-f", "-", "--untyped", "--field-manager", "m", "-o", "report"},
				{"update", "-f", "-", "--untyped", "--field-manager", "m"},
				{"validate", "-f", "-", "--untyped"},
				{"default", "-f", "-", "--untyped"},
			} {
				status, _, stderr := run(tt.data, false, args...)
				if strings.Contains(stderr, "internal error") || strings.Contains(stderr, "goroutine") {
					t.Fatalf("%v: %.500s", args, stderr)
				}
				if strings.Contains(stderr, "\x1b") || len(stderr) > 20_000 {
					t.Errorf("%v: message of %d bytes: %.300q", args, len(stderr), stderr)
				}
				if status != tt.status {
					t.Errorf("%v: status %d, want %d: %.500s", args, status, tt.status, stderr)
				}
			}
		})
	}
}

// The output about an object with many errors has a limited size.
func TestHostileTyped(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 1_500) + "1" + strings.Repeat("}", 1_500)
	config := `{"apiVersion":"v1","kind":"Service","metadata":{"name":"x","` + strings.Repeat("y", 1<<16) + `":1},"spec":{"selector":` + deep + `,"ports":[` + strings.Repeat(`{"port":80},`, 2_000) + `{}]}}`
	for _, args := range [][]string{
		{"apply", "-f", "-", "--field-manager", "m"},
		{"validate", "-f", "-"},
		{"validate", "-f", "-", "-o", "report"},
		{"default", "-f", "-", "--zero", "-o", "report"},
	} {
		status, stdout, stderr := run(config, false, args...)
		if status != command.StatusInvalid || strings.Contains(stderr, "internal error") {
			t.Errorf("%v: status %d, %.1000s", args, status, stderr)
		}
		if len(stderr) > 4<<20 || len(stdout) > 8<<20 {
			t.Errorf("%v: %d and %d bytes", args, len(stdout), len(stderr))
		}
	}
}

func FuzzApply(f *testing.F) {
	for _, name := range []string{"service/service.yaml", "service/conflict.yaml", "service/live.yaml", "database/live.yaml"} {
		data, err := os.ReadFile("../../../examples/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data), string(data))
	}
	live := write(f, "live.yaml", "")
	f.Fuzz(func(t *testing.T, config, old string) {
		if err := os.WriteFile(live, []byte(old), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{
			{"apply", "-f", "-", "--live", live, "--field-manager", "web", "--untyped"},
			{"update", "-f", "-", "--live", live, "--field-manager", "web"},
			{"diff", "-f", "-", "--live", live, "--field-manager", "web", "--show-defaults", "--untyped"},
			{"diff", "-f", "-", "--live", live, "--field-manager", "m", "--view=unified", "--force-conflicts"},
			{"diff", "-f", "-", "--live", live, "--field-manager", "m", "--view=side-by-side", "--width=40", "--equal-quantities"},
			{"validate", "-f", "-", "-o", "report"},
			{"default", "-f", "-", "--zero", "-o", "report"},
			{"default", "-f", "-", "--untyped"},
		} {
			status, _, stderr := run(config, false, args...)
			if status < 0 || status > 4 || strings.Contains(stderr, "internal error") {
				t.Fatalf("%v: status %d, %s", args, status, stderr)
			}
		}
	})
}

func BenchmarkApplyService(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		status, _, stderr := run("", false, "apply", "-f", "../../../examples/service/service.yaml",
			"--live", "../../../examples/service/live.yaml", "--field-manager", "web")
		if status != 0 {
			b.Fatal(stderr)
		}
	}
}
