// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
)

// onTerminal runs a command line with both output streams on one terminal. It returns the content
// of the screen.
func onTerminal(width int, colour bool, args ...string) (status int, screen string) {
	var out bytes.Buffer
	status = cli.Run(args, command.Env{
		Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, Native: "off",
		Terminal: true, ErrTerminal: true, Width: width, ErrWidth: width, Colour: colour, ErrColour: colour,
	})
	return status, out.String()
}

var shopDiff = []string{
	"diff", "-f", "../../../examples/shop/chart.yaml", "--live", "../../../examples/shop/live.yaml",
	"--crd", "../../../examples/database/crd.yaml", "--field-manager", "helm", "--time", "2026-03-01T10:00:00Z",
}

// A terminal shows one line for each object and each field. It shows each conflict once, and the
// summary at the end.
func TestDiffOnTerminal(t *testing.T) {
	status, screen := onTerminal(80, false, shopDiff...)
	if status != command.StatusConflict || screen != wantDiff {
		t.Errorf("status %d, got\n%s\nwant\n%s", status, screen, wantDiff)
	}
	for _, line := range strings.Split(screen, "\n") {
		if n := len([]rune(line)); n > 80 && !strings.HasPrefix(line, "  dovetail migrate") {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	_, wide := onTerminal(200, false, shopDiff...)
	for _, line := range []string{
		"  ~ .spec.template.spec.containers[web].image: registry.example.com/shop/web:2.4.0 → registry.example.com/shop/web:2.5.0\n",
		"shop/worker:2.4.0 → registry.example.com/shop/worker:2.5.0  kubectl-client-side-apply, 117d ago\n",
	} {
		if !strings.Contains(wide, line) {
			t.Errorf("no %q in\n%s", line, wide)
		}
	}
}

// A conflict with an Update by the manager that applies names the operation of the owner.
func TestConflictWithOwnUpdateOnTerminal(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		name = filepath.Join(folder, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	config := write("config.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: d}, data: {k: new}}")
	live := write("live.yaml", `
apiVersion: v1
kind: ConfigMap
metadata:
  name: a
  namespace: d
  managedFields:
  - {manager: helm, operation: Update, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:data": {"f:k": {}}}}
data: {k: old}
`)
	status, screen := onTerminal(80, false, "diff", "-f", config, "--live", live, "--field-manager", "helm")
	if want := "  ✗ .data.k: old → new  helm (Update)\n"; status != command.StatusConflict || !strings.Contains(screen, want) {
		t.Errorf("status %d, got\n%s\nwant the line\n%s", status, screen, want)
	}
}

// A terminal shows the path of a schema in a CRD as the path of the field.
func TestLintOnTerminal(t *testing.T) {
	name := filepath.Join(t.TempDir(), "crd.yaml")
	crd := `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Thing, plural: things}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {items: {type: array, items: {type: object, required: [name], properties: {size: {type: integer}}}}}}}}}
`
	if err := os.WriteFile(name, []byte(crd), 0o600); err != nil {
		t.Fatal(err)
	}
	_, screen := onTerminal(80, false, "lint", name)
	if want := name + ":13: .spec.items[*].required[0]: the schema does not declare the field name"; !strings.Contains(screen, want) {
		t.Errorf("got\n%s\nwant a line that begins with\n%s", screen, want)
	}
}

const wantDiff = `ConfigMap shop/web-config
  ~ .data.THEME: winter → spring
Deployment shop/web
  ~ .spec.template.spec.containers[web].image: …/web:2.4.0 → …/web:2.5.0
Deployment shop/api
  ✗ ….spec.containers[api].env[POOL].value: "20" → "10"     kubectl-edit, 8d ago
  ✗ ….spec.containers[api].image: …:2.4.0-hotfix → …:2.5.0  kubectl-edit, 8d ago
Deployment shop/worker
  ✗ …[worker].image: …:2.4.0 → …:2.5.0  kubectl-client-side-apply, 117d ago
CronJob shop/report
  ~ ….jobTemplate.spec.template.spec.containers[report].image: …:2.4.0 → …:2.5.0

Ways to resolve conflicts:
  force  --force-conflicts  overwrite the live values and take ownership
  yield  --yield            leave the fields out of your config
  share  --share            apply the live values, so that you own them too
To choose for individual fields, add their paths: --yield=PATH,...
kubectl-client-side-apply is left over from kubectl apply without --server-side.
To transfer its fields to helm:
  dovetail migrate -f ../../../examples/shop/live.yaml --from kubectl-client-side-apply --to helm --crd ../../../examples/database/crd.yaml
To see every conflict in full, and the config for each choice, add --explain.

24 objects: 3 change, 19 stay as they are, 2 with conflicts.
3 conflicts: 2 with kubectl-edit, 1 with kubectl-client-side-apply.
`

// If forcing a conflict changes only the owner, the line says so, in a line of its own if necessary. The
// summary does not count an object with such a conflict among the objects that stay.
func TestConflictOverOwnershipOnTerminal(t *testing.T) {
	args := slices.Clone(shopDiff)
	args[slices.Index(args, "helm")] = "argocd-controller"
	_, screen := onTerminal(80, false, args...)
	for _, text := range []string{
		"  ✗ .spec.ingress: ",
		"\n      helm, 50d ago; forcing changes only the owner\n",
		"\n24 objects: 16 stay as they are, 8 with conflicts.\n",
	} {
		if !strings.Contains(screen, text) {
			t.Errorf("no %q in\n%s", text, screen)
		}
	}
	for _, line := range strings.Split(screen, "\n") {
		if n := len([]rune(line)); n > 80 && !strings.HasPrefix(line, "  dovetail migrate") {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

// With --explain, a terminal shows conflicts in full. The summary is still at the end.
func TestExplainOnTerminal(t *testing.T) {
	_, screen := onTerminal(80, false, append(shopDiff, "--explain")...)
	for _, text := range []string{
		"\n  owner    kubectl-edit (Update, apps/v1, 2026-02-20T23:41:00Z), 8d ago\n",
		"~ .spec.template.spec.containers[name=\"api\"].env[name=\"POOL\"].value: \"20\" -> \"10\"\n",
	} {
		if !strings.Contains(screen, text) {
			t.Errorf("no %q in\n%s", text, screen)
		}
	}
	if !strings.HasSuffix(screen, "\n3 conflicts: 2 with kubectl-edit, 1 with kubectl-client-side-apply.\n") {
		t.Errorf("got\n%s", screen)
	}
}

// Flags accept the shortened paths that a terminal shows.
func TestShortPathsInFlags(t *testing.T) {
	status, screen := onTerminal(120, false, append(shopDiff, "--force-conflicts=.spec.template.spec.containers[api].image", "--yield", "--share=.spec.template.spec.containers[worker]")...)
	for _, text := range []string{
		"  ~ .spec.template.spec.containers[api].image: …", "forced from kubectl-edit, 8d ago\n",
		"  = .spec.template.spec.containers[api].env[POOL].value: \"20\"", "yielded to kubectl-edit, 8d ago\n",
		"shared with kubectl-client-side-apply, 117d ago\n",
		"\n24 objects: 4 change, 20 stay as they are.\n",
	} {
		if !strings.Contains(screen, text) {
			t.Errorf("no %q in\n%s", text, screen)
		}
	}
	if status != command.StatusDifference {
		t.Errorf("status %d", status)
	}
}

// If a command has one object, the last line states the result for this object.
func TestSuccessOnTerminal(t *testing.T) {
	const service, live = "../../../examples/service/service.yaml", "../../../examples/service/live.yaml"
	const object = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"%s","managedFields":[{"manager":"a","operation":"%s","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:data":{}}}]},"data":{}}`
	found := write(t, "found.json", fmt.Sprintf(object+object, "a", "Patch", "b", "Update"))
	for _, tt := range []struct {
		want string
		args []string
	}{
		{"Service store/shop: no errors found.", []string{"validate", "-f", service}},
		{"Service store/shop: would change.", []string{"apply", "-f", service, "--live", live, "--field-manager", "web"}},
		{"Service store/shop: new.", []string{"apply", "-f", service, "--field-manager", "web"}},
		{"Service store/shop: would not change, with warnings.", []string{"diff", "-f", live, "--live", live, "--field-manager", "web", "--yield"}},
		{"Service store/shop: 1 conflict with monitoring.", []string{"apply", "-f", "../../../examples/service/conflict.yaml", "--live", live, "--field-manager", "web"}},
		{"Service store/shop: 1 conflict with monitoring.", []string{"diff", "-f", "../../../examples/service/conflict.yaml", "--live", live, "--field-manager", "web"}},
		{"Service store/shop: 1 conflict with monitoring; there are also warnings.", []string{"diff", "-f", "../../../examples/service/conflict.yaml", "--live", live, "--field-manager", "web", "--yield=.spec.selector"}},
		{"Service store/shop: 2 managers own 16 fields.", []string{"owners", "-f", live}},
		{"Service store/shop: extracted.", []string{"extract", "-f", live, "--field-manager", "web"}},
		{"Service store/shop: the change is allowed.", []string{"immutable", "--old", live, "--new", live}},
		{"Service store/shop: defaults are filled in.", []string{"default", "-f", service}},
		{"24 objects: no errors found.", []string{"validate", "-f", "../../../examples/shop/chart.yaml", "--crd", "../../../examples/database/crd.yaml"}},
		{"24 objects: all new.", []string{"apply", "-f", "../../../examples/shop/chart.yaml", "--crd", "../../../examples/database/crd.yaml", "--field-manager", "helm"}},
		{"2 objects: 1 without findings, 1 warning.", []string{"doctor", "-f", found}},
		{"1 object: nothing found.", []string{"lint", "../../../examples/database/crd.yaml"}},
	} {
		_, screen := onTerminal(80, false, tt.args...)
		if lines := strings.Split(strings.TrimSpace(screen), "\n"); lines[len(lines)-1] != tt.want {
			t.Errorf("%v ends with %q, want %q", tt.args, lines[len(lines)-1], tt.want)
		}
	}
}

// Both streams of a terminal have colors, and a pipe has none. The flag --color overrides this.
func TestColour(t *testing.T) {
	_, screen := onTerminal(80, true, shopDiff...)
	for _, text := range []string{
		"\x1b[1mDeployment shop/api\x1b[0m\n", "  \x1b[33m~ .data.THEME: winter → spring\x1b[0m\n", "  \x1b[31m✗ ",
		"\x1b[31m3 conflicts: 2 with kubectl-edit, 1 with kubectl-client-side-apply.\x1b[0m\n",
	} {
		if !strings.Contains(screen, text) {
			t.Errorf("no %q in %q", text, screen)
		}
	}
	if _, never := onTerminal(80, true, append(shopDiff, "--color", "never")...); strings.Contains(never, "\x1b") {
		t.Errorf("colors in %q", never)
	}
	_, stdout, stderr := run("", false, append(shopDiff, "--color=always")...)
	if !strings.Contains(stdout, "\x1b[1m") || !strings.Contains(stderr, ": \x1b[31mconflict:\x1b[0m ") {
		t.Errorf("no colors in %q and %q", stdout, stderr)
	}
	if status, _, stderr := run("", false, append(shopDiff, "--color=yes")...); status != command.StatusInvalid || !strings.Contains(stderr, "--color yes: use auto, always, never") {
		t.Errorf("status %d, %s", status, stderr)
	}
}

// With --explain=false, pipes get the short form, too. It has no colors, and the lines are wider than
// those of a terminal.
func TestShortFormInPipe(t *testing.T) {
	status, stdout, stderr := run("", false, append(shopDiff, "--explain=false")...)
	_, wide := onTerminal(160, false, shopDiff...)
	if status != command.StatusConflict || stdout+stderr != wide {
		t.Errorf("status %d, got\n%s%s\nwant\n%s", status, stdout, stderr, wide)
	}
	_, stdout, _ = run("", false, shopDiff...)
	if _, full, _ := run("", false, append(shopDiff, "--explain")...); full != stdout {
		t.Errorf("got\n%s\nwant\n%s", full, stdout)
	}
}

// If only standard error is a terminal, conflicts are short and the result has its full form.
func TestResultInFile(t *testing.T) {
	var stdout, stderr bytes.Buffer
	cli.Run(shopDiff, command.Env{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Native: "off", ErrTerminal: true, ErrWidth: 100})
	_, full, _ := run("", false, shopDiff...)
	if stdout.String() != full {
		t.Errorf("got\n%s\nwant\n%s", &stdout, full)
	}
	if n := strings.Count(stderr.String(), "✗"); n != 3 {
		t.Errorf("%d conflicts in\n%s", n, &stderr)
	}
}
