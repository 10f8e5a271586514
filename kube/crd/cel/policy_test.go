// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cel_test

import (
	"fmt"
	"strings"
	"testing"

	celgo "github.com/google/cel-go/cel"
	"go.yaml.in/yaml/v2"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/dovetail-ssa/dovetail/internal/flow"
	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/crd/cel"
	"github.com/dovetail-ssa/dovetail/kube/crd/internal/crdtest"
)

// policyEnv returns a CEL environment. For the dialect Newest, it is the environment of
// the newest API server. Otherwise, it is the environment of the oldest supported API
// server.
func policyEnv(t *testing.T, dialect cel.Dialect) *celgo.Env {
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
	return set.NewExpressionsEnv()
}

// denied returns the messages of the validations that reject the update from old to now.
func denied(t *testing.T, env *celgo.Env, policies []map[string]any, old, now map[string]any) []string {
	t.Helper()
	var all []string
	for _, p := range policies {
		text, err := yaml.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		var decoded struct {
			Kind string
			Spec struct {
				Validations []struct{ Expression, Message, Reason string }
			}
		}
		if err := yaml.Unmarshal(text, &decoded); err != nil {
			t.Fatal(err)
		}
		for _, v := range decoded.Spec.Validations {
			ast, issues := env.Compile(v.Expression)
			if issues.Err() != nil {
				t.Fatalf("%s: %v", v.Expression, issues.Err())
			}
			program, err := env.Program(ast)
			if err != nil {
				t.Fatal(err)
			}
			result, _, err := program.Eval(map[string]any{"object": now, "oldObject": old})
			if err != nil {
				t.Errorf("%s: %v", v.Expression, err)
			} else if result.Value() != true {
				all = append(all, v.Message)
			}
		}
	}
	return all
}

// For each update in the specification's cases, rules and policies together must give the
// expected result.
func TestPolicyCases(t *testing.T) {
	schemas, _ := crdtest.CaseDocument(t, ruleCases)["schemas"].(map[string]any)
	for _, dialect := range []cel.Dialect{cel.Portable, cel.Newest} {
		env := policyEnv(t, dialect)
		byPolicy := 0
		for _, c := range crdtest.Cases(t, ruleCases, "cases") {
			o := cel.Options{Dialect: dialect, Policy: true}
			doc, translation := translated(t, crdtest.Head+"        "+flow.Of(schemas[c["schema"].(string)], 1<<20)+"\n", o)
			policies, notEnforced := translation.Policy()
			if len(notEnforced) > 0 {
				t.Errorf("%v: not enforced: %v", c["id"], notEnforced)
			}
			v, _ := crdtest.Read(t, doc).Version("v1")
			old, now := side(t, c, "old"), side(t, c, "new")
			found, err := v.Validate(now, old)
			if err != nil {
				t.Fatal(err)
			}
			if c["newJSON"] == nil { // read the JSON text, because plain data would turn 1.0 into 1
				if old, err = v.Default(old); err == nil {
					now, err = v.Default(now)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			denials := denied(t, env, policies, old, now)
			if len(denials) > 0 {
				byPolicy++
			}
			allowed := len(denials) == 0
			for _, f := range found {
				allowed = allowed && f.Rule != crd.ObjectRule
			}
			if want := c["expect"].(map[string]any)["allowed"]; allowed != want {
				t.Errorf("%v: allowed: %v, want %v; %v %q", c["id"], allowed, want, found, denials)
			}
		}
		if byPolicy == 0 {
			t.Error("no policy denied anything")
		}
	}
}

// Each case has a schema and the expected validations of the policy that Translate
// generates for the schema.
func TestPolicies(t *testing.T) {
	crdtest.CheckBlocks(t, "testdata/policies.txt", func(t *testing.T, in string) string {
		o := cel.Options{Policy: true, IgnoreItemOrder: strings.HasSuffix(t.Name(), "/any_order")}
		_, translation := translated(t, crdtest.Document(in), o)
		policies, notEnforced := translation.Policy()
		var lines []string
		for i, p := range policies {
			text, err := yaml.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				denied(t, policyEnv(t, cel.Portable), policies, map[string]any{}, map[string]any{})
			}
			lines = append(lines, strings.TrimSpace(string(text)))
		}
		for _, d := range notEnforced {
			lines = append(lines, fmt.Sprintf("left: %d: %s: %s", d.Line, d.Field, d.Reason))
		}
		for _, r := range translation.Rules {
			lines = append(lines, "rule: "+r.Rule)
		}
		return strings.Join(lines, "\n")
	})
}
