// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import "testing"

func TestLongestManager(t *testing.T) {
	name := make([]byte, maxManagerLength+1)
	for i := range name {
		name[i] = 'm'
	}
	if err := CheckManager(string(name[1:])); err != nil {
		t.Error(err)
	}
	if CheckManager(string(name)) == nil {
		t.Errorf("%d bytes are not too long", len(name))
	}
}
