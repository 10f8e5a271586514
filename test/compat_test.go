// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package test

import (
	"testing"

	"github.com/dovetail-ssa/dovetail/test/internal/repo"
	"github.com/dovetail-ssa/dovetail/test/internal/shim"
)

// TestShimsAreUpToDate generates the drop-ins again and compares them with the files in compat.
func TestShimsAreUpToDate(t *testing.T) {
	for _, major := range []repo.Major{repo.V4, repo.V6} {
		t.Run(major.Name, func(t *testing.T) {
			stale, err := shim.Stale(major, ".", root(t))
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range stale {
				t.Error(s)
			}
		})
	}
}
