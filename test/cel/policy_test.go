// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	celgo "github.com/google/cel-go/cel"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/crd/cel"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/test/internal/plain"
)

// TestPolicies checks rules together with admission policies. For every update, they must give
// the same verdict as the markers.
func TestPolicies(t *testing.T) {
	for _, o := range []cel.Options{{}, {IgnoreItemOrder: true}, {Dialect: cel.Newest}} {
		o.Policy = true
		var subjects []subject
		var requests []request
		for seed := *first; seed < *first+*crds/2; seed++ {
			g := &generator{rand.New(rand.NewPCG(seed, 12)), false}
			s, _ := g.subject(t, seed, o)
			if s != nil {
				subjects, requests = append(subjects, *s), append(requests, s.request)
			}
		}
		updates, byPolicy, forbidden, unbounded := 0, 0, 0, 0
		for i, a := range releases[0].judge(t, requests) {
			s := subjects[i]
			policies, left := s.made.Policy()
			if len(a.Refused) > 0 {
				t.Errorf("seed %d: the server rejects the CRD: %q", s.seed, a.Refused)
				continue
			}
			if len(left) > 0 {
				for _, d := range left {
					if !strings.Contains(d.Message, "needs maxItems of") {
						t.Errorf("seed %d: unexpected doubt: %v", s.seed, &d)
					}
				}
				unbounded++
				continue
			}
			p := newPolicy(t, policies, o.Dialect)
			for j, v := range a.Verdicts {
				if v.Invalid != "" {
					continue
				}
				updates++
				pair := s.request.Pairs[j]
				if spelledTwice(t, pair[0]) || spelledTwice(t, pair[1]) {
					continue
				}
				old, next := decodeForAdmission(t, s.marked, pair[0]), decodeForAdmission(t, s.marked, pair[1])
				want := native(t, s.marked, pair, o.IgnoreItemOrder)
				denied := p.denies(t, old, next)
				if len(want) > 0 {
					forbidden++
				}
				if len(denied) > 0 && len(v.Errors) == 0 {
					byPolicy++
				}
				if (len(want) > 0) != (len(v.Errors)+len(denied) > 0) {
					t.Fatalf("seed %d: markers forbid changes of %q, rules forbid %q, policies %q\n%s\n%s\nold %s\nnew %s", s.seed, want, v.Errors, denied, s.request.CRD, plain.Text(policies), pair[0], pair[1])
				}
			}
		}
		t.Logf("%+v: %d updates, all with the same verdict; %d forbidden, %d of them by policies only", o, updates, forbidden, byPolicy)
		if byPolicy == 0 || forbidden == byPolicy || unbounded > len(subjects)/10 {
			t.Error("too little was tested")
		}
	}
}

// spelledTwice reports whether a list has one item with the number 1 and another item with 1.0
// in the same field. If this field is a key, an API server sees two different items. CEL and
// the merge engine see one item twice.
func spelledTwice(t *testing.T, text json.RawMessage) bool {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return hasTwoSpellings(v)
}

func hasTwoSpellings(v any) bool {
	switch x := v.(type) {
	case map[string]any:
		for _, c := range x {
			if hasTwoSpellings(c) {
				return true
			}
		}
	case []any:
		for i, c := range x {
			if hasTwoSpellings(c) || slices.ContainsFunc(x[:i], func(o any) bool { return otherSpelling(c, o) }) {
				return true
			}
		}
	}
	return false
}

// otherSpelling reports whether two items have equal numbers with different spellings in one
// field.
func otherSpelling(x, y any) bool {
	a, _ := x.(map[string]any)
	b, _ := y.(map[string]any)
	for name, v := range a {
		m, isNumber := v.(json.Number)
		n, isOther := b[name].(json.Number)
		if !isNumber || !isOther || m == n {
			continue
		}
		f, err := m.Float64()
		g, otherErr := n.Float64()
		if err == nil && otherErr == nil && f == g {
			return true
		}
	}
	return false
}

// decodeForAdmission returns an object in the form in which admission policies receive it.
func decodeForAdmission(t *testing.T, v *crd.Version, text json.RawMessage) map[string]any {
	t.Helper()
	values, err := manifest.ReadValues("object", text)
	if err != nil {
		t.Fatal(err)
	}
	object, err := v.Default(values[0].(map[string]any))
	if err != nil {
		t.Fatal(err)
	}
	return object
}

// policy evaluates the validations of a policy on objects, as the API server does.
type policy struct {
	programs []celgo.Program
	messages []string
}

func newPolicy(t *testing.T, policies []map[string]any, dialect cel.Dialect) *policy {
	t.Helper()
	v := version.MajorMinor(1, 30)
	if dialect == cel.Newest {
		v = environment.DefaultCompatibilityVersion()
	}
	set, err := environment.MustBaseEnvSet(v).Extend(environment.VersionedOptions{
		IntroducedVersion: version.MajorMinor(1, 0),
		EnvOptions:        []celgo.EnvOption{celgo.Variable("object", celgo.DynType), celgo.Variable("oldObject", celgo.DynType)},
	})
	if err != nil {
		t.Fatal(err)
	}
	env := set.NewExpressionsEnv()
	p := &policy{}
	for _, o := range policies {
		validations, _ := o["spec"].(map[string]any)["validations"].([]any)
		for _, v := range validations {
			v := v.(map[string]any)
			ast, issues := env.Compile(v["expression"].(string))
			if issues.Err() != nil {
				t.Fatalf("%v: %v", v["expression"], issues.Err())
			}
			program, err := env.Program(ast)
			if err != nil {
				t.Fatal(err)
			}
			p.programs, p.messages = append(p.programs, program), append(p.messages, v["message"].(string))
		}
	}
	return p
}

func (p *policy) denies(t *testing.T, old, now map[string]any) (messages []string) {
	t.Helper()
	for i, program := range p.programs {
		result, _, err := program.Eval(map[string]any{"object": now, "oldObject": old})
		if err != nil {
			t.Fatalf("%s: %v\nold %s\nnew %s", p.messages[i], err, plain.Text(old), plain.Text(now))
		}
		if result.Value() != true {
			messages = append(messages, p.messages[i])
		}
	}
	return messages
}
