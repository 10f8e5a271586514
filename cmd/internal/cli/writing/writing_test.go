// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build !slim

package writing_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/program"
)

// desk runs commands against a test cluster.
type desk struct {
	*program.Cluster
	t *testing.T
}

// newDesk starts a cluster with objects and returns a desk for it.
func newDesk(t *testing.T, objects string) *desk {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv("KUBECACHEDIR", t.TempDir())
	t.Setenv("KUBECONFIG", "config")
	c, err := program.NewCluster("config", "objects", []byte(objects))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return &desk{c, t}
}

// run runs a command. If answer is not empty, the command runs on a terminal, and the user types
// answer.
func (d *desk) run(answer string, args ...string) (status int, stdout, stderr string) {
	var out, messages bytes.Buffer
	status = cli.Run(args, command.Env{Stdin: strings.NewReader(answer), Stdout: &out, Stderr: &messages, Asks: answer != ""})
	return status, out.String(), messages.String()
}

// writes returns the requests so far that change something, including dry runs.
func (d *desk) writes() (list []string) {
	for _, a := range d.Requests {
		if !strings.HasPrefix(a, "GET ") {
			list = append(list, strings.Replace(a, "/api/v1/namespaces/shop/", "", 1))
		}
	}
	d.Requests = nil
	return list
}

// managers returns the names of the managers in an object's managed fields.
func (d *desk) managers(path string) (list []string) {
	metadata := d.Get(path)["metadata"].(map[string]any)
	fields, _ := metadata["managedFields"].([]any)
	for _, e := range fields {
		e := e.(map[string]any)
		list = append(list, fmt.Sprintf("%v/%v", e["manager"], e["operation"]))
	}
	slices.Sort(list)
	return list
}

// stored returns an object without values that a server counts.
func stored(o map[string]any) string {
	text, _ := json.Marshal(o)
	var plain map[string]any
	_ = json.Unmarshal(text, &plain)
	delete(plain["metadata"].(map[string]any), "resourceVersion")
	text, _ = json.Marshal(plain)
	return string(text)
}

func (d *desk) undoFile() string {
	names, _ := filepath.Glob("dovetail-undo-*.json")
	if len(names) != 1 {
		d.t.Fatalf("undo files: %q", names)
	}
	return names[0]
}

func configMap(name string) string {
	return fmt.Sprintf(`---
apiVersion: v1
kind: ConfigMap
metadata:
  name: %s
  namespace: shop
  managedFields:
  - {manager: helm, operation: Update, apiVersion: v1, time: "2026-03-01T10:00:00Z", fieldsType: FieldsV1, fieldsV1: {"f:data": {".": {}, "f:k": {}}}}
  - {manager: other, operation: Update, apiVersion: v1, time: "2026-03-01T10:00:00Z", fieldsType: FieldsV1, fieldsV1: {"f:data": {"f:o": {}}}}
data: {k: a, o: b}
`, name)
}

const (
	at   = "/api/v1/namespaces/shop/configmaps/"
	to   = "helm/Apply"
	from = "helm/Update"
)

var migrate = []string{"migrate", "configmaps", "--from", "helm", "--to", "helm", "--context", "test", "--write"}

// undo reverts a written migration.
func TestMigrateAndUndo(t *testing.T) {
	d := newDesk(t, configMap("a")+configMap("b"))
	before := stored(d.Get(at + "a"))
	status, stdout, stderr := d.run("y\n", migrate...)
	if status != 0 || stdout != "v1 ConfigMap shop/a: written\nv1 ConfigMap shop/b: written\n" {
		t.Fatalf("%d, %s%s", status, stdout, stderr)
	}
	for _, want := range []string{"2 objects: 2 changed\n", "Write the managed fields of 2 objects in http://127.0.0.1:", " (context test, user ann)? [y/N] 2 objects: 2 written\n", "to undo it: dovetail undo -f dovetail-undo-127.0.0.1-"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("want %q: %s", want, stderr)
		}
	}
	if got := d.managers(at + "a"); !slices.Equal(got, []string{to, "other/Update"}) {
		t.Errorf("managers %q", got)
	}
	if got := d.writes(); len(got) != 4 || !strings.HasSuffix(got[0], "?") || !strings.HasSuffix(got[1], "?") || strings.HasSuffix(got[2], "?") {
		t.Errorf("asked %q", got)
	}
	info, err := os.Stat(d.undoFile())
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if status, stdout, stderr = d.run("", append(migrate, "--yes")...); status != 0 || stdout != "" || !strings.Contains(stderr, "nothing to write") {
		t.Errorf("again: %d, %s%s", status, stdout, stderr)
	}
	// Undo keeps changes by other managers. It reports changes of the fields that it should
	// restore.
	d.Locked(func() {
		d.Update(at+"a", "other", func(o map[string]any) { o["data"].(map[string]any)["o"] = "c" })
		d.Update(at+"b", "third", func(o map[string]any) { o["data"].(map[string]any)["k"] = "c" })
	})
	status, stdout, stderr = d.run("y\n", "undo", "-f", d.undoFile(), "--context", "test")
	if status != command.StatusInvalid || stdout != "v1 ConfigMap shop/a: written\n" || !strings.Contains(stderr, "v1 ConfigMap shop/b: is not undone, because someone has since changed the managed fields of helm (Apply, v1)") {
		t.Errorf("undo: %d, %s%s", status, stdout, stderr)
	}
	if got := strings.Replace(stored(d.Get(at+"a")), `"o":"c"`, `"o":"b"`, 1); withoutTimes(got) != withoutTimes(before) {
		t.Errorf("got  %s\nwant %s", got, before)
	}
	if got := d.managers(at + "b"); !slices.Contains(got, to) {
		t.Errorf("managers %q", got)
	}
	if status, stdout, stderr = d.run("y\n", "undo", "-f", d.undoFile(), "--context", "test"); stdout != "" || !strings.Contains(stderr, "1 unchanged") {
		t.Errorf("undo again: %d, %s%s", status, stdout, stderr)
	}
}

func withoutTimes(text string) string {
	parts := strings.Split(text, `"time":"`)
	for i := range parts[1:] {
		_, parts[i+1], _ = strings.Cut(parts[i+1], `"`)
	}
	// Entries are ordered by time.
	all := strings.Split(strings.Join(parts, ""), "{")
	slices.Sort(all)
	return strings.Join(all, "{")
}

// Without consent, or with contradictory flags, nothing is written.
func TestWithoutConsent(t *testing.T) {
	d := newDesk(t, configMap("a"))
	if err := os.WriteFile("there.json", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		answer string
		args   []string
		want   string
	}{
		{"n\n", migrate, "not confirmed: nothing was written"},
		{"\n", migrate, "not confirmed"},
		{"", migrate, "--write asks for confirmation, but standard input is not a terminal: add --yes"},
		{"", append(migrate, "--yes", "-o", "json"), "leave out -o"},
		{"", append(migrate, "--yes", "--undo", "there.json"), "there.json: the file already exists"},
		{"", append(migrate, "--yes", "--undo", "nowhere/undo.json"), "the undo file cannot be created: open nowhere"},
		{"", []string{"migrate", "-f", "x.yaml", "--from", "helm", "--to", "helm", "--write", "--yes", "-n", "shop"}, "instead of -f"},
		{"", []string{"migrate", "--from", "helm", "--to", "helm", "--write", "--yes"}, "--write needs a cluster"},
		{"", []string{"migrate", "-f", "x.yaml", "--from", "helm", "--to", "helm", "--yes"}, "--yes and --undo need --write"},
		{"", []string{"undo", "-f", "there.json", "--context", "test", "--yes"}, "is empty"},
		{"", []string{"undo", "-f", "config", "--context", "test", "--yes"}, "is not an undo file that --write saved"},
		{"", []string{"undo", "-f", "there.json", "--yes"}, "undo needs the cluster"},
		{"", []string{"undo", "-f", "there.json", "--context", "test"}, "add --yes"},
		{"", []string{"undo", "--context", "test"}, "-f is missing: name the file"},
	} {
		status, stdout, stderr := d.run(c.answer, c.args...)
		if status != command.StatusInvalid || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: %d, %s%s, want %q", c.args, status, stdout, stderr, c.want)
		}
	}
	if names, _ := filepath.Glob("dovetail-undo-*"); len(names) > 0 {
		t.Errorf("files %q", names)
	}
	for _, w := range d.writes() {
		if !strings.HasSuffix(w, "?") {
			t.Errorf("written: %s", w)
		}
	}
}

// If another client changes an object during a migration, the command reads the object again and
// repeats the migration. It gives up after some attempts.
func TestChangedMeanwhile(t *testing.T) {
	for _, c := range []struct{ times, dry int }{{1, 0}, {3, 0}, {1, 1}, {2, 2}, {100, 0}} {
		d := newDesk(t, configMap("a")+configMap("b"))
		n := 0
		d.Refuse = func(x *program.Cluster, _ *http.Request, path string, trial bool) (int, string, string) {
			if strings.HasSuffix(path, "/a") && (trial && n < c.dry || !trial && n < c.times) {
				n++
				x.Update(path, "other", func(o map[string]any) { o["data"].(map[string]any)["o"] = fmt.Sprint("meanwhile ", n) })
			}
			return 0, "", ""
		}
		status, stdout, stderr := d.run("y\n", migrate...)
		o := d.Get(at + "a")["data"].(map[string]any)["o"]
		if o != fmt.Sprint("meanwhile ", n) {
			t.Errorf("%+v: lost: %v", c, o)
		}
		if c.times == 100 {
			if status != command.StatusInvalid || stdout != "v1 ConfigMap shop/b: written\n" || !strings.Contains(stderr, "other clients changed the object 6 times during the write") || !slices.Contains(d.managers(at+"a"), from) {
				t.Errorf("%+v: %d, %s%s", c, status, stdout, stderr)
			}
			continue
		}
		if status != 0 || stdout != "v1 ConfigMap shop/a: written\nv1 ConfigMap shop/b: written\n" || !slices.Contains(d.managers(at+"a"), to) {
			t.Errorf("%+v: %d, %s%s", c, status, stdout, stderr)
		}
		if status, stdout, stderr = d.run("", "undo", "-f", d.undoFile(), "--context", "test", "--yes"); status != 0 || !slices.Contains(d.managers(at+"a"), from) {
			t.Errorf("%+v: undo: %d, %s%s", c, status, stdout, stderr)
		}
	}
}

// The command reports a rejected write with a hint, and writes the other objects.
func TestRefused(t *testing.T) {
	d := newDesk(t, configMap("a")+configMap("b"))
	d.Refuse = func(_ *program.Cluster, _ *http.Request, path string, trial bool) (int, string, string) {
		if strings.HasSuffix(path, "/a") {
			return 403, "Forbidden", "no"
		}
		return 0, "", ""
	}
	status, stdout, stderr := d.run("", append(migrate, "--yes")...)
	if status != command.StatusInvalid || stdout != "v1 ConfigMap shop/b: written\n" || strings.Count(stderr, `user ann may not patch configmaps a in namespace shop (403): no; it needs a role with {apiGroups: [""], resources: [configmaps], verbs: [patch]}`) != 1 {
		t.Errorf("%d, %s%s", status, stdout, stderr)
	}
}

// If the dry run differs from the prediction, nothing is written.
func TestWrongPrediction(t *testing.T) {
	d := newDesk(t, configMap("a"))
	d.Mutate = func(o map[string]any) { o["data"].(map[string]any)["k"] = "webhook" }
	status, stdout, stderr := d.run("", append(migrate, "--yes")...)
	if status != command.StatusInvalid || stdout != "" || !strings.Contains(stderr, "the prediction is wrong") || !strings.Contains(stderr, ".data.k: predicted a, server webhook") {
		t.Errorf("%d, %s%s", status, stdout, stderr)
	}
	if got := d.writes(); !slices.Equal(got, []string{"PATCH configmaps/a?"}) {
		t.Errorf("asked %q", got)
	}
}

// If the server stops answering, the command reports the objects written so far.
func TestServerStopsAnswering(t *testing.T) {
	d := newDesk(t, configMap("a")+configMap("b")+configMap("c"))
	n := 0
	d.Refuse = func(_ *program.Cluster, _ *http.Request, _ string, trial bool) (int, string, string) {
		if !trial {
			if n++; n > 1 {
				panic(http.ErrAbortHandler)
			}
		}
		return 0, "", ""
	}
	status, stdout, stderr := d.run("", append(migrate, "--yes")...)
	if status != command.StatusInvalid || strings.Count(stdout, ": written\n") != 1 || !strings.Contains(stderr, "the cluster stopped answering") || !strings.Contains(stderr, "it is unknown whether the object was written") || !strings.Contains(stderr, "to undo it: ") {
		t.Errorf("%d, %s%s", status, stdout, stderr)
	}
	d.Locked(func() { d.Refuse = nil })
	if status, stdout, stderr = d.run("", "undo", "-f", d.undoFile(), "--context", "test", "--yes"); status != 0 || strings.Count(stdout, ": written\n") != 1 {
		t.Errorf("undo: %d, %s%s", status, stdout, stderr)
	}
	for _, name := range []string{"a", "b", "c"} {
		if got := d.managers(at + name); !slices.Equal(got, []string{from, "other/Update"}) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// undo reverts the repairs of doctor --fix --write.
func TestDoctor(t *testing.T) {
	d := newDesk(t, strings.Replace(configMap("a"), `"f:k": {}`, `"f:k": {}, "f:lost": {}`, 1)+configMap("b"))
	before := stored(d.Get(at + "a"))
	if status, stdout, stderr := d.run("", "doctor", "configmaps", "--context", "test", "--write", "--yes"); status != command.StatusInvalid || !strings.Contains(stderr, "--write needs --fix") {
		t.Errorf("%d, %s%s", status, stdout, stderr)
	}
	status, stdout, stderr := d.run("y\n", "doctor", "configmaps", "--context", "test", "--fix", "--write")
	if status != command.StatusDifference || stdout != "v1 ConfigMap shop/a: written\n" || !strings.Contains(stderr, "lost-path: helm (Update, v1, 2026-03-01T10:00:00Z): .data.lost") || !strings.Contains(stderr, "Write the repaired managed fields of 1 object in ") {
		t.Fatalf("%d, %s%s", status, stdout, stderr)
	}
	if got := stored(d.Get(at + "a")); strings.Contains(got, "f:lost") {
		t.Errorf("got %s", got)
	}
	if status, stdout, stderr := d.run("", "undo", "-f", d.undoFile(), "--context", "test", "--yes"); status != 0 {
		// No server would accept an entry with a path that the object lacks.
		t.Errorf("undo: %d, %s%s", status, stdout, stderr)
	}
	if got := stored(d.Get(at + "a")); withoutTimes(got) != withoutTimes(before) {
		t.Errorf("got  %s\nwant %s", got, before)
	}
}

const config = `---
apiVersion: v1
kind: ConfigMap
metadata: {name: a}
data: {k: mine, new: x}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: fresh}
data: {k: a}
---
apiVersion: v1
kind: Secret
metadata: {name: s}
type: Opaque
data: {password: aHVudGVyMjI=}
`

func secret() string {
	return `---
apiVersion: v1
kind: Secret
metadata:
  name: s
  managedFields:
  - {manager: web, operation: Apply, apiVersion: v1, time: "2026-03-01T10:00:00Z", fieldsType: FieldsV1, fieldsV1: {"f:data": {"f:password": {}}}}
type: Opaque
data: {password: b2xkLXZhbHVl}
`
}

// undo reverts an apply: it restores fields and owners, and deletes created objects.
func TestApplyAndUndo(t *testing.T) {
	secrets := "/api/v1/namespaces/shop/secrets/s"
	d := newDesk(t, configMap("a")+secret())
	if err := os.WriteFile("config.yaml", []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"apply", "-f", "config.yaml", "--field-manager", "web", "--context", "test", "--write"}
	before := []string{stored(d.Get(at + "a")), stored(d.Get(secrets))}
	status, stdout, stderr := d.run("", append(args, "--yes")...)
	if status != command.StatusConflict || stdout != "" || !strings.HasSuffix(stderr, "nothing was written\n") || len(d.writes()) != 0 {
		t.Fatalf("%d, %s%s", status, stdout, stderr)
	}
	args = append(args, "--force-conflicts")
	status, stdout, stderr = d.run("y\n", args...)
	if status != 0 || stdout != "v1 ConfigMap shop/a: written\nv1 ConfigMap shop/fresh: written\nv1 Secret shop/s: written\n" || !strings.Contains(stderr, "Apply changes to 3 objects in ") {
		t.Fatalf("%d, %s%s", status, stdout, stderr)
	}
	if strings.Contains(stderr, "aHVudGVyMjI=") {
		t.Errorf("a secret is shown: %s", stderr)
	}
	if got := stored(d.Get(at + "a")); !strings.Contains(got, `"k":"mine","new":"x","o":"b"`) {
		t.Errorf("got %s", got)
	}
	if got := stored(d.Get(secrets)); !strings.Contains(got, "aHVudGVyMjI=") {
		t.Errorf("got %s", got)
	}
	if status, stdout, stderr := d.run("", append(args, "--yes")...); status != 0 || !strings.Contains(stderr, "nothing to write") {
		t.Errorf("again: %d, %s%s", status, stdout, stderr)
	}
	file := d.undoFile()
	// Undo can be repeated. In the first run of undo, the second request for an object
	// gets lost.
	lost := 0
	d.Refuse = func(c *program.Cluster, _ *http.Request, path string, trial bool) (int, string, string) {
		if strings.HasSuffix(path, "/a") && !trial {
			if lost++; lost == 2 {
				panic(http.ErrAbortHandler)
			}
		}
		return 0, "", ""
	}
	if status, stdout, stderr = d.run("", "undo", "-f", file, "--context", "test", "--yes"); status != command.StatusInvalid {
		t.Errorf("undo: %d, %s%s", status, stdout, stderr)
	}
	d.Locked(func() { d.Refuse = nil })
	if status, stdout, stderr = d.run("", "undo", "-f", file, "--context", "test", "--yes"); status != 0 || strings.Contains(stderr, "aHVudGVyMjI=") {
		t.Errorf("undo: %d, %s%s", status, stdout, stderr)
	}
	if d.Get(at+"fresh") != nil {
		t.Error("the created object still exists")
	}
	for i, path := range []string{at + "a", secrets} {
		if got := stored(d.Get(path)); withoutTimes(got) != withoutTimes(before[i]) {
			t.Errorf("got  %s\nwant %s", got, before[i])
		}
	}
}

// A server can generate another value in the write than in the dry run. Undo then compares the live
// object with the response to the write.
func TestUndoOfGeneratedValue(t *testing.T) {
	d := newDesk(t, configMap("a"))
	if err := os.WriteFile("config.yaml", []byte(strings.Split(config, "---\n")[1]), 0o600); err != nil {
		t.Fatal(err)
	}
	dry := true
	d.Refuse = func(_ *program.Cluster, _ *http.Request, _ string, trial bool) (int, string, string) {
		dry = trial
		return 0, "", ""
	}
	d.Mutate = func(o map[string]any) {
		if !dry {
			o["data"].(map[string]any)["k"] = "generated"
		}
	}
	status, stdout, stderr := d.run("", "apply", "-f", "config.yaml", "--field-manager", "web", "--context", "test", "--force-conflicts", "--write", "--yes")
	if status != command.StatusInvalid || stdout != "v1 ConfigMap shop/a: written\n" {
		t.Fatalf("%d, %s%s", status, stdout, stderr)
	}
	d.Locked(func() { d.Refuse, d.Mutate = nil, nil })
	status, stdout, stderr = d.run("", "undo", "-f", d.undoFile(), "--context", "test", "--yes")
	if got := stored(d.Get(at + "a")); status != 0 || !strings.Contains(got, `"data":{"k":"a","o":"b"}`) {
		t.Errorf("%d, %s%s: %s", status, stdout, stderr, got)
	}
}

// Undo reports fields that other managers have changed since the apply, and then restores nothing in
// the object. Changes of other fields do not matter.
func TestUndoBesideOthers(t *testing.T) {
	d := newDesk(t, configMap("a"))
	if err := os.WriteFile("config.yaml", []byte(strings.Split(config, "---\n")[1]), 0o600); err != nil {
		t.Fatal(err)
	}
	apply := []string{"apply", "-f", "config.yaml", "--field-manager", "web", "--context", "test", "--force-conflicts", "--write", "--yes", "--undo"}
	for i, c := range []struct {
		field  string
		status int
		want   string
	}{
		{"o", 0, `"data":{"k":"a","o":"theirs"}`},
		{"z", 0, `"data":{"k":"a","o":"theirs","z":"theirs"}`},
		{"new", command.StatusInvalid, `"data":{"k":"mine","new":"theirs","o":"theirs","z":"theirs"}`},
	} {
		file := fmt.Sprintf("undo%d.json", i)
		if status, stdout, stderr := d.run("", append(apply, file)...); status != 0 {
			t.Fatalf("%d, %s%s", status, stdout, stderr)
		}
		d.Locked(func() {
			d.Update(at+"a", "other", func(o map[string]any) { o["data"].(map[string]any)[c.field] = "theirs" })
		})
		status, stdout, stderr := d.run("", "undo", "-f", file, "--context", "test", "--yes")
		if status != c.status || c.status != 0 && !strings.Contains(stderr, "another client has since changed .data.new") {
			t.Errorf("%s: %d, %s%s", c.field, status, stdout, stderr)
		}
		if got := stored(d.Get(at + "a")); !strings.Contains(got, c.want) {
			t.Errorf("%s: got %s", c.field, got)
		}
	}
}

// If another client creates the object meanwhile, the apply changes this object or conflicts.
func TestCreatedMeanwhile(t *testing.T) {
	d := newDesk(t, configMap("a"))
	if err := os.WriteFile("config.yaml", []byte(strings.Split(config, "---\n")[2]), 0o600); err != nil {
		t.Fatal(err)
	}
	d.Refuse = func(c *program.Cluster, _ *http.Request, path string, trial bool) (int, string, string) {
		if d.Refuse = nil; !trial {
			t.Error("no dry run")
		}
		c.Put(map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "fresh"}, "data": map[string]any{"theirs": "b"}})
		return 0, "", ""
	}
	status, stdout, stderr := d.run("", "apply", "-f", "config.yaml", "--field-manager", "web", "--context", "test", "--write", "--yes")
	if got := stored(d.Get(at + "fresh")); status != 0 || !strings.Contains(got, `"data":{"k":"a","theirs":"b"}`) {
		t.Errorf("%d, %s%s: %s", status, stdout, stderr, got)
	}
	if status, stdout, stderr = d.run("", "undo", "-f", d.undoFile(), "--context", "test", "--yes"); status != 0 || !strings.Contains(stored(d.Get(at+"fresh")), `"data":{"theirs":"b"}`) {
		t.Errorf("undo: %d, %s%s", status, stdout, stderr)
	}
}

// Secrets in a cluster are migrated like other objects. The objects that the command
// prints contain the real values.
func TestSecrets(t *testing.T) {
	d := newDesk(t, strings.Replace(secret(), "manager: web, operation: Apply", "manager: helm, operation: Update", 1))
	args := []string{"migrate", "secrets", "--from", "helm", "--to", "helm", "--context", "test"}
	if status, stdout, stderr := d.run("", args...); status != 0 || !strings.Contains(stdout, "password: b2xkLXZhbHVl") {
		t.Errorf("%d, %s%s", status, stdout, stderr)
	}
	status, stdout, stderr := d.run("", append(args, "--write", "--yes")...)
	if status != 0 || stdout != "v1 Secret shop/s: written\n" {
		t.Errorf("%d, %s%s", status, stdout, stderr)
	}
	if text, err := os.ReadFile(d.undoFile()); err != nil || strings.Contains(string(text), "b2xkLXZhbHVl") {
		t.Errorf("the undo file has values: %s, %v", text, err)
	}
}

// An interrupted command reports the objects that it has written, and the objects
// that it has not tried to write.
func TestInterrupted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signal can be sent to a process")
	}
	var objects strings.Builder
	for i := range 40 {
		objects.WriteString(configMap(fmt.Sprint("a", i)))
	}
	d := newDesk(t, objects.String())
	me, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	sent := false
	d.Refuse = func(_ *program.Cluster, _ *http.Request, _ string, trial bool) (int, string, string) {
		if !trial && !sent {
			if sent = true; me.Signal(os.Interrupt) != nil {
				t.Error("no signal")
			}
			time.Sleep(200 * time.Millisecond) // wait until the signal has arrived
		}
		return 0, "", ""
	}
	status, stdout, stderr := d.run("", append(migrate, "--yes")...)
	n := strings.Count(stdout, ": written\n")
	if status != command.StatusInvalid || n == 0 || n == 40 || !strings.Contains(stderr, fmt.Sprintf("interrupted\n40 objects: %d written, %d not tried\n", n, 40-n)) {
		t.Errorf("%d, %s%s", status, stdout, stderr)
	}
	for i := range 40 {
		name := fmt.Sprint("a", i)
		if got := slices.Contains(d.managers(at+name), to); got != strings.Contains(stdout, "/"+name+": written\n") {
			t.Errorf("%s: migrated %t, but the output says otherwise", name, got)
		}
	}
}
