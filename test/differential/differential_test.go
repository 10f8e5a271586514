// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package differential

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-ssa/dovetail/test/differential/engine/mutant"
	"github.com/dovetail-ssa/dovetail/test/differential/engine/ours"
	"github.com/dovetail-ssa/dovetail/test/differential/engine/upstream"
	"github.com/dovetail-ssa/dovetail/test/differential/fieldsv1"
	"github.com/dovetail-ssa/dovetail/test/differential/gen"
	"github.com/dovetail-ssa/dovetail/test/differential/run"
	"github.com/dovetail-ssa/dovetail/test/differential/scenario"
	_ "github.com/dovetail-ssa/dovetail/test/differential/structs/kube"
)

// slice is how long the comparison takes in an ordinary run of the tests.
const slice = 8 * time.Second

func TestOurs(t *testing.T) {
	r := run.New(upstream.New(), ours.New())
	classes := map[string]bool{}
	var maker gen.Maker
	end := time.Now().Add(slice)
	if testing.Short() {
		end = time.Now().Add(slice / 10)
	}
	for seed := uint64(1); time.Now().Before(end); seed++ {
		d := r.Check(maker.Case(seed))
		if d == nil || classes[d.Key()] {
			continue
		}
		classes[d.Key()] = true
		t.Errorf("seed %d\n%v", seed, r.Shrink(d, 10*time.Second))
	}
	var counts strings.Builder
	r.Stats.Print(&counts)
	t.Log(counts.String())
}

// TestUpstreamAgreesWithItself compares structured-merge-diff with itself. Any difference is a
// mistake in the comparison.
func TestUpstreamAgreesWithItself(t *testing.T) {
	r := run.New(upstream.New(), upstream.New())
	r.Random = true
	var maker gen.Maker
	for seed := uint64(1); seed <= 4000; seed++ {
		if d := r.Check(maker.Case(seed)); d != nil {
			t.Fatalf("seed %d\n%v", seed, r.Shrink(d, 10*time.Second))
		}
	}
	s := &r.Stats
	for what, n := range map[string]int{
		"conflicts": s.Conflicts, "no-ops": s.Noops, "errors": s.Errors,
	} {
		if n < 100 {
			t.Errorf("only %d %s: the cases do not cover enough", n, what)
		}
	}
	if s.Errors*3 > s.Operations {
		t.Errorf("%d of %d operations fail: too many cases are invalid", s.Errors, s.Operations)
	}
}

func TestMutantsAreNoticed(t *testing.T) {
	for name, spoil := range mutant.Mutants {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := run.New(upstream.New(), spoil(upstream.New()))
			r.Random = name != "second-thoughts"
			var maker gen.Maker
			for seed := uint64(1); seed <= 5000; seed++ {
				d := r.Check(maker.Case(seed))
				if d == nil {
					continue
				}
				before := len(d.Case.String())
				small := r.Shrink(d, 3*time.Second)
				if small.Key() != d.Key() || len(small.Case.String()) > before {
					t.Errorf("the smaller case shows another difference:\n%v", small)
				}
				c, err := scenario.Parse([]byte(small.String()))
				if err != nil {
					t.Fatalf("the printed case cannot be parsed: %v\n%v", err, small)
				}
				again := r.Check(c)
				steady := name != "second-thoughts"
				if again == nil || steady && again.Key() != small.Key() {
					t.Errorf("the printed case shows another difference: %v\n%v", again, small)
				}
				return
			}
			t.Error("the comparison does not detect the changed engine")
		})
	}
}

// TestExemptionsAreDocumented checks that the comparison accepts exactly those differences that
// DIFFERENCES.md lists for all users.
func TestExemptionsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../DIFFERENCES.md")
	if err != nil {
		t.Fatal(err)
	}
	_, always, _ := strings.Cut(string(text), "\n## Always")
	always, _, _ = strings.Cut(always, "\n## ")
	documented := map[string]bool{}
	for _, row := range regexp.MustCompile(`(?m)^\| ([a-z-]+) \|`).FindAllStringSubmatch(always, -1) {
		documented[row[1]] = true
	}
	delete(documented, "id")
	if !slices.Equal(run.Probes(), gen.Probes) {
		t.Errorf("package gen has probes for %q, and package run for %q", gen.Probes, run.Probes())
	}
	for _, id := range append(slices.Collect(maps.Keys(run.Fixed)), run.Exemptions()...) {
		if !documented[id] {
			t.Errorf("DIFFERENCES.md has no line for %q", id)
		}
		delete(documented, id)
	}
	for id := range documented {
		t.Errorf("DIFFERENCES.md lists %q, but the comparison does not accept this difference", id)
	}
}

// TestRecordedCases runs one case for every kind of difference that was found and then fixed.
func TestRecordedCases(t *testing.T) {
	names, err := filepath.Glob("testdata/cases/*.yaml")
	if err != nil || len(names) == 0 {
		t.Fatalf("testdata/cases has no cases (%v)", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".yaml"), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			c, err := scenario.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			r := run.New(upstream.New(), ours.New())
			if d := r.Check(c); d != nil {
				t.Error(d)
			}
			if r.Stats.Operations < len(c.Steps) {
				t.Errorf("%d of %d steps ran", r.Stats.Operations, len(c.Steps))
			}
		})
	}
}

// TestFieldsV1 runs some of the documents of cmd/fieldsv1.
func TestFieldsV1(t *testing.T) {
	for n := range uint64(10000) {
		if _, difference := fieldsv1.Difference(upstream.FieldsV1(), ours.FieldsV1(), 1, n); difference != "" {
			t.Errorf("document %d: %s", n, difference)
		}
	}
}
