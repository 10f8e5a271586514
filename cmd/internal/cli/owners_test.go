// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// If the comments are removed from the output of owners, the object remains.
func TestOwnersIsTheObject(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	args := []string{"owners", "-f", "-", "--untyped", "--crd", "../../../examples/database/crd.yaml"}
	shown := 0
	for _, live := range liveObjects(t) {
		for i := range 40 / *part {
			object := live
			if i > 0 {
				object = mutate(r, live)
			}
			input := toJSON(t, object)
			status, stdout, stderr := run(input, false, args...)
			checkOrderly(t, input, args, status, stdout, stderr)
			if status != 0 {
				continue
			}
			shown++
			got, err := manifest.ReadValues("stdout", []byte(stdout))
			if err != nil || len(got) != 1 {
				t.Fatalf("%v of\n%s\nof %s", err, stdout, input)
			}
			if want := unmanaged(t, input); !reflect.DeepEqual(got[0], want) {
				t.Fatalf("got\n%v\nwant\n%v\nin\n%s\nof %s", got[0], want, stdout, input)
			}
		}
	}
	if shown < 1000 / *part {
		t.Errorf("only %d objects were shown", shown)
	}
}

// In YAML, some characters end a line although they are not a line feed. A text with such a
// character stays the same, and the output stays YAML.
func TestOwnersOfTextsWithLineBreaks(t *testing.T) {
	for _, text := range []string{"a\n\u2028x\ny\n", "\u2028x\n", "a\u2029b\nc", "a\u0085\n\u0085b\n", "a\n\n\u2028\n"} {
		input := toJSON(t, map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap",
			"metadata": map[string]any{"name": "x", "managedFields": []any{}},
			"data":     map[string]any{"a": "1", "text": text},
		})
		status, stdout, stderr := run(input, false, "owners", "-f", "-")
		got, err := manifest.ReadValues("stdout", []byte(stdout))
		if status != 0 || err != nil || len(got) != 1 || !reflect.DeepEqual(got[0], unmanaged(t, input)) {
			t.Errorf("%q: status %d, %v, %v\n%s%s", text, status, got, err, stdout, stderr)
		}
	}
}

// unmanaged parses an object and removes its managed fields.
func unmanaged(t *testing.T, text string) any {
	t.Helper()
	values, err := manifest.ReadValues("object", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if metadata, ok := values[0].(map[string]any)["metadata"].(map[string]any); ok {
		delete(metadata, "managedFields")
	}
	return values[0]
}

// For ordinary objects, no line of the output is wider than 80 columns.
func TestOwnersFitsTheScreen(t *testing.T) {
	for _, object := range liveObjects(t) {
		_, stdout, _ := run(toJSON(t, object), false, "owners", "-f", "-", "--crd", "../../../examples/database/crd.yaml", "--untyped", "--time", "2026-12-01T00:00:00Z")
		for _, line := range strings.Split(stdout, "\n") {
			yaml, _, _ := strings.Cut(line, " # ")
			text := strings.HasSuffix(strings.TrimSpace(yaml), "|") // the following lines are a text, not a comment
			if utf8.RuneCountInString(line) > 80 && len(yaml) < 76 && !text && !strings.HasPrefix(line, "#") {
				t.Errorf("%d columns: %s", utf8.RuneCountInString(line), line)
			}
		}
	}
}

// On a terminal, no line fills the last column. A comment with several owners is broken between two
// owners.
func TestOwnersFitsTheTerminal(t *testing.T) {
	for _, width := range []int{60, 80} {
		_, screen := onTerminal(width, false, "owners", "-f", "../../../examples/service/live.yaml", "--time", "2026-11-29T12:00:00Z")
		for _, line := range strings.Split(screen, "\n") {
			if n := utf8.RuneCountInString(line); n >= width && strings.Contains(line, " # ") {
				t.Errorf("%d columns: %s", n, line)
			}
		}
		if broken := strings.Contains(screen, "# web apply 291d,\n"); broken != (width == 60) {
			t.Errorf("%d columns: the owners of the port are on two lines: %v\n%s", width, broken, screen)
		}
	}
}

// With --field-manager, the output has exactly the places that the manager owns, their containers,
// and the keys of list items.
func TestOwnersOfOneManager(t *testing.T) {
	type place struct {
		Path   string
		Owners []struct{ Manager string }
		Value  *any
	}
	type report struct {
		Managers []struct{ Manager string }
		Places   []place
	}
	read := func(args ...string) report {
		status, stdout, stderr := run(args[0], false, args[1:]...)
		if status != 0 {
			t.Fatalf("%s", stderr)
		}
		r, err := reportedObject[report](stdout)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	owns := func(p place, manager string) bool {
		for _, o := range p.Owners {
			if o.Manager == manager {
				return true
			}
		}
		return false
	}
	for _, object := range liveObjects(t) {
		input := toJSON(t, object)
		all := read(input, "owners", "-f", "-", "-o", "report", "--untyped")
		for _, m := range all.Managers {
			some := read(input, "owners", "-f", "-", "-o", "report", "--untyped", "--field-manager", m.Manager)
			var want, got []string
			for _, p := range all.Places {
				if owns(p, m.Manager) {
					want = append(want, p.Path)
				}
			}
			for i, p := range some.Places {
				switch {
				case owns(p, m.Manager):
					got = append(got, p.Path)
				case i+1 < len(some.Places) && strings.HasPrefix(some.Places[i+1].Path, p.Path):
				case strings.Contains(p.Path, "]."):
				default:
					t.Errorf("%s shows %s", m.Manager, p.Path)
				}
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s:\ngot  %q\nwant %q", m.Manager, got, want)
			}
		}
	}
}
