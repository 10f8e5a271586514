// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package scopes

import (
	"flag"
	"fmt"
	"math/big"
	"os"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/test/differential/engine"
	"github.com/dovetail-ssa/dovetail/test/differential/engine/ours"
	"github.com/dovetail-ssa/dovetail/test/differential/engine/upstream"
)

var (
	managers = flag.Int("managers", 2, "number of managers")
	depth    = flag.Int("steps", 2, "number of steps in a history")
)

// TestHistories runs every possible request in every reachable state, with the model and with
// both engines. It visits each state once, because the result of a request depends only on the
// state.
func TestHistories(t *testing.T) {
	engines := map[string]engine.Engine{"structured-merge-diff": upstream.New(), "ours": ours.New()}
	for _, k := range Kinds {
		t.Run(strings.ReplaceAll(k.Name, " ", "_"), func(t *testing.T) {
			runners := map[string]*Runner{}
			for name, e := range engines {
				r, err := k.Runner(e)
				if err != nil {
					t.Fatal(err)
				}
				runners[name] = r
			}
			steps := k.Steps(*managers)
			seen := map[string]bool{start.String(): true}
			level := []State{start}
			done, conflicts := 0, 0
			for range *depth {
				var next []State
				for _, s := range level {
					for _, step := range steps {
						want := k.Model(s, step)
						for name, r := range runners {
							got, err := r.Do(s, step)
							if err != nil {
								t.Fatalf("%s: %v\n  %s", s, step, err)
							}
							if got.String() != want.String() {
								t.Fatalf("%s\n%s\n  model %s\n  %s %s", s, step, want, name, got)
							}
						}
						done++
						if want.Conflicts != nil {
							conflicts++
							continue
						}
						if text := want.State.String(); !seen[text] {
							seen[text] = true
							next = append(next, want.State)
						}
					}
				}
				level = next
			}
			if conflicts == 0 && k.Name != "order" { // a set has no fields that could conflict
				t.Error("no history has a conflict")
			}
			t.Logf("%d states, %d steps tried, %d had conflicts: all %s histories of %d steps", len(seen), done, conflicts, histories(len(steps), *depth), *depth)
		})
	}
}

// histories returns the number of histories with n steps if each step has the given number of
// choices.
func histories(choices, n int) *big.Int {
	return new(big.Int).Exp(big.NewInt(int64(choices)), big.NewInt(int64(n)), nil)
}

var update = flag.Bool("update", false, "write testdata/laws.txt and the cases of spec")

// mostStates is the maximum number of states for each kind. States with the shortest histories
// come first.
const mostStates = 250

const lawsHeader = `# This file lists properties that users may expect of server-side apply, and that do not hold. TestLaws writes it.
# Each block is for one kind of field. For each property that does not hold, it has the shortest series of requests,
# and below it the result of the last request that shows this. If a property is not listed, it holds for all series of
# three requests by the managers m1 and m2.
#
# A result is an object, and after it each manager, "true" if its last request was an apply, and its field set.

`

// TestLaws checks every law for every request in every state. testdata/laws.txt has the
// shortest history that violates a law.
func TestLaws(t *testing.T) {
	var b strings.Builder
	b.WriteString(lawsHeader)
	for _, k := range Kinds {
		fmt.Fprintf(&b, "%s\n", k.Name)
		type reached struct {
			history string
			State
		}
		steps := k.Steps(2)
		level := []reached{{"", start}}
		seen := map[string]bool{start.String(): true}
		broken := map[string]bool{}
		for range 3 {
			var next []reached
			for _, s := range level {
				for _, step := range steps {
					for _, law := range Laws {
						if broken[law.Name] {
							continue
						}
						if how := law.Broken(k, s.State, step, steps); how != "" {
							broken[law.Name] = true
							fmt.Fprintf(&b, "  does not hold: %s\n    %s%s\n    %s\n", law.Name, s.history, step, how)
						}
					}
					if after := k.Model(s.State, step); after.Conflicts == nil && !seen[after.State.String()] && len(seen) < mostStates {
						seen[after.State.String()] = true
						next = append(next, reached{s.history + step.String() + "\n    ", after.State})
					}
				}
			}
			level = next
		}
	}
	const file = "testdata/laws.txt"
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("%s is not up to date, -update would write\n%s", file, b.String())
	}
}
