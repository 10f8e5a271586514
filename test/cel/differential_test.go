// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"encoding/json"
	"flag"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/crd/cel"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/test/internal/plain"
)

var (
	crds  = flag.Uint64("crds", 60, "random CRDs")
	pairs = flag.Int("pairs", 40, "random updates of objects of each CRD")
	first = flag.Uint64("seed", 1, "seed of the first CRD")
)

// subject is a CRD with markers, its translation to CEL rules, and random updates of objects.
type subject struct {
	seed    uint64
	plain   bool
	marked  *crd.Version
	made    *cel.Translation
	request request
}

// TestDifferential compares the verdicts of rules and of markers on random updates of random
// CRDs.
func TestDifferential(t *testing.T) {
	for _, anyOrder := range []bool{false, true} {
		for _, dialect := range []cel.Dialect{cel.Portable, cel.Newest} {
			name := "portable"
			if dialect == cel.Newest {
				name = "newest"
			}
			if anyOrder {
				name += ", any order"
			}
			t.Run(name, func(t *testing.T) {
				compare(t, cel.Options{Dialect: dialect, IgnoreItemOrder: anyOrder})
			})
		}
	}
}

func compare(t *testing.T, o cel.Options) {
	var subjects []subject
	bounded, markers := 0, map[string]int{}
	count := *crds
	if o.IgnoreItemOrder || o.Dialect == cel.Newest {
		count /= 3
	}
	for seed := *first; seed < *first+count; seed++ {
		g := &generator{rand.New(rand.NewPCG(seed, 11)), seed%4 != 0}
		s, more := g.subject(t, seed, o)
		if s == nil {
			continue
		}
		bounded += more
		for _, r := range s.made.Rules {
			markers[r.Marker]++
		}
		subjects = append(subjects, *s)
	}
	t.Logf("%d CRDs, %d of them without bounds; rules by marker: %v", len(subjects), bounded, markers)
	var requests []request
	for _, s := range subjects {
		requests = append(requests, s.request)
	}
	for _, r := range releases {
		for _, d := range r.dialects {
			if d == o.Dialect {
				t.Run(r.name, func(t *testing.T) { r.checkVerdicts(t, subjects, r.judge(t, requests), o) })
			}
		}
	}
	if len(markers) < len(schema.Transitions()) && len(subjects) >= 40 {
		t.Errorf("only these markers were translated to rules: %v", markers)
	}
}

// subject returns a random CRD with its translation and updates. It returns nil if the CRD has
// no markers. If the rules need bounds that the CRD does not have, subject adds the bounds
// that the translation proposes, and returns 1 as more.
func (g *generator) subject(t *testing.T, seed uint64, o cel.Options) (_ *subject, more int) {
	t.Helper()
	root := g.root()
	doc := []byte(plain.Text(document(root)))
	defs, err := crd.Read("crd", doc)
	if err != nil {
		t.Fatal(err)
	}
	if found := defs[0].Validate(); len(found) > 0 {
		t.Fatalf("seed %d: %v\n%s", seed, found, doc)
	}
	if !cel.HasMarkers(defs[0]) {
		return nil, 0
	}
	out, made, err := translate(t, doc, o)
	for round := 0; err == nil && len(made.Missing) > 0; round++ {
		if round == 4 {
			t.Fatalf("seed %d: bounds are still missing: %v\n%s", seed, made.Missing, doc)
		}
		more = 1
		doc = withBounds(t, doc, made.Missing)
		out, made, err = translate(t, doc, o)
	}
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, doc)
	}
	if defs, err = crd.Read("crd", doc); err != nil {
		t.Fatal(err)
	}
	s := &subject{seed: seed, plain: g.plain, made: made, request: request{CRD: out}}
	s.marked, _ = defs[0].Version("v1")
	for range *pairs {
		s.request.Pairs = append(s.request.Pairs, g.pair(root))
	}
	return s, more
}

// withBounds returns a copy of a CRD with the missing bounds.
func withBounds(t *testing.T, doc []byte, missing []cel.MissingBound) []byte {
	t.Helper()
	objects, err := manifest.Read("crd", doc)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range missing {
		if len(m.Bounds) == 0 {
			t.Fatalf("no bound is proposed: %s\n%s", m.Message, doc)
		}
		for _, b := range m.Bounds {
			var schema any = objects[0].Content
			for _, s := range b.Steps {
				switch s := s.(type) {
				case string:
					schema = schema.(object)[s]
				case int:
					schema = schema.([]any)[s]
				}
			}
			if found, ok := schema.(object)[b.Keyword].(int64); !ok || found > b.Most {
				schema.(object)[b.Keyword] = b.Most
			}
		}
	}
	return []byte(plain.Text(objects[0].Content))
}

// doubts returns the doubts of a translation that apply to an update.
func (r *release) doubts(all []cel.Doubt, pair [2]json.RawMessage) (some []cel.Doubt) {
	both := string(pair[0]) + string(pair[1])
	for _, d := range all {
		switch {
		case d.Reason == cel.FloatInteger && !strings.Contains(both, "1.0"):
		case d.Reason == cel.NullUnequal && (!strings.Contains(both, "null") || r.nullEqual):
		default:
			some = append(some, d)
		}
	}
	return some
}

func (r *release) checkVerdicts(t *testing.T, subjects []subject, answers []answer, o cel.Options) {
	exact, plain, forbidden, invalid, differ := 0, 0, 0, 0, 0
	for i, a := range answers {
		s := subjects[i]
		if len(a.Refused) > 0 {
			t.Errorf("seed %d: the CRD is rejected: %q\n%s", s.seed, a.Refused, s.request.CRD)
			continue
		}
		for j, v := range a.Verdicts {
			if v.Invalid != "" {
				invalid++
				continue
			}
			p := s.request.Pairs[j]
			want := native(t, s.marked, p, o.IgnoreItemOrder)
			if len(want) > 0 {
				forbidden++
			}
			if (len(want) > 0) == (len(v.Errors) > 0) {
				exact++
				if s.plain {
					plain++
				}
				continue
			}
			differ++
			if s.plain || !announced(r.doubts(s.made.Doubts, p), want) {
				t.Errorf("seed %d: markers forbid changes of %q, rules forbid %q, doubts %v\n%s\nold %s\nnew %s", s.seed, want, v.Errors, s.made.Doubts, s.request.CRD, p[0], p[1])
				if differ > 5 {
					return
				}
			}
		}
	}
	t.Logf("%d updates get the same verdict, %d of them without a doubt; %d forbidden; %d differ, each with a doubt; %d invalid objects", exact, plain, forbidden, differ, invalid)
	if exact == 0 || forbidden*20 < exact || invalid > exact/4 {
		t.Errorf("too little was tested")
	}
}
