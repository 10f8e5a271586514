// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/crd/cel"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/test/internal/plain"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// document returns a CRD with one version that has the given schema.
func document(schema any) map[string]any {
	return map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "things.example.com"},
		"spec": map[string]any{
			"group": "example.com", "scope": "Cluster", "names": map[string]any{"kind": "Thing", "plural": "things"},
			"versions": []any{map[string]any{
				"name": "v1", "served": true, "storage": true, "schema": map[string]any{"openAPIV3Schema": schema},
			}},
		},
	}
}

// translate returns a CRD with rules in place of its markers, and the findings of the
// translation.
func translate(t *testing.T, doc []byte, o cel.Options) ([]byte, *cel.Translation, error) {
	t.Helper()
	var made *cel.Translation
	out, err := manifest.Edit("crd", doc, func(object *manifest.Object) (_ []manifest.Change, err error) {
		if made, err = cel.Translate(crd.New(object), o); err != nil {
			return nil, err
		}
		return made.Changes(), nil
	})
	if err != nil {
		return nil, nil, err
	}
	values, err := manifest.ReadValues("crd", out)
	if err != nil {
		t.Fatal(err)
	}
	return []byte(plain.Text(values[0])), made, nil
}

// native returns the fields that the markers protect and the update changes.
func native(t *testing.T, v *crd.Version, pair [2]json.RawMessage, anyOrder bool) []string {
	t.Helper()
	typ, err := v.Type()
	if err != nil {
		t.Fatal(err)
	}
	var sides [2]*typed.TypedValue
	for i, text := range pair {
		values, err := manifest.ReadValues("object", text)
		if err != nil {
			t.Fatal(err)
		}
		stored, err := v.Default(values[0].(map[string]any))
		if err != nil {
			t.Fatal(err)
		}
		// The value is not validated, because a set of objects is not valid in a merge schema.
		sides[i] = typed.AsTypedUnvalidated(value.NewValueInterface(stored), typ.Schema, typ.TypeRef)
	}
	var options typed.TransitionOptions
	if anyOrder {
		options.IgnoreItemOrder = true
	}
	err = sides[0].CheckTransition(sides[1], options)
	var found typed.TransitionErrors
	if err != nil && !errors.As(err, &found) {
		t.Fatal(err)
	}
	var fields []string
	for _, e := range found {
		fields = append(fields, e.Field)
	}
	return fields
}

var element = regexp.MustCompile(`\[[^\]]*\]`)

// announced reports whether doubts explain that rules and markers give different verdicts.
// fields lists the changed fields that markers forbid and rules allow. Each of these fields
// needs a doubt. If fields is empty, rules forbid a change that markers allow, and a doubt
// must say so.
func announced(doubts []cel.Doubt, fields []string) bool {
	if len(fields) == 0 {
		for _, d := range doubts {
			if d.Refuses {
				return true
			}
		}
		return false
	}
	for _, f := range fields {
		pattern, covered := plainPath("."+f), false
		for _, d := range doubts {
			at := plainPath(d.Field)
			covered = covered || !d.Refuses && (strings.HasPrefix(at, pattern) || strings.HasPrefix(pattern, at))
		}
		if !covered {
			return false
		}
	}
	return true
}

// plainPath returns a path with "." between steps and without items. In this form, paths of
// schemas and of objects can be compared.
func plainPath(path string) string {
	return element.ReplaceAllStringFunc(path, func(s string) string {
		if strings.HasPrefix(s, `["`) {
			return "." + strings.Trim(s, `[]"`)
		}
		return "[]"
	})
}
