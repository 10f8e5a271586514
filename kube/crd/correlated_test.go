// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"fmt"
	"testing"

	"k8s.io/apiserver/pkg/cel/common"
)

// counted is a schema that counts the calls of Properties.
type counted struct {
	common.Schema
	below map[string]common.Schema
	calls *int
}

func (s counted) Properties() map[string]common.Schema {
	*s.calls++
	return s.below
}

// Pairing an object with an old object must call Properties once for each schema, not once
// for each property.
func TestCorrelatedCaches(t *testing.T) {
	calls := 0
	old, now := map[string]any{}, map[string]any{}
	s := counted{below: map[string]common.Schema{}, calls: &calls}
	for i := range 100 {
		name := fmt.Sprint(i)
		s.below[name] = counted{calls: &calls}
		old[name], now[name] = "a", "b"
	}
	same := common.NewCorrelatedObject(now, old, cacheSchema(s))
	for name := range now {
		if same.Key(name) == nil {
			t.Errorf("%s is not correlated", name)
		}
	}
	if calls != 1 {
		t.Errorf("Properties was called %d times", calls)
	}
}
