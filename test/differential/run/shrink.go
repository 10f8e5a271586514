// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"time"

	"github.com/dovetail-ssa/dovetail/test/differential/engine"
	"github.com/dovetail-ssa/dovetail/test/differential/scenario"
	"github.com/dovetail-ssa/dovetail/test/differential/tree"
)

// Shrink searches for a smaller case with the same kind of difference. It stops after the
// given time.
func (r *Runner) Shrink(d *Difference, limit time.Duration) *Difference {
	s := shrinker{r: &Runner{oracle: r.oracle, engine: r.engine, exempt: true, Random: r.Random, KnowsPanics: r.KnowsPanics}, key: d.Key(), best: d, deadline: time.Now().Add(limit)}
	for s.pass() && time.Now().Before(s.deadline) {
	}
	return s.best
}

type shrinker struct {
	r        *Runner
	key      string
	best     *Difference
	deadline time.Time
}

// try changes a copy of the case. It keeps the copy if the difference still occurs.
func (s *shrinker) try(change func(c *scenario.Case)) bool {
	if time.Now().After(s.deadline) {
		return false
	}
	c := s.best.Case.Clone()
	change(c)
	d := s.r.Check(c)
	if d == nil || d.Key() != s.key {
		return false
	}
	s.best = d
	return true
}

// pass tries each kind of simplification once. It reports whether at least one of them worked.
func (s *shrinker) pass() bool {
	better := s.steps()
	better = s.settings() || better
	for i := range s.best.Case.Steps {
		better = s.object(func(c *scenario.Case) **scenario.Object { return &c.Steps[i].Object }) || better
		better = s.object(func(c *scenario.Case) **scenario.Object { return &c.Steps[i].Other }) || better
		better = s.text(func(c *scenario.Case) *string { return &c.Steps[i].Set }) || better
		better = s.text(func(c *scenario.Case) *string { return &c.Steps[i].Set2 }) || better
	}
	better = s.object(func(c *scenario.Case) **scenario.Object { return &c.Initial }) || better
	for i := range s.best.Case.Schemas {
		better = s.schema(i) || better
	}
	return better
}

func (s *shrinker) steps() bool {
	better := false
	if n := s.best.Step + 1; n >= 0 && n < len(s.best.Case.Steps) {
		better = s.try(func(c *scenario.Case) { c.Steps = c.Steps[:n] })
	}
	for i := len(s.best.Case.Steps) - 1; i >= 0; i-- {
		better = s.try(func(c *scenario.Case) {
			c.Steps = append(append([]scenario.Step(nil), c.Steps[:i]...), c.Steps[i+1:]...)
		}) || better
	}
	return better
}

// settings tries simpler settings. It tries each at most once.
func (s *shrinker) settings() bool {
	better := false
	try := func(applies bool, change func(c *scenario.Case)) {
		better = applies && s.try(change) || better
	}
	c := s.best.Case
	try(c.Structs, func(c *scenario.Case) { c.Structs = false })
	try(c.RoundTrip, func(c *scenario.Case) { c.RoundTrip = false })
	try(c.Initial != nil, func(c *scenario.Case) { c.Initial = nil })
	try(c.Updater.Ignored != nil, func(c *scenario.Case) { c.Updater.Ignored = nil })
	try(c.Updater.Filters != nil, func(c *scenario.Case) { c.Updater.Filters = nil })
	try(c.Updater.Literal, func(c *scenario.Case) { c.Updater.Literal = false })
	try(c.Updater.Noop, func(c *scenario.Case) { c.Updater.Noop = false })
	try(c.Updater.Strict, func(c *scenario.Case) { c.Updater.Strict = false })
	for i := range c.Versions {
		try(c.Versions[i].Broken, func(c *scenario.Case) { c.Versions[i].Broken = false })
		try(c.Versions[i].Override != "", func(c *scenario.Case) { c.Versions[i].Override = "" })
		try(len(c.Versions[i].Rename) > 0, func(c *scenario.Case) { c.Versions[i].Rename = nil })
		try(len(c.Versions[i].Drop) > 0, func(c *scenario.Case) { c.Versions[i].Drop = nil })
	}
	try(len(c.Schemas) > 1, func(c *scenario.Case) { c.Schemas = c.Schemas[:len(c.Schemas)-1] })
	for i := range c.Steps {
		st := &c.Steps[i]
		try(st.Force, func(c *scenario.Case) { c.Steps[i].Force = false })
		try(st.Version != "v1" && st.Version != "", func(c *scenario.Case) { c.Steps[i].Version = "v1" })
		try(st.Manager == `kube"ctl`, func(c *scenario.Case) { c.Steps[i].Manager = "m4" })
		try(st.Op == "extract-apply" || st.Op == "patch", func(c *scenario.Case) { c.Steps[i].Op = "apply" })
	}
	return better
}

// object tries smaller and simpler versions of an object.
func (s *shrinker) object(at func(c *scenario.Case) **scenario.Object) bool {
	if *at(s.best.Case) == nil {
		return false
	}
	set := func(change func(o *scenario.Object)) bool {
		return s.try(func(c *scenario.Case) {
			o := **at(c)
			change(&o)
			*at(c) = &o
		})
	}
	better := false
	if o := *at(s.best.Case); o.Flavor != tree.JSON {
		better = set(func(o *scenario.Object) { o.Flavor = tree.JSON })
	}
	if o := *at(s.best.Case); o.Forms != 0 {
		better = set(func(o *scenario.Object) { o.Forms = 0 }) || better
	}
	if o := *at(s.best.Case); o.Mode != engine.Validated {
		better = set(func(o *scenario.Object) { o.Mode = engine.Validated }) || better
	}
	return s.tree(func() any { return (*at(s.best.Case)).Tree }, func(v any) bool {
		return set(func(o *scenario.Object) { o.Tree = v })
	}) || better
}

func (s *shrinker) text(at func(c *scenario.Case) *string) bool {
	text := *at(s.best.Case)
	if text == "" || text[0] == '@' {
		return false
	}
	if _, err := tree.Parse(text); err != nil {
		return false
	}
	return s.tree(func() any {
		v, _ := tree.Parse(*at(s.best.Case))
		return v
	}, func(v any) bool {
		return s.try(func(c *scenario.Case) { *at(c) = tree.Text(v) })
	})
}

func (s *shrinker) schema(i int) bool {
	if i >= len(s.best.Case.Schemas) || s.best.Case.Schemas[i].Tree == nil {
		return false
	}
	return s.tree(func() any { return s.best.Case.Schemas[i].Tree }, func(v any) bool {
		return v != nil && s.try(func(c *scenario.Case) {
			c.Schemas[i] = scenario.Schema{Tree: v, Literal: c.Schemas[i].Literal}
		})
	})
}

// tree tries to remove each part of a tree, larger parts first.
func (s *shrinker) tree(get func() any, set func(v any) bool) bool {
	better := false
	for n := 0; ; {
		smaller, ok := withoutPart(get(), n)
		if !ok || time.Now().After(s.deadline) {
			return better
		}
		if set(smaller) {
			better = true
		} else {
			n++
		}
	}
}

// withoutPart returns a copy of a tree without its nth part, counted in breadth-first order. It
// returns false if the tree has fewer parts.
func withoutPart(v any, n int) (any, bool) {
	out := tree.Copy(v)
	type holder struct {
		v   any
		put func(any)
	}
	queue := []holder{{out, func(x any) { out = x }}}
	for len(queue) > 0 {
		h := queue[0]
		queue = queue[1:]
		switch t := h.v.(type) {
		case map[string]any:
			keys := tree.Keys(t)
			if n < len(keys) {
				delete(t, keys[n])
				return out, true
			}
			n -= len(keys)
			for _, k := range keys {
				queue = append(queue, holder{t[k], func(x any) { t[k] = x }})
			}
		case []any:
			if n < len(t) {
				h.put(append(append([]any{}, t[:n]...), t[n+1:]...))
				return out, true
			}
			n -= len(t)
			for i := range t {
				queue = append(queue, holder{t[i], func(x any) { t[i] = x }})
			}
		}
	}
	return nil, false
}
