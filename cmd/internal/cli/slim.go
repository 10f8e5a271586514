// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build slim

package cli

import (
	"fmt"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// With the build tag slim, the command does without package kube/crd and the
// libraries of the API server behind it: it builds in half the time, and judges
// no custom resource.

type crdVersion struct{}

const noRules = "this dovetail was built with the tag slim, without the rules for custom resources"

func needsRules(what string) error {
	return fmt.Errorf("%s; %s, build it without the tag", noRules, what)
}

func (t *types) values(o *outcome) {
	if len(t.crds) == 0 {
		return
	}
	id := o.object.Identity()
	if k, ok := t.catalog.Kind(id.APIVersion, id.Kind); ok && k.Source != "" {
		o.warn("", "values are not checked: "+noRules)
	}
}

func (t *types) completed(_ manifest.Identity, object map[string]any) (map[string]any, bool, error) {
	return object, false, nil
}

func (t *types) storedValues(*outcome) {}

func (t *types) forbidden(o *outcome, _ map[string]any) ([]fieldmanager.ImmutableField, error) {
	if !t.hasTransitionRules(o.object.Identity()) {
		return nil, nil
	}
	return nil, needsRules("to judge by rules that compare with oldSelf")
}

func lintCRD(*manifest.Object) []finding { return nil }

func (r *run) translate(*manifest.Object, celOptions, *celReport) ([]manifest.Change, error) {
	return nil, nil
}

func refusedUpdates(_, _ *types) []typeChange { return nil }
