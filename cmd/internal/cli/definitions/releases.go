// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package definitions

import (
	"fmt"
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// changedReleases finds what differs between the built-in kinds of two releases of
// Kubernetes, of which there are the published types only.
func changedReleases(old, now *sources.Types) (changes []typeChange) {
	at := manifest.Position{File: "Kubernetes " + now.Catalog.Release()}
	for _, k := range old.Catalog.Kinds() {
		if k.Source != "" || k.Resource == "" {
			continue
		}
		is, ok := now.Catalog.Type(k.APIVersion, k.Kind)
		if !ok {
			changes = append(changes, typeChange{
				at: at, apiVersion: k.APIVersion, kind: k.Kind, path: ".", rule: "version-gone", old: k.APIVersion,
				message: "is not there any more: clients that ask for it are refused" + otherVersions(now.Catalog, k),
			})
			continue
		}
		was, _ := old.Catalog.Type(k.APIVersion, k.Kind)
		c := typeComparison{old: was.Schema, now: is.Schema, seen: map[[2]string]bool{}, whole: true}
		c.refs("", was.TypeRef, is.TypeRef)
		for _, change := range c.changes {
			change.at, change.apiVersion, change.kind = at, k.APIVersion, k.Kind
			changes = append(changes, change)
		}
	}
	return changes
}

// otherVersions says in which versions a resource is served instead.
func otherVersions(c *openapi.Catalog, gone openapi.Kind) string {
	var versions []string
	for _, k := range c.Kinds() {
		if k.Source == "" && k.Resource == gone.Resource && unstructured.GroupOf(k.APIVersion) == unstructured.GroupOf(gone.APIVersion) {
			versions = append(versions, k.APIVersion)
		}
	}
	if len(versions) == 0 {
		return ""
	}
	return fmt.Sprintf("; there is %s", strings.Join(versions, ", "))
}
