// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"encoding/base64"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
)

// canary and number are values of a Secret. No output may contain them. In the files of the
// tests, these texts occur only as values.
const (
	canary = "hunter2-canary"
	number = "86753090417"
)

var encodedCanary = base64.StdEncoding.EncodeToString([]byte(canary))

// liveSecret contains canary wherever a live Secret may have a value.
var liveSecret = `apiVersion: v1
kind: Secret
metadata:
  name: db
  uid: 7b0a7f0c
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: |
      {"apiVersion":"v1","kind":"Secret","metadata":{"name":"db"},"stringData":{"password":"` + canary + `"}}
    kapp.k14s.io/original: '{"apiVersion":"v1","kind":"Secret","data":{"password":"` + encodedCanary + `","pin":` + number + `}}'
    example.com/note: the password is ` + canary + `
    example.com/encoded: ` + encodedCanary + `
  managedFields:
  - {manager: kubectl-client-side-apply, operation: Update, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:data": {"f:password": {}, "f:user": {}}}, time: "2026-01-01T00:00:00Z"}
  - {manager: web, operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:data": {"f:password": {}}, "f:stringData": {"f:token": {}}}, time: "2026-01-02T00:00:00Z"}
data:
  password: ` + encodedCanary + `
  user: c2hvcA==
`

var configSecret = `apiVersion: v1
kind: Secret
metadata: {name: db}
data:
  user: ` + encodedCanary + `
stringData:
  password: ` + canary + `-new
  more: ` + canary + `
`

// leaked returns the values, or parts of values, that an output contains.
func leaked(output string) string {
	for _, secret := range []string{canary, encodedCanary, number} {
		if strings.Contains(output, secret) {
			return secret
		}
	}
	return ""
}

// Only objects that users will apply contain the values of a Secret. These objects are the
// same as with --show-secrets. All other output hides the values.
func TestSecretsAreMasked(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	live, config := file("live.yaml", liveSecret), file("config.yaml", configSecret)
	page := filepath.Join(dir, "page.html")
	shown := 0
	for _, tt := range []struct {
		args string
		// whole is set if users will apply the objects on standard output.
		whole bool
	}{
		{"apply -f CONFIG --live LIVE --field-manager other", false},
		{"apply -f CONFIG --live LIVE --field-manager other -o report", false},
		{"apply -f CONFIG --live LIVE --field-manager kubectl --force-conflicts", true},
		{"apply -f CONFIG --live LIVE --field-manager other --force-conflicts -o json", true},
		{"apply -f CONFIG --live LIVE --field-manager other --force-conflicts -o report", false},
		{"apply -f CONFIG --live LIVE --field-manager other --force-conflicts=.data.user -o report", false},
		{"apply -f CONFIG --live LIVE --field-manager other --yield", true},
		{"apply -f CONFIG --field-manager other", true},
		{"update -f CONFIG --live LIVE --field-manager other", true},
		{"update -f LIVE --live CONFIG --field-manager other -o report", false},
		{"diff -f CONFIG --live LIVE --field-manager other", false},
		{"diff -f CONFIG --live LIVE --field-manager web --show-defaults", false},
		{"diff -f CONFIG --live LIVE --field-manager kubectl --view unified", false},
		{"diff -f CONFIG --live LIVE --field-manager other --view side-by-side --width 200", false},
		{"diff -f CONFIG --live LIVE --field-manager other -o report", false},
		{"diff -f LIVE --live LIVE --field-manager other", false},
		{"diff -f CONFIG --live CONFIG --field-manager other --untyped", false},
		{"default -f CONFIG", true},
		{"default -f CONFIG -o report", false},
		{"validate -f LIVE -f CONFIG --owned-defaults", false},
		{"validate -f CONFIG -o report", false},
		{"immutable --old LIVE --new CONFIG", false},
		{"immutable --old LIVE --new CONFIG -o report", false},
		{"owners -f LIVE", false},
		{"owners -f LIVE -o report", false},
		{"owners -f LIVE --html -", false},
		{"owners -f LIVE --html - --config CONFIG --field-manager other", false},
		{"owners -f LIVE --html PAGE", false},
		{"extract -f LIVE --field-manager web", true},
		{"extract -f LIVE --field-manager web -o report", false},
		{"doctor -f LIVE --stats --owned-defaults", false},
		{"doctor -f LIVE -o report", false},
		{"doctor -f LIVE --fix", true},
		{"migrate -f LIVE --from kubectl-client-side-apply --to kubectl", true},
		{"migrate -f LIVE --from kubectl-client-side-apply --to kubectl -o report", false},
		{"upgrade-check -f LIVE --old-crd CRD --new-crd CRD", false},
	} {
		args := strings.Fields(strings.NewReplacer("CONFIG", config, "LIVE", live, "PAGE", page, "CRD", "../../../examples/database/crd.yaml").Replace(tt.args))
		if tt.args[:5] == "apply" || tt.args[:6] == "update" {
			args = append(args, "--time", "2026-03-01T00:00:00Z")
		}
		status, stdout, stderr := run("", false, args...)
		if status == command.StatusInvalid && !strings.HasPrefix(tt.args, "extract") && !strings.HasPrefix(tt.args, "upgrade") {
			t.Errorf("%s: %s", tt.args, stderr)
		}
		if secret := leaked(stderr); secret != "" {
			t.Errorf("%s: %s in the messages:\n%s", tt.args, secret, stderr)
		}
		if strings.HasPrefix(tt.args, "upgrade") {
			continue
		}
		_, open, messages := run("", false, append(args, "--show-secrets")...)
		if leaked(open+messages) != "" {
			shown++
		}
		switch secret := leaked(stdout); {
		case tt.whole && stdout != open:
			t.Errorf("%s: with --show-secrets the object is another one:\n%s\n%s", tt.args, stdout, open)
		case !tt.whole && secret != "":
			t.Errorf("%s: %s in\n%s", tt.args, secret, stdout)
		}
	}
	if shown < 25 {
		t.Errorf("--show-secrets shows values in %d commands only", shown)
	}
	text, err := os.ReadFile(page)
	if err != nil || leaked(string(text)) == "" {
		t.Errorf("the last page, made with --show-secrets, has no value: %v", err)
	}
	info, err := os.Stat(page)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the page has mode %v, %v", info.Mode(), err)
	}
}

// An invalid annotation that is no string may contain a copy of a Secret. The error about the
// annotation does not reveal the copy.
func TestErrorsKeepCopies(t *testing.T) {
	file := write(t, "secret.yaml", `{apiVersion: v1, kind: Secret, metadata: {name: db, annotations: {
  kubectl.kubernetes.io/last-applied-configuration: {kind: Secret, stringData: {password: `+canary+`}}}}}`)
	for _, command := range []string{"validate", "apply", "owners"} {
		args := []string{command, "-f", file}
		if command == "apply" {
			args = append(args, "--field-manager", "m")
		}
		status, stdout, stderr := run("", false, args...)
		if secret := leaked(stdout + stderr); secret != "" || status == 0 && command != "owners" {
			t.Errorf("%s: status %d, says %q\n%s%s", command, status, secret, stdout, stderr)
		}
	}
}

// Messages and reports about invalid Secrets do not reveal the values.
func TestErrorsKeepSecrets(t *testing.T) {
	r := rand.New(rand.NewPCG(*seed, 41))
	bad := filepath.Join(t.TempDir(), "bad.yaml")
	live := write(t, "live.yaml", liveSecret)
	// Remove the annotation. If the file has a mistake elsewhere, the text of the
	// annotation is not treated as a value of the Secret.
	noted := regexp.MustCompile(`(?m)^    example.com.*\n`).ReplaceAllString(liveSecret, "")
	said := 0
	for range *typoFiles {
		text := noted
		if r.IntN(2) == 0 {
			text = configSecret
		}
		if r.IntN(2) == 0 {
			text = strings.ReplaceAll(text, canary, number)
		}
		typo := typos[r.IntN(len(typos))]
		at := regexp.MustCompile(typo.at)
		places := at.FindAllStringIndex(text, -1)
		if len(places) == 0 {
			continue
		}
		p := places[r.IntN(len(places))]
		to := at.ReplaceAllString(text[p[0]:p[1]], typo.to)
		if r.IntN(3) == 0 { // make the mistake in the value itself
			to = strings.TrimRight(to, "y") + []string{"!!int ", "!!binary ", "&", "*", "[", "{", "@", "%", "\"", "- ", "!!float ", "!!timestamp ", "!x "}[r.IntN(13)]
		}
		text = text[:p[0]] + to + text[p[1]:]
		if err := os.WriteFile(bad, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{
			{"validate", "-f", bad},
			{"validate", "-f", bad, "-o", "report"},
			{"default", "-f", bad, "-o", "report", "--untyped"},
			{"apply", "-f", bad, "--field-manager", "m"},
			{"diff", "-f", bad, "--live", live, "--field-manager", "web"},
			{"owners", "-f", bad},
		} {
			status, stdout, stderr := run("", false, args...)
			if status < 0 || status > 4 {
				t.Fatalf("%v: status %d", args, status)
			}
			if secret := leaked(stdout); secret != "" && args[0] != "apply" {
				t.Errorf("%v: %s, after %q became %q:\n%s\n%s", args[0], secret, typo.at, to, text, stdout)
			}
			if stderr != "" {
				said++
			}
			if secret := leaked(stderr); secret != "" {
				t.Errorf("%v: %s, after %q became %q:\n%.600s", args[0], secret, typo.at, to, stderr)
			}
		}
	}
	if said < *typoFiles/2 {
		t.Errorf("only %d messages", said)
	}
}
