// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"errors"
	"flag"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	lintrules "github.com/dovetail-ssa/dovetail/internal/rules"
	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/test/internal/plain"
)

var (
	crds  = flag.Uint64("crds", 2000, "random CRDs")
	first = flag.Uint64("seed", 1, "seed of the first CRD")
)

// intended lists the rules for which package kube/crd may reject a CRD that the API server
// accepts. The API server does not check such a rule, or does not check it everywhere.
// DIFFERENCES.md gives the reasons.
var intended = map[string]func(f *crd.Finding) bool{
	"map-value-defaults": func(f *crd.Finding) bool {
		return strings.HasPrefix(string(f.Rule), "default-") && strings.Contains(f.Path, ".additionalProperties")
	},
	"default-duplicates": func(f *crd.Finding) bool { return f.Rule == crd.DefaultDuplicate },
	"immutability":       func(f *crd.Finding) bool { return strings.HasPrefix(string(f.Rule), "immutability-") },
}

// documentRules returns the rules that can make Validate reject a new definition.
func documentRules() (all []crd.Rule) {
	for _, r := range lintrules.Lint() {
		switch id := crd.Rule(r.ID); id {
		case crd.Changed, crd.StoredVersionGone, openapi.SetOfObjects, crd.OldVersion: // only updates or Lint report these rules
		default:
			if r.Severity == lintrules.Error {
				all = append(all, id)
			}
		}
	}
	return all
}

func TestDifferential(t *testing.T) {
	accepted, rejected, panics, schemas := 0, 0, 0, 0
	rules, differences := map[crd.Rule]int{}, map[string]int{}
	for seed := *first; seed < *first+*crds; seed++ {
		g := &generator{rand.New(rand.NewPCG(seed, 7)), 3}
		doc := g.crd()
		errs, panicked := upstream(t, doc)
		theirs := len(errs) > 0 || panicked != nil
		defs, err := crd.Read("crd", []byte(plain.Text(doc)))
		if err != nil {
			if !theirs {
				t.Fatalf("seed %d: %v in %s", seed, err, plain.Text(doc))
			}
			continue // the name of the CRD is not a string
		}
		found := defs[0].Validate()
		seen := map[crd.Rule]bool{}
		for _, f := range found {
			if !seen[f.Rule] {
				seen[f.Rule] = true
				rules[f.Rule]++
			}
		}
		if errors.Is(panicked, errPanic) {
			panics++
			if len(found) == 0 {
				t.Fatalf("seed %d: kube/crd accepts the CRD, and apiextensions panics: %v\n%s", seed, panicked, plain.Text(doc))
			}
			continue
		}
		if theirs {
			rejected++
		} else {
			accepted++
		}
		switch ours := len(found) > 0; {
		case theirs && !ours:
			t.Fatalf("seed %d: kube/crd accepts the CRD, and apiextensions rejects it: %v %v\n%s", seed, errs, panicked, plain.Text(doc))
		case ours && !theirs:
			id := excuse(found)
			if id == "" {
				t.Fatalf("seed %d: kube/crd rejects the CRD, and apiextensions accepts it:\n%v\n%s", seed, found, plain.Text(doc))
			}
			differences[id]++
		case !ours:
			if err := openapi.New(openapi.Options{}).AddCRD("crd", []byte(plain.Text(doc))); err != nil {
				t.Fatalf("seed %d: the CRD is accepted, but has no schema: %v\n%s", seed, err, plain.Text(doc))
			}
			schemas++
		}
	}
	t.Logf("%d CRDs: apiextensions accepts %d, rejects %d, and panics for %d; %d schemas were built", *crds, accepted, rejected, panics, schemas)
	for _, r := range slices.Sorted(maps.Keys(rules)) {
		t.Logf("%6d  %s", rules[r], r)
	}
	if *crds >= 20000 {
		for _, r := range documentRules() {
			// These rules cannot occur, because all CRDs are of v1 and small.
			if rules[r] == 0 && r != crd.TooDeep && r != crd.TooLarge && r != crd.MarkerVersion && r != crd.DefaultVersion {
				t.Errorf("no CRD broke the rule %s", r)
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(intended)) {
		t.Logf("%6d CRDs with the difference %s", differences[id], id)
		if differences[id] == 0 {
			t.Errorf("the difference %s did not occur", id)
		}
	}
	if share := float64(rejected) / float64(*crds); share < 0.4 || share > 0.6 {
		t.Errorf("apiextensions rejects %.0f %% of the CRDs, want about half", 100*share)
	}
}

// excuse returns the id of an intended difference if intended differences explain all
// findings. If they do not explain one of the findings, it returns "".
func excuse(found crd.Findings) (id string) {
	for _, f := range found {
		this := ""
		for name, is := range intended {
			if is(f) {
				this = name
			}
		}
		if this == "" {
			return ""
		}
		id = this
	}
	return id
}
