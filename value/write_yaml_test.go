// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import "testing"

func TestToYAMLOfUnknownType(t *testing.T) {
	if out, err := ToYAML(NewValueInterface(map[string]any{"a": complex(1, 2)})); err == nil {
		t.Errorf("got %q, want an error", out)
	}
}
