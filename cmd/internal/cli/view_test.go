// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
)

var hunkHeader = regexp.MustCompile(`^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@$`)

// checkUnified returns an error if a unified diff is invalid. Each line must be a header, begin
// with #, or belong to a hunk. The hunk must be as long as its header says.
func checkUnified(text string) (hunks int, err error) {
	olds, news := 0, 0
	left := func(s string) int {
		n := 1
		if s != "" {
			n, _ = strconv.Atoi(s)
		}
		return n
	}
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if text == "" {
			break
		}
		switch {
		case olds > 0 || news > 0:
			switch {
			case strings.HasPrefix(line, "-"):
				olds--
			case strings.HasPrefix(line, "+"):
				news--
			case strings.HasPrefix(line, " "):
				olds, news = olds-1, news-1
			default:
				return hunks, fmt.Errorf("line %d is of no hunk: %q", i+1, line)
			}
		case hunkHeader.MatchString(line):
			m := hunkHeader.FindStringSubmatch(line)
			olds, news = left(m[2]), left(m[4])
			hunks++
		case strings.HasPrefix(line, "# "), strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "):
		default:
			return hunks, fmt.Errorf("line %d: %q", i+1, line)
		}
	}
	if olds != 0 || news != 0 {
		return hunks, fmt.Errorf("a hunk ends early")
	}
	return hunks, nil
}

// For any object, unified diffs are valid, and the side-by-side view contains no control sequences
// for a terminal.
func TestViewsOfStrangeObjects(t *testing.T) {
	objects := liveObjects(t)
	all, shown := 0, 0
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 1))
		// An object of an unknown type may have any fields.
		object, config := map[string]any{}, map[string]any{}
		for name, v := range objects[r.IntN(len(objects))] {
			object[name] = v
		}
		for name, v := range mutate(r, object) {
			config[name] = v
		}
		for _, o := range []map[string]any{object, config} {
			o["apiVersion"], o["kind"] = "strange.io/v1", "Strange"
			o["metadata"] = map[string]any{"name": "x"}
		}
		config["annotated"] = hostile[r.IntN(len(hostile))]
		object["annotated"] = hostile[r.IntN(len(hostile))] + hostile[r.IntN(len(hostile))]
		text := func(v any) string {
			data, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			return string(data)
		}
		live := write(t, "live.json", text(object))
		args := []string{"diff", "-f", "-", "--live", live, "--field-manager", "m", "--untyped", "--force-conflicts"}
		status, unified, stderr := run(text(config), false, append(args, "--view=unified")...)
		if strings.Contains(stderr, "internal error") || status > command.StatusImmutable {
			t.Fatalf("seed %d: status %d: %s", seed, status, stderr)
		}
		hunks, err := checkUnified(unified)
		if err != nil {
			t.Fatalf("seed %d: %v in\n%s", seed, err, unified)
		}
		if status == command.StatusDifference && hunks == 0 {
			t.Errorf("seed %d: a difference without lines:\n%s", seed, unified)
		}
		all += hunks
		status, side, _ := run(text(config), false, append(args, "--view=side-by-side", "--width=50")...)
		for _, line := range strings.Split(side, "\n") {
			if strings.ContainsAny(line, "\x1b\r\t") {
				t.Fatalf("seed %d: %q", seed, line)
			}
		}
		if status == command.StatusDifference {
			shown++
		}
	}
	if all < 100 || shown < 50 {
		t.Errorf("only %d hunks, %d differences", all, shown)
	}
}
