// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package native

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/native"
)

// commandBeside builds the command dovetail, and puts it in the folder of the program with the
// code of a Kubernetes release, as in a release of Dovetail. It returns the path of the
// command.
func commandBeside(t *testing.T, release string) string {
	t.Helper()
	folder := t.TempDir()
	build := func(dir, pkg string) {
		cmd := exec.Command("go", "build", "-o", folder, pkg)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("build %s: %v\n%s", pkg, err, out)
		}
	}
	build("../../cmd", "./dovetail")
	if *programs == "" {
		build(filepath.Join("../../kube/native", release), "./"+native.Name(release))
	} else if err := os.Symlink(filepath.Join(*programs, native.Name(release)), filepath.Join(folder, native.Name(release))); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(folder, "dovetail")
}

// run runs the command in a new folder with the given files, and without a PATH.
func run(t *testing.T, command string, files map[string]string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var out, messages bytes.Buffer
	cmd := exec.Command(command, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = folder, []string{"PATH="}, &out, &messages
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), messages.String()
}

const invalidDeployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: d}
spec:
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: c}}
    spec:
      containers:
      - name: c
`

const claim = `apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: copy, namespace: d}
spec:
  accessModes: [ReadWriteOnce]
  resources: {requests: {storage: 1Gi}}
  dataSource: {kind: PersistentVolumeClaim, name: disk}
`

const job = `apiVersion: batch/v1
kind: Job
metadata: {name: once, namespace: d}
spec: {suspend: true, template: {spec: {restartPolicy: Never, containers: [{name: c, image: c}]}}}
`

func TestCommand(t *testing.T) {
	command := commandBeside(t, "1.37")

	t.Run("reports every invalid field with its line", func(t *testing.T) {
		for _, args := range [][]string{
			{"validate"}, {"apply", "--field-manager=m"}, {"update", "--field-manager=m"}, {"diff", "--field-manager=m", "--live", "live.yaml"},
		} {
			status, _, stderr := run(t, command, map[string]string{"d.yaml": invalidDeployment, "live.yaml": "apiVersion: v1\nkind: List\nitems: []\n"}, append(args, "-f", "d.yaml")...)
			for _, want := range []string{
				"d.yaml:7:16: .spec.template.metadata.labels: Invalid value: {\"a\":\"c\"}: `selector` does not match template `labels`",
				`d.yaml:10:9: .spec.template.spec.containers[name="c"].image: Required value`,
			} {
				if status != 3 || !strings.Contains(stderr, want) {
					t.Errorf("%v: status %d\n%swant %s", args, status, stderr, want)
				}
			}
		}
	})

	// A server's message lacks the field of a value that it cannot decode, and the key of an invalid label.
	t.Run("invalid quantities and labels have their own lines", func(t *testing.T) {
		const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: d}
spec:
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    spec:
      containers:
      - name: c
        image: c
        resources:
          requests:
            memory: 512MiB
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: c
  namespace: d
  labels:
    good: a
    bad: a b
    worse: a c
`
		for _, args := range [][]string{
			{"validate"}, {"apply", "--field-manager=m"}, {"update", "--field-manager=m"}, {"diff", "--field-manager=m", "--live", "live.yaml"},
		} {
			status, _, stderr := run(t, command, map[string]string{"d.yaml": deployment, "live.yaml": "apiVersion: v1\nkind: List\nitems: []\n"}, append(args, "-f", "d.yaml")...)
			for _, want := range []string{
				`d.yaml:14:13: .spec.template.spec.containers[name="c"].resources.requests.memory: Invalid value: "512MiB": quantities must match`,
				`d.yaml:23:5: .metadata.labels.bad: Invalid value: "a b": a valid label must`,
				`d.yaml:24:5: .metadata.labels.worse: Invalid value: "a c": a valid label must`,
			} {
				if status != 3 || !strings.Contains(stderr, want) {
					t.Errorf("%v: status %d\n%swant %s", args, status, stderr, want)
				}
			}
		}
	})

	t.Run("applying the result changes nothing", func(t *testing.T) {
		for name, object := range map[string]string{"claim": claim, "job": job} {
			status, stored, stderr := run(t, command, map[string]string{"o.yaml": object}, "apply", "--field-manager=m", "-f", "o.yaml")
			if status != 0 {
				t.Fatalf("%s: status %d\n%s", name, status, stderr)
			}
			status, out, stderr := run(t, command, map[string]string{"o.yaml": object, "live.yaml": stored}, "diff", "--field-manager=m", "-f", "o.yaml", "--live", "live.yaml")
			if status != 0 || out != "" {
				t.Errorf("%s: status %d\n%s%s", name, status, out, stderr)
			}
		}
		if _, stored, _ := run(t, command, map[string]string{"o.yaml": claim}, "apply", "--field-manager=m", "-f", "o.yaml"); !strings.Contains(stored, "dataSourceRef:") {
			t.Errorf("the source is not copied:\n%s", stored)
		}
	})

	t.Run("immutable fields keep their hint", func(t *testing.T) {
		_, stored, _ := run(t, command, map[string]string{"o.yaml": claim}, "apply", "--field-manager=m", "-f", "o.yaml")
		status, _, stderr := run(t, command, map[string]string{"o.yaml": strings.Replace(claim, "ReadWriteOnce", "ReadWriteMany", 1), "live.yaml": stored},
			"apply", "--field-manager=m", "-f", "o.yaml", "--live", "live.yaml")
		if status != 4 || !strings.Contains(stderr, ".spec.accessModes") {
			t.Errorf("status %d\n%s", status, stderr)
		}
	})

	t.Run("Secrets are validated and stay masked", func(t *testing.T) {
		const secret = `apiVersion: v1
kind: Secret
metadata: {name: login, namespace: d}
stringData: {password: hunter2}
data: {token: bm90LWZvci15b3U=}
`
		for _, args := range [][]string{{"validate"}, {"apply", "--field-manager=m"}, {"update", "--field-manager=m"}} {
			status, stdout, stderr := run(t, command, map[string]string{"s.yaml": secret}, append(args, "-f", "s.yaml", "-o", "report")...)
			if status != 0 || strings.Contains(stdout+stderr, "hunter2") || strings.Contains(stdout+stderr, "aHVudGVyMg") || strings.Contains(stdout+stderr, "bm90LWZvci15b3U") {
				t.Errorf("%v: status %d\n%s%s", args, status, stdout, stderr)
			}
			bad := strings.Replace(secret, "bm90LWZvci15b3U=", "hunter2!", 1)
			if status, stdout, stderr = run(t, command, map[string]string{"s.yaml": bad}, append(args, "-f", "s.yaml")...); status != 3 || strings.Contains(stdout+stderr, "hunter2!") {
				t.Errorf("%v of a Secret whose data is not base64: want status 3 without the data, got status %d\n%s%s", args, status, stdout, stderr)
			}
		}
	})

	t.Run("defaults are those of the release", func(t *testing.T) {
		const mixed = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: d}
spec:
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    spec: {containers: [{name: c, image: c, resources: {limits: {cpu: 1000m}}}]}
---
apiVersion: v1
kind: Secret
metadata: {name: s, namespace: d}
stringData: {password: hunter2}
`
		status, stdout, stderr := run(t, command, map[string]string{"o.yaml": mixed}, "default", "-f", "o.yaml")
		for _, want := range []string{"replicas: 1\n", "cpu: \"1\"\n", "strategy:\n", "password: aHVudGVyMg==\n", "type: Opaque\n", "status: {}\n"} {
			if status != 0 || strings.Contains(stderr, "note:") || !strings.Contains(stdout, want) {
				t.Errorf("status %d\n%s%swant %s", status, stderr, stdout, want)
			}
		}
		if _, stdout, _ = run(t, command, map[string]string{"o.yaml": mixed}, "default", "-f", "o.yaml", "-o", "report"); strings.Contains(stdout, "hunter2") || strings.Contains(stdout, "aHVudGVyMg") {
			t.Errorf("the Secret is not masked:\n%s", stdout)
		}
		// Without the program, only the spelling of values changes, and there is no note.
		status, stdout, stderr = run(t, command, map[string]string{"o.yaml": mixed}, "default", "-f", "o.yaml", "--native=off")
		if status != 0 || strings.Contains(stderr, "note:") || !strings.Contains(stdout, "cpu: 1000m") || !strings.Contains(stdout, "replicas: 1\n") {
			t.Errorf("default with --native=off: status %d\n%s%s", status, stderr, stdout)
		}
	})

	t.Run("a Scale is validated by the release", func(t *testing.T) {
		deployment := strings.Replace(strings.Replace(invalidDeployment, "labels: {a: c}", "labels: {a: b}", 1), "- name: c", "- {name: c, image: c}", 1)
		_, live, _ := run(t, command, map[string]string{"o.yaml": deployment}, "apply", "--field-manager=gitops", "-f", "o.yaml")
		for replicas, want := range map[string]int{"3": 0, "-1": 3} {
			scale := "apiVersion: autoscaling/v1\nkind: Scale\nmetadata: {name: web, namespace: d}\nspec: {replicas: " + replicas + "}\n"
			for _, args := range [][]string{{"update"}, {"apply", "--force-conflicts"}} {
				status, stdout, stderr := run(t, command, map[string]string{"s.yaml": scale, "live.yaml": live}, append(args, "--field-manager=m", "--subresource=scale", "-f", "s.yaml", "--live", "live.yaml")...)
				if status != want || want == 0 && !strings.Contains(stdout, "replicas: 3\n") || want == 3 && !strings.Contains(stderr, "must be greater than or equal to 0") {
					t.Errorf("%v of %s: status %d\n%s%s", args, replicas, status, stdout, stderr)
				}
			}
		}
	})

	t.Run("validates the merge of two valid configs", func(t *testing.T) {
		const config = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: d}
spec:
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    spec:
      containers:
      - {name: c, image: c, env: [{name: E, value: x}]}
`
		_, stored, _ := run(t, command, map[string]string{"o.yaml": config}, "apply", "--field-manager=helm", "-f", "o.yaml")
		other := strings.Replace(config, "value: x", "valueFrom: {fieldRef: {fieldPath: metadata.name}}", 1)
		status, _, stderr := run(t, command, map[string]string{"o.yaml": other, "live.yaml": stored}, "apply", "--field-manager=me", "-f", "o.yaml", "--live", "live.yaml")
		if status != 3 || !strings.Contains(stderr, "may not be specified when `value` is not empty") || !strings.Contains(stderr, "[name=\"E\"].value was set by helm (Apply, apps/v1") {
			t.Errorf("status %d\n%s", status, stderr)
		}
	})
}

// TestCommandWithoutProgram runs the command without the program. A note must say which
// validation is missing. The flag --native=off must suppress the note.
func TestCommandWithoutProgram(t *testing.T) {
	command := commandBeside(t, "1.37")
	if err := os.Remove(filepath.Join(filepath.Dir(command), native.Name("1.37"))); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"c.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: d}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: e, namespace: d}\n"}
	status, _, stderr := run(t, command, files, "validate", "-f", "c.yaml")
	if status != 0 || strings.Count(stderr, native.InstallCommand("1.37")) != 1 {
		t.Errorf("status %d\n%s", status, stderr)
	}
	if status, _, stderr = run(t, command, files, "validate", "-f", "c.yaml", "--native=off"); status != 0 || strings.Contains(stderr, native.InstallCommand("1.37")) {
		t.Errorf("validate with --native=off: want no note, got status %d\n%s", status, stderr)
	}
	if status, _, stderr = run(t, command, files, "validate", "-f", "c.yaml", "--native=none"); status != 3 || !strings.Contains(stderr, "--native: none: there is no dovetail-native-1.37") {
		t.Errorf("validate with --native=none: want status 3, got %d\n%s", status, stderr)
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(command), native.Name("1.37")), []byte("#!/bin/sh\necho hello\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if status, _, stderr = run(t, command, files, "validate", "-f", "c.yaml"); status != 3 || !strings.Contains(stderr, "its first line is not a greeting") {
		t.Errorf("validate with another program of this name: want status 3, got %d\n%s", status, stderr)
	}
}
