// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package releases_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/defaults"
	"github.com/dovetail-ssa/dovetail/kube/goform"
	"github.com/dovetail-ssa/dovetail/kube/immutable"
	"github.com/dovetail-ssa/dovetail/kube/internal/compact"
	"github.com/dovetail-ssa/dovetail/kube/internal/releases"
	"github.com/dovetail-ssa/dovetail/kube/internal/validation"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// Each package must find its part of each release, or return an error if the part is
// missing. All parts of a release must come from the same version and cover the same
// kinds.
func TestFamilies(t *testing.T) {
	for _, r := range releases.All() {
		t.Run(r.Minor, func(t *testing.T) { testFamilies(t, r) })
	}
	if newest, err := defaults.New(openapi.Release()); err != nil || newest.Version() != openapi.Release() {
		t.Errorf("the default release is %s: %v", openapi.Release(), err)
	}
}

func testFamilies(t *testing.T, r releases.Release) {
	check := func(p releases.Part, listed []string, version func() (string, error)) {
		t.Helper()
		has, _ := r.Has(p)
		if slices.Contains(listed, r.Minor) != has {
			t.Errorf("%s: among %v, want %v", p.File, listed, has)
		}
		got, err := version()
		if (err == nil) != has || has && got != r.Version {
			t.Errorf("%s: got %s, %v; want %s: %v", p.File, got, err, r.Version, has)
		}
	}
	var minors []string
	for _, version := range openapi.Releases() {
		minors = append(minors, releases.Minor(version))
	}
	types, err := openapi.BuiltinRelease(r.Minor, openapi.Options{})
	check(releases.OpenAPI, minors, func() (string, error) {
		return compact.Open(r.Text(releases.OpenAPI)).Release(), err
	})
	fill, err := defaults.New(r.Minor)
	check(releases.Defaults, defaults.Releases(), func() (string, error) { return versionOf(fill, err) })
	form, err := goform.New(r.Minor)
	check(releases.GoForm, goform.Releases(), func() (string, error) { return versionOf(form, err) })
	fixed, err := immutable.New(r.Minor)
	check(releases.Immutability, immutable.Releases(), func() (string, error) { return versionOf(fixed, err) })
	values, err := validation.New(r.Minor)
	check(releases.Validation, validation.Releases(), func() (string, error) { return versionOf(values, err) })
	if t.Failed() {
		return
	}

	kinds := types.Kinds()
	if len(kinds) < 250 || len(types.Types()) < 600 {
		t.Errorf("%d kinds and %d types", len(kinds), len(types.Types()))
	}
	for _, k := range kinds {
		if k.Resource == "" || !openapi.IsKubernetes(k.Type) {
			continue
		}
		if form != nil && !form.Knows(k.APIVersion, k.Kind) {
			t.Errorf("%s has no %s %s", releases.GoForm.File, k.APIVersion, k.Kind)
		}
		if typ, ok := types.Type(k.APIVersion, k.Kind); fixed != nil && ok {
			if ruled, _ := fixed.Type(typ, k.APIVersion, k.Kind); ruled.Schema.CheckTransitions() != nil {
				t.Errorf("%s: %v", k.Kind, ruled.Schema.CheckTransitions())
			}
		}
		object := map[string]any{"apiVersion": k.APIVersion, "kind": k.Kind}
		if fill != nil {
			fill.Fill(object, defaults.Options{})
		}
		if form != nil {
			form.Normalise(object)
		}
		if values != nil {
			values.CheckValues(object)
		}
	}
}

// versionOf returns the version of a release, or "" if there was an error.
func versionOf(r interface{ Version() string }, err error) (string, error) {
	if err != nil {
		if !strings.Contains(err.Error(), "; use one of ") {
			return "", nil // the release is known, but this part of its data is missing
		}
		return "", err
	}
	return r.Version(), nil
}
