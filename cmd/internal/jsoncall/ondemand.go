// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build releasesondemand

package jsoncall

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// missingReleases returns the releases that the caller must load before it can use the types. CRDs
// need the default release, because the types of metadata are part of it.
func missingReleases(args typesArgs) (missing []string) {
	if args.Schema != nil {
		return nil
	}
	needed := []string{cmp.Or(args.KubernetesVersion, openapi.Release())}
	if len(args.CRDs) > 0 {
		needed = append(needed, openapi.Release())
	}
	for _, version := range needed {
		if minor := sources.Minor(version); !openapi.IsLoaded(minor) && !slices.Contains(missing, minor) {
			missing = append(missing, minor)
		}
	}
	return missing
}

// LoadRelease loads a release for all engines of the program. It returns an answer as JSON.
func LoadRelease(release string, data []byte) []byte {
	if err := openapi.LoadRelease(release, bytes.NewReader(data)); err != nil {
		return answerText(refused(&problem{Message: err.Error(), Reason: reasonUnavailable}))
	}
	return answerText(finish(&result{}))
}
