// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package diff

import (
	"bytes"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/linediff"
)

// git apply must accept the hunks that the command writes.
func TestGitAppliesHunks(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git")
	}
	dir := t.TempDir()
	for seed := range int64(40) {
		rnd := rand.New(rand.NewSource(seed))
		var a, b []string
		for range 1 + rnd.Intn(60) {
			line := fmt.Sprint("line: ", rnd.Intn(40))
			a = append(a, line)
			switch rnd.Intn(15) {
			case 0: // remove lines
			case 1:
				b = append(b, line+"x")
			case 2:
				b = append(b, fmt.Sprint("new: ", rnd.Intn(10)), line)
			default:
				b = append(b, line)
			}
		}
		b = append(b, "end")
		text := func(lines []string) []byte { return []byte(strings.Join(lines, "\n") + "\n") }
		file := filepath.Join(dir, "v1.ConfigMap.default.x")
		if err := os.WriteFile(file, text(a), 0o600); err != nil {
			t.Fatal(err)
		}
		var patch bytes.Buffer
		p := &printer{w: &patch}
		fmt.Fprint(&patch, "# v1 ConfigMap default/x\n--- a/v1.ConfigMap.default.x\n+++ b/v1.ConfigMap.default.x\n")
		p.hunks(linediff.Hunks(a, b))
		c := exec.Command(git, "apply", "-")
		c.Dir, c.Stdin = dir, &patch
		c.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir), "GIT_DIR="+filepath.Join(dir, "none"))
		sent := patch.String()
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("seed %d: %v: %s\n%s", seed, err, out, sent)
		}
		if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, text(b)) {
			t.Fatalf("seed %d: %v: got %q, want %q", seed, err, got, text(b))
		}
	}
}
