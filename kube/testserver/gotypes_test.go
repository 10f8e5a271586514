// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver

import (
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// Some release serves each version in goTypes. Other versions would only make programs larger.
func TestGoTypesAreServed(t *testing.T) {
	served := map[string]bool{}
	for _, release := range openapi.Releases() {
		types, err := openapi.BuiltinRelease(release, openapi.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range types.Kinds() {
			if kind.Scope != openapi.ScopeUnknown {
				served[kind.APIVersion] = true
			}
		}
	}
	versions := 0
	for _, version := range goTypes().PrioritizedVersionsAllGroups() {
		versions++
		if !served[version.String()] {
			t.Errorf("no release serves %s", version)
		}
	}
	if versions < 30 {
		t.Errorf("only %d versions", versions)
	}
}
