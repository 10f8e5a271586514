// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest

import "testing"

func TestIdentity(t *testing.T) {
	for want, id := range map[string]Identity{
		"config/v1 Gateway":                 {APIVersion: "config/v1", Kind: "Gateway"},
		"v1 Namespace shop":                 {APIVersion: "v1", Kind: "Namespace", Name: "shop"},
		"v1 Service shop/web":               {APIVersion: "v1", Kind: "Service", Namespace: "shop", Name: "web"},
		"config/v1 Gateway in namespace eu": {APIVersion: "config/v1", Kind: "Gateway", Namespace: "eu"},
	} {
		if got := id.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
