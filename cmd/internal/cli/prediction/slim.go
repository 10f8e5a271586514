// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build slim

package prediction

import (
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/predict"
)

func definition(*sources.Types, string, string) predict.Definition { return nil }

func CheckValues(t *sources.Types, o *Outcome) []string {
	if len(t.CRDs) == 0 {
		return nil
	}
	id := o.Object.Identity()
	if k, ok := t.Catalog.Kind(id.APIVersion, id.Kind); ok && k.Source != "" {
		o.Warn("", "the values are not checked: "+sources.NoRules)
	}
	return nil
}

func CheckFilled(*sources.Types, *Outcome, map[string]any) {}

func checkStored(t *sources.Types, o *Outcome) { CheckValues(t, o) }

func invalidDefinition(_, _ map[string]any) ([]predict.Cause, error) { return nil, nil }

func Forbidden(t *sources.Types, o *Outcome, _ map[string]any) ([]fieldmanager.ImmutableField, error) {
	if !t.HasTransitionRules(o.Object.Identity()) {
		return nil, nil
	}
	return nil, sources.NeedsRules("to evaluate rules that compare with oldSelf")
}

func readPolicies(_ *command.Run, q *Requests, _ *sources.Types, _ []*input.Ref) (predict.Policies, []*manifest.Object, manifest.Errors, error) {
	if len(q.policies.Names) == 0 {
		return nil, nil, nil, nil
	}
	return nil, nil, nil, sources.NeedsRules("to evaluate policies")
}

func podSecurity(*sources.Types) predict.PodSecurity { return nil }

func securesPods(manifest.Identity) bool { return false }

func missingInputHint(error) string { return "" }
