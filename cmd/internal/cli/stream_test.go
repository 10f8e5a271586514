// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/program"
)

// manyObjects returns ConfigMaps, Services that lack some keys, and Secrets, as JSON. If changed is
// true, some objects have other values.
func manyObjects(n int, changed bool) (all []string) {
	for i := range n {
		value := "old"
		if changed && i%3 == 0 {
			value = "new"
		}
		meta := fmt.Sprintf(`"metadata":{"name":"x%d","namespace":"d%d"}`, i, i%2)
		switch i % 4 {
		case 0:
			all = append(all, fmt.Sprintf(`{"apiVersion":"v1","kind":"Service",%s,"spec":{"ports":[{"port":80,"name":"%s"}]}}`, meta, value))
		case 1:
			all = append(all, fmt.Sprintf(`{"apiVersion":"v1","kind":"Secret",%s,"stringData":{"k":"secret-%s-%d"}}`, meta, value, i/8))
		default:
			all = append(all, fmt.Sprintf(`{"apiVersion":"v1","kind":"ConfigMap",%s,"data":{"a":"%s","b":"1"}}`, meta, value))
		}
	}
	return all
}

// inAllForms writes the same objects in every file format, and returns the files.
func inAllForms(t *testing.T, objects []string) map[string]string {
	t.Helper()
	var stream, list strings.Builder
	list.WriteString("apiVersion: v1\nitems:\n")
	for _, object := range objects {
		_, text, stderr := run(object, false, "default", "-f", "-", "--untyped", "--time", "2026-03-01T10:00:00Z")
		if text == "" {
			t.Fatal(stderr)
		}
		stream.WriteString("---\n" + text)
		list.WriteString("- " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  ") + "\n")
	}
	list.WriteString("kind: List\nmetadata:\n  resourceVersion: \"\"\n")
	return map[string]string{
		"yaml":      stream.String(),
		"yaml list": list.String(),
		"ndjson":    strings.Join(objects, "\n") + "\n",
		"json list": `{"apiVersion":"v1","items":[` + strings.Join(objects, ",\n") + `],"kind":"List"}`,
		"one line":  strings.Join(objects, " "),
	}
}

// A command prints the same output for every file format and with any number of goroutines. It
// does not matter whether files are in memory or are read object by object.
func TestStreamsAreFiles(t *testing.T) {
	n := 130
	if testing.Short() {
		n = 24
	}
	_, live, stderr := run(strings.Join(manyObjects(n, false), "\n"), false, "apply", "-f", "-", "--field-manager", "helm", "--time", "2026-03-01T10:00:00Z")
	if live == "" {
		t.Fatal(stderr)
	}
	var list struct{ Items []json.RawMessage }
	_, text, _ := run(strings.Join(manyObjects(n, false), "\n"), false, "apply", "-f", "-", "--field-manager", "helm", "--time", "2026-03-01T10:00:00Z", "-o", "json")
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatal(err)
	}
	var lives []string
	for i := range list.Items {
		var one any
		if err := json.Unmarshal(list.Items[len(list.Items)-1-i], &one); err != nil { // take the objects in reverse order
			t.Fatal(err)
		}
		line, err := json.Marshal(one)
		if err != nil {
			t.Fatal(err)
		}
		lives = append(lives, string(line))
	}
	configs, dumps := inAllForms(t, manyObjects(n, true)), inAllForms(t, lives)
	dir := t.TempDir()
	for form := range configs {
		config, dump := filepath.Join(dir, form+" config"), filepath.Join(dir, form+" dump")
		for file, text := range map[string]string{config: configs[form], dump: dumps[form]} {
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		request := []string{"-f", config, "--live", dump, "--field-manager", "web", "--time", "2026-03-01T11:00:00Z"}
		for _, args := range [][]string{
			append([]string{"diff"}, request...),
			append([]string{"diff", "--force-conflicts=.data.a", "-o", "report"}, request...),
			append([]string{"apply"}, request...),
			append([]string{"apply", "--yield", "-o", "json"}, request...),
			append([]string{"update", "-o", "ndjson"}, request...),
			{"doctor", "-f", dump, "--stats", "--time", "2026-03-01T11:00:00Z"},
			{"validate", "-f", config, "--owned-defaults", "-o", "sarif"},
			{"default", "-f", config, "-o", "report", "--time", "2026-03-01T11:00:00Z"},
			{"owners", "-f", dump, "-o", "report"},
			{"extract", "-f", dump, "--field-manager", "helm"},
			{"migrate", "-f", dump, "--from", "helm", "--to", "web", "-o", "kyaml"},
			{"immutable", "--old", dump, "--new", config},
		} {
			type printed struct {
				status         int
				stdout, stderr string
			}
			var want printed
			for _, processors := range []int{1, 4} {
				for _, most := range []int64{64 << 20, 0} {
					back := input.SetMaxInMemory(most)
					was := runtime.GOMAXPROCS(processors)
					var got printed
					got.status, got.stdout, got.stderr = run("", false, args...)
					runtime.GOMAXPROCS(was)
					back()
					if want.stdout+want.stderr == "" {
						want = got
					}
					if got != want || got.stdout+got.stderr == "" {
						t.Fatalf("%s, %d processors, %d bytes held: %q ended with %d\n%.3000s\n%.3000s\nwant %d\n%.3000s\n%.3000s", form, processors, most, args, got.status, got.stdout, got.stderr, want.status, want.stdout, want.stderr)
					}
				}
			}
		}
	}
}

// The masks of Secrets are numbered in the order of the files, even if files are read in another
// order.
func TestMasksOfStreams(t *testing.T) {
	defer input.SetMaxInMemory(0)()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	secret := func(name, more string) string {
		return `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"` + name + `"},"stringData":{"k":"of-` + name + `"},"x":[` + more + `1]}` + "\n"
	}
	objects := secret("a", strings.Repeat("1,", 200_000))
	for _, name := range []string{"b", "c", "d", "e", "f"} {
		objects += secret(name, "")
	}
	_, out, stderr := run(objects, false, "owners", "-f", "-", "--untyped")
	for i, name := range []string{"a", "b", "c", "d", "e", "f"} {
		if _, of, found := strings.Cut(out, "  name: "+name+" "); !found || !strings.Contains(of[:min(len(of), 400)], fmt.Sprintf("k: '*** (%d)'", i+1)) {
			t.Errorf("%s: got %.300s %.300s", name, of, stderr)
		}
	}
}

// An error in a stream has file and line, and the command reads the remaining objects. If live
// objects have errors, the command predicts nothing.
func TestBrokenStreams(t *testing.T) {
	object := func(name string) string {
		return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"` + name + `"}}`
	}
	config := write(t, "config.json", object("a"))
	huge := `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"huge"},"data":{"x":"` + strings.Repeat("x", 5<<20) + `"}}`
	for _, tt := range []struct {
		name, data     string
		args           []string
		status         int
		stdout, stderr string // texts that the output must contain
	}{
		{"a huge line", object("a") + "\n" + huge + "\n" + object("b") + "\n", []string{"validate", "-f", "-"}, 0, "", "3 objects: no errors found"},
		{"cut short", object("a") + "\n" + object("b")[:30], []string{"doctor", "-f", "-", "--stats"}, 3, "", "<stdin>:2:31: not JSON: the text ends too early"},
		{"a live dump cut short", object("a") + "\n" + object("b")[:30], []string{"diff", "-f", config, "--live", "-", "--field-manager", "m"}, 3, "", "<stdin>:2:31: not JSON: the text ends too early"},
		{"above the bound", object("a") + "\n" + strings.Replace(huge, "x\"}", strings.Repeat("x", 60<<20)+"\"}", 1), []string{"validate", "-f", "-", "-o", "ndjson"}, 3, `"name":"a"`, ""},
		{"twice in a dump", object("a") + "\n" + object("c") + "\n" + object("a"), []string{"diff", "-f", config, "--live", "-", "--field-manager", "m"}, 3, "", "<stdin>:3: v1 ConfigMap a appears twice, first at <stdin>:1"},
		{"a definition behind its resource", `{"apiVersion":"ex.io/v1","kind":"X","metadata":{"name":"x"}}` + "\n" +
			`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"x.ex.io"},"spec":{"group":"ex.io","names":{"kind":"X"}}}`,
			[]string{"validate", "-f", "-"}, 3, "", "the CustomResourceDefinition in <stdin> cannot be used"},
		{"nothing", "# nothing\n", []string{"validate", "-f", "-"}, 0, "", "no objects in <stdin>"},
		{"a List without items", `{"apiVersion":"v1","kind":"List","items":[]}`, []string{"validate", "-f", "-"}, 0, "", "no objects in <stdin>"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			defer input.SetMaxInMemory(0)()
			status, stdout, stderr := run(tt.data, false, tt.args...)
			if status != tt.status || !strings.Contains(stdout, tt.stdout) || !strings.Contains(stderr, tt.stderr) {
				t.Errorf("status %d\n%.500s\n%.500s", status, stdout, stderr)
			}
			if strings.Contains(tt.name, "bound") && !strings.Contains(stdout, `an object is larger than 64 MiB`) {
				t.Errorf("got %.500s", stdout)
			}
		})
	}
}

// With -o ndjson, each line is one object of the report. The last line has the summary.
func TestReportsAsLines(t *testing.T) {
	file := write(t, "many.json", strings.Join(manyObjects(120, false), "\n"))
	_, list, _ := run("", false, "validate", "-f", file, "-o", "report")
	_, lines, _ := run("", false, "validate", "-f", file, "-o", "ndjson")
	_, objects, _ := strings.Cut(list, `"objects": [`+"\n")
	objects = strings.ReplaceAll(strings.TrimSuffix(objects, "  ]\n}\n"), ",\n", "\n")
	if got, last, _ := strings.Cut(lines, `{"summary":`); got != objects || strings.Count(got, "\n") != 120 || strings.Count(last, "\n") != 1 {
		t.Errorf("got %.300s\nwant %.300s", lines, objects)
	}
	for n := range 2 { // with and without objects
		object := manyObjects(1, false)[0]
		_, few, _ := run(object[:n*len(object)], false, "validate", "-f", "-", "-o", "ndjson")
		if strings.Count(few, "\n") != n+1 || !strings.Contains(few, fmt.Sprintf(`"objects":%d,`, n)) {
			t.Errorf("got %q", few)
		}
	}
}

// In the output for CI systems, the conflicts of all objects come before the differences.
func TestConflictsStandBeforeDifferences(t *testing.T) {
	object := func(name, value string) string {
		return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"` + name + `"},"data":{"a":"` + value + `"}}`
	}
	_, live, _ := run(object("a", "1")+object("b", "1"), false, "apply", "-f", "-", "--field-manager", "helm", "-o", "json")
	args := []string{"diff", "-f", "-", "--live", write(t, "live.json", live), "--field-manager", "web", "-o", "github"}
	_, out, stderr := run(object("a", "1")+object("c", "1")+object("b", "2"), false, args...)
	conflict, isNew := strings.Index(out, "conflicts with helm"), strings.Index(out, "is new")
	if conflict < 0 || isNew < conflict {
		t.Errorf("got %s\n%s", out, stderr)
	}
}

// No temporary file remains after the program has ended, even if it was killed.
func TestTemporaryFilesGo(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no interrupts")
	}
	object := `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"` + strings.Repeat("x", 1000) + `"}}` + "\n"
	for _, ends := range []bool{true, false} {
		dir := t.TempDir()
		path, err := exec.LookPath(program.Name)
		if err != nil {
			t.Skip(err)
		}
		c := exec.Command(path, "owners", "-f", "-", "-o", "ndjson")
		c.Env = append(os.Environ(), "TMPDIR="+dir)
		stdin, err := c.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		for range 5000 { // 5 MB, more than stays in memory
			if _, err := stdin.Write([]byte(object)); err != nil {
				t.Fatal(err)
			}
		}
		if ends {
			stdin.Close()
		} else {
			time.Sleep(100 * time.Millisecond)
			if err := c.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.Wait(); (err == nil) != ends {
			t.Errorf("ends %t: %v", ends, err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%v are left, %v", left, err)
		}
	}
}
