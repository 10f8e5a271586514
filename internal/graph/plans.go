// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package graph

import (
	"reflect"
	"sync"
	"sync/atomic"
)

// Plans keeps what walks of Go values have worked out about a node and each Go
// type that stood there, so that it lives as long as the graph. Safe for
// concurrent use.
type Plans struct {
	known atomic.Pointer[map[reflect.Type]any]
	mu    sync.Mutex
}

// For returns the plan for t, which plan makes if there is none yet.
func (p *Plans) For(t reflect.Type, plan func() any) any {
	if known := p.known.Load(); known != nil {
		if made, ok := (*known)[t]; ok {
			return made
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	all := map[reflect.Type]any{}
	if known := p.known.Load(); known != nil {
		if made, ok := (*known)[t]; ok {
			return made
		}
		for u, made := range *known {
			all[u] = made
		}
	}
	all[t] = plan()
	p.known.Store(&all)
	return all[t]
}
