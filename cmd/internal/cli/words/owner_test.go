// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package words

import (
	"testing"
	"time"

	"github.com/dovetail-ssa/dovetail/managedfields"
)

func TestOwner(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		owner managedfields.Owner
		at    *time.Time
		want  string
	}{
		{managedfields.Owner{Manager: "web", Operation: "Apply", APIVersion: "v1"}, nil, "web (Apply, v1)"},
		{managedfields.Owner{Manager: "web", Operation: "Update", APIVersion: "v1", Subresource: "status"}, &at, "web (Update, v1, subresource status, 2026-01-02T03:04:05Z)"},
		{managedfields.Owner{Manager: "m\n::error::x", Operation: "Up\ndate", APIVersion: "v1\n::x", Subresource: "s\n"}, nil, `"m\n::error::x" (Up date, v1 ::x, subresource "s\n")`},
		{managedfields.Owner{Operation: "Apply", APIVersion: "v1"}, nil, `"" (Apply, v1)`},
	} {
		if got := Owner(c.owner, c.at); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}
