// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package mutant wraps an engine and makes small changes to its results. A comparison with the
// original engine must detect each change.
package mutant

import (
	"maps"
	"sync/atomic"

	"github.com/dovetail-ssa/dovetail/test/differential/engine"
)

// Mutants lists the changes by name.
var Mutants = map[string]func(engine.Engine) engine.Engine{
	"integers-for-floats": mutate(func(m *mutation) { m.object = integers }),
	"null-lost":           mutate(func(m *mutation) { m.object = nullLost }),
	"input-written":       mutate(func(m *mutation) { m.merging = write }),
	"result-aliased":      mutate(func(m *mutation) { m.merged = second }),
	"no-op-returns-live":  mutate(func(m *mutation) { m.applied = liveForNoop }),
	"conflict-lost":       mutate(func(m *mutation) { m.conflicts = fewer }),
	"duplicates-refused":  mutate(func(m *mutation) { m.refuseDuplicates = true }),
	"keys-not-appended":   mutate(func(m *mutation) { m.ignoreAppend = true }),
	"panics":              mutate(func(m *mutation) { m.object = panics }),
	"second-thoughts":     mutate(unsteady),
}

type mutation struct {
	engine.Engine
	object           func(any) any
	merging          func(data any)
	merged           func(result, other engine.Typed) engine.Typed
	applied          func(result, live engine.Typed) engine.Typed
	conflicts        func([]engine.Conflict) []engine.Conflict
	refuseDuplicates bool
	ignoreAppend     bool
}

func mutate(change func(*mutation)) func(engine.Engine) engine.Engine {
	return func(e engine.Engine) engine.Engine {
		m := &mutation{Engine: e}
		change(m)
		return m
	}
}

func integers(v any) any {
	if m, ok := v.(map[string]any); ok {
		out := maps.Clone(m)
		for k, item := range m {
			if f, ok := item.(float64); ok && f == 80 {
				out[k] = int64(80)
			}
		}
		return out
	}
	return v
}

func nullLost(v any) any {
	if m, ok := v.(map[string]any); ok && len(m) > 2 {
		out := maps.Clone(m)
		for k, item := range m {
			if item == nil {
				delete(out, k)
			}
		}
		return out
	}
	return v
}

func write(data any) {
	if m, ok := data.(map[string]any); ok && len(m) > 1 {
		m["written"] = true
	}
}

func second(result, other engine.Typed) engine.Typed {
	a, _ := result.Object()
	b, _ := other.Object()
	x, ok := a.(map[string]any)
	y, ok2 := b.(map[string]any)
	if ok && ok2 && len(x) == len(y) && len(x) > 1 {
		return other
	}
	return result
}

func liveForNoop(result, live engine.Typed) engine.Typed {
	if result == nil {
		return live
	}
	return result
}

func fewer(list []engine.Conflict) []engine.Conflict {
	if len(list) > 2 {
		return list[1:]
	}
	return list
}

func panics(v any) any {
	if m, ok := v.(map[string]any); ok && len(m) == 5 {
		panic("five")
	}
	return v
}

// unsteady adds a field to every second map that an operation returns. So the same operation
// returns different results in two runs.
func unsteady(m *mutation) {
	var n atomic.Int64
	m.object = func(v any) any {
		if x, ok := v.(map[string]any); ok && len(x) > 0 && n.Add(1)%2 == 0 {
			out := maps.Clone(x)
			out["odd"] = true
			return out
		}
		return v
	}
}
