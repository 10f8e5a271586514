// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"testing"

	"github.com/dovetail-ssa/dovetail/value"
)

// TestInYAML checks that a value in a message has only one line.
func TestInYAML(t *testing.T) {
	for _, c := range []struct {
		v    any
		want string
	}{
		{"web", "web"}, {"80", `"80"`}, {"a\nb\n", `"a\nb\n"`}, {int64(1), "1"}, {[]any{"a"}, `["a"]`}, {nil, "null"},
	} {
		if got := inYAML(value.NewValueInterface(c.v)); got != c.want {
			t.Errorf("%q: got %s, want %s", c.v, got, c.want)
		}
	}
}
