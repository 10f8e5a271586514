// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"github.com/dovetail-ssa/dovetail/managedfields"
	"testing"
)

func TestVersionFor(t *testing.T) {
	entries := func(versions ...string) (all []managedfields.Entry) {
		for _, v := range versions {
			all = append(all, managedfields.Entry{Owner: managedfields.Owner{APIVersion: v}})
		}
		return all
	}
	for _, c := range []struct {
		given []managedfields.Entry
		want  string
	}{
		{nil, "v1"}, {entries("v1"), "v1"}, {entries("v2", "v1"), "v1"}, {entries("v2", "v3"), "v2"},
	} {
		if got := versionFor(c.given, "v1"); got != c.want {
			t.Errorf("%d given: got %s, want %s", len(c.given), got, c.want)
		}
	}
}
