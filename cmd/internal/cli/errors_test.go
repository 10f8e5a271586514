// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var typoFiles = flag.Int("typos", 250, "how many files with a typo TestErrorsWithoutGo reads; -seed says which")

// ofGo matches the form in which Go prints values and panics. No message may contain it.
var ofGo = regexp.MustCompile(`map\[[^\]]*:|interface ?\{|&\{|%!|<nil>|\bnil\b|goroutine|valueUnstructured|\[\]any|int64|float64|reflect\.| yaml: | json: `)

// typos lists common mistakes in YAML files, as patterns and replacements.
var typos = []struct{ at, to string }{
	{`(?m)^  `, "\t"}, {`: `, ":"}, {`: `, ": y: "}, {`(?m)^( *)- `, "$1 - "}, {`"`, ""}, {`(?m)$`, " {{ .x }}"}, {`: `, ": @"}, {`: `, ": *"},
	{`: \S+`, ": y"}, {`: \S+`, ": 012"}, {`: \S+`, ": 1e3"}, {`: \S+`, ": ~"}, {`: \S+`, ": [a, {b: c}]"}, {`: \S+`, ": {a: b}"}, {`: \S+`, ": .nan"},
	{`: \S+`, ": 99999999999999999999"}, {`: \S+`, `: "true"`}, {`: \S+`, ": !!binary aGk="}, {`: \S+`, ": 2026-01-01"}, {`: \S+`, ": !x y"},
	{`(\w)(\w)(\w*): `, "$2$1$3: "}, {`(\w+): `, "{$1: a}: "}, {`(\w+): `, "[$1]: "}, {`(\w+): `, "~: "}, {`(\w+): `, "1.5: "}, {`(\w+): `, "on: "},
	{`(?m)^(\s*\w+: .*)$`, "$1\n$1"}, {`(?m)^( *)- `, "$1"}, {`(?m)$`, "\n---"}, {`(?m)$`, "\n  x"}, {`: `, ": &a "}, {`: `, ": |\n"}, {`: `, ": >-\n"},
	{`f:\w+`, "f"}, {`k:\{`, "k:"}, {`FieldsV1`, "FieldsV2"}, {`Apply`, "Patch"}, {`Update`, "1"}, {`\{\}`, "[]"}, {`\{\}`, "3"},
}

// A message about an invalid file names the file, and contains no error text of a Go package. If
// the content is invalid, the message also has the line.
func TestErrorsWithoutGo(t *testing.T) {
	const dir = "../../../examples/"
	r := rand.New(rand.NewPCG(*seed, 36))
	var files []string
	for _, name := range []string{"service/service.yaml", "service/live.yaml", "database/live.yaml", "database/crd.yaml", "shop/api-live.yaml"} {
		data, err := os.ReadFile(dir + name)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, string(data))
	}
	bad := filepath.Join(t.TempDir(), "bad.yaml")
	said := 0
	for range *typoFiles {
		i := r.IntN(len(files))
		text := files[i]
		typo := typos[r.IntN(len(typos))]
		at := regexp.MustCompile(typo.at)
		places := at.FindAllStringIndex(text, -1)
		if len(places) == 0 {
			continue
		}
		p := places[r.IntN(len(places))]
		text = text[:p[0]] + at.ReplaceAllString(text[p[0]:p[1]], typo.to) + text[p[1]:]
		if err := os.WriteFile(bad, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		crd := dir + "database/crd.yaml"
		for _, args := range [][]string{
			{"validate", "-f", bad, "--crd", crd},
			{"apply", "-f", bad, "--crd", crd, "--field-manager", "m"},
			{"diff", "-f", dir + "service/service.yaml", "--live", bad, "--crd", crd, "--field-manager", "web"},
			{"owners", "-f", bad, "--crd", crd},
			{"validate", "-f", dir + "database/live.yaml", "--crd", bad},
			{"schema", "--defaults", bad, "--type", "v1/Service"},
			{"schema", "--schema", bad, "--type", "x"},
			{"lint", bad},
		} {
			status, _, stderr := run("", false, args...)
			if status < 0 || status > 4 {
				t.Fatalf("%v: status %d", args, status)
			}
			// A message may contain such text if the message quotes it from the file.
			if m := ofGo.FindString(stderr); m != "" && !strings.Contains(text, m) {
				t.Errorf("%v: %q, after %q became %q:\n%.600s", args[0], m, typo.at, typo.to, stderr)
			}
			if stderr == "" {
				continue
			}
			said++
			if status == 3 && !strings.Contains(stderr, ".yaml") && !strings.Contains(stderr, "no type ") {
				t.Errorf("%v: no file in:\n%.600s", args, stderr)
			}
		}
	}
	if said < *typoFiles {
		t.Errorf("only %d messages", said)
	}
}
