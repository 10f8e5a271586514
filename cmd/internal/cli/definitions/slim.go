// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build slim

package definitions

import (
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

func lintCRD(*manifest.Object) []finding { return nil }

func translate(*command.Run, *manifest.Object, celOptions, *CELReport) ([]manifest.Change, error) {
	return nil, nil
}

func rejectedUpdates(_, _ *sources.Types) []typeChange { return nil }

func breakingChanges(_, _ *sources.Types) []typeChange { return nil }

func newVersions(_, _ *sources.Types) []newVersion { return nil }

func breaksInNewVersion(_, _ *sources.Types) func(*manifest.Object, newVersion) []objectMove {
	return func(*manifest.Object, newVersion) []objectMove { return nil }
}

func narrowedValues(_, _ map[string]any) []typeChange { return nil }

func breaksObject(_, _ *sources.Types, _ []typeChange, _ func(manifest.Identity)) func(*manifest.Object) []objectMove {
	return func(*manifest.Object) []objectMove { return nil }
}

func (*upgradeCheck) readCluster(*command.Run) ([]*manifest.Object, error) {
	return nil, sources.NeedsRules("to check a CRD")
}
