// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver

import (
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/immutable"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// isStored must return the same results with and without a table of the
// release.
func TestIsStored(t *testing.T) {
	for _, version := range immutable.Releases() {
		types, err := openapi.BuiltinRelease(version, openapi.Options{})
		if err != nil {
			t.Fatal(err)
		}
		table, err := immutable.New(version)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range types.Kinds() {
			if k.Resource != "" && isStored(k, nil) != isStored(k, table) {
				t.Errorf("%s: %s %s: stored is %v without a table", version, k.APIVersion, k.Kind, isStored(k, nil))
			}
		}
	}
}
