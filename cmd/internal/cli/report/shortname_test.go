// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

func TestShortName(t *testing.T) {
	for want, id := range map[string]manifest.Identity{
		"Deployment shop/web":              {APIVersion: "apps/v1", Kind: "Deployment", Namespace: "shop", Name: "web"},
		"Namespace shop":                   {APIVersion: "v1", Kind: "Namespace", Name: "shop"},
		"Database.example.com shop/orders": {APIVersion: "example.com/v1", Kind: "Database", Namespace: "shop", Name: "orders"},
		"Job in namespace shop":            {APIVersion: "batch/v1", Kind: "Job", Namespace: "shop"},
		"Job":                              {APIVersion: "batch/v1", Kind: "Job"},
	} {
		if got := ShortName(id); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
