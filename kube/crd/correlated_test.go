// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"fmt"
	"testing"

	"k8s.io/apiserver/pkg/cel/common"
)

// counted is a schema that counts how often it is asked for its properties.
type counted struct {
	common.Schema
	below map[string]common.Schema
	asked *int
}

func (s counted) Properties() map[string]common.Schema {
	*s.asked++
	return s.below
}

// To correlate an object with an old one, a schema makes its properties once, not once for
// each property.
func TestCorrelatedAsksOnce(t *testing.T) {
	asked := 0
	old, now := map[string]any{}, map[string]any{}
	s := counted{below: map[string]common.Schema{}, asked: &asked}
	for i := range 100 {
		name := fmt.Sprint(i)
		s.below[name] = counted{asked: &asked}
		old[name], now[name] = "a", "b"
	}
	same := common.NewCorrelatedObject(now, old, remember(s))
	for name := range now {
		if same.Key(name) == nil {
			t.Errorf("%s is not correlated", name)
		}
	}
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
}
