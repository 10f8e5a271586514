// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package run runs cases on two engines, step by step, and reports differences.
package run

import (
	"fmt"
	"strings"

	"github.com/dovetail-ssa/dovetail/test/differential/engine"
	"github.com/dovetail-ssa/dovetail/test/differential/scenario"
	"github.com/dovetail-ssa/dovetail/test/differential/tree"
)

// Runner compares an engine with structured-merge-diff, which is called the oracle. Only one
// goroutine may use a Runner at a time. Stats contains the counts of all cases.
type Runner struct {
	oracle, engine        engine.Engine
	oracleCache, ownCache schemas
	Stats                 Stats
	// Random is set if the engine, like the oracle, may return different results in two runs.
	Random bool
	// KnowsPanics is set if DIFFERENCES.md lists all panics of the oracle. An unlisted panic
	// is then a difference.
	KnowsPanics bool
	// exempt is set if known differences are accepted. It is false while the engine is
	// compared with itself.
	exempt bool
}

// New returns a Runner that compares an engine with the oracle.
func New(oracle, e engine.Engine) *Runner {
	return &Runner{oracle: oracle, engine: e, exempt: true}
}

// Difference is a difference between the results of the engine and of the oracle.
type Difference struct {
	Case   *scenario.Case
	Step   int // index of the step; -1 is the start of the case, which reads the first schema and the initial object
	Op     string
	Aspect string
	Want   string
	Have   string
}

// Key returns a text that is the same for all differences of one kind.
func (d *Difference) Key() string { return d.Op + ": " + d.Aspect }

// reruns is the maximum number of times that a case runs again if the engines differ. Some
// results of the oracle are random, and the engine may return any of these results.
const reruns = 200

// Every case whose seed is a multiple of selfEvery also compares the engine with itself.
const selfEvery = 32

// Check runs a case. It returns nil if the engine and the oracle agree in the first run or in one
// of the reruns.
func (r *Runner) Check(c *scenario.Case) *Difference {
	r.Stats.Sequences++
	d := r.lockstep(c, r.oracle, r.engine, &r.Stats)
	if d == nil {
		if c.Seed%selfEvery == 0 && !r.Random {
			d = r.self(c)
		}
		return d
	}
	if d.Aspect == "panic" || strings.HasSuffix(d.Aspect, "modified") {
		return d
	}
	for i := 0; i < reruns; i++ {
		if r.lockstep(c, r.oracle, r.engine, &Stats{}) == nil {
			r.Stats.Random++
			return nil
		}
	}
	return d
}

// self runs the case twice with the engine, and reports a difference between the two runs.
func (r *Runner) self(c *scenario.Case) *Difference {
	r.Stats.Self++
	r.exempt = false
	defer func() { r.exempt = true }()
	d := r.lockstep(c, r.engine, r.engine, &Stats{})
	if d != nil {
		d.Aspect = "nondeterministic " + d.Aspect
	}
	return d
}

// lockstep runs both engines step by step until their results differ.
func (r *Runner) lockstep(c *scenario.Case, oracle, own engine.Engine, stats *Stats) *Difference {
	want := &side{eng: oracle, cache: &r.oracleCache, c: c}
	have := &side{eng: own, cache: &r.ownCache, c: c, checked: true}
	if oracle == own {
		want.cache = &r.ownCache
	}
	j := judge{runner: r, c: c, stats: stats, reflected: reflects(c), printed: c.Seed%8 == 0}
	d, ok := j.settle(-1, &scenario.Step{Op: "begin"}, want.begin(), have.begin())
	if d != nil || !ok {
		return d
	}
	if want.schema == nil || have.schema == nil || want.live == nil || have.live == nil {
		return nil
	}
	for i := range c.Steps {
		st := &c.Steps[i]
		stats.Operations++
		wo, wc := want.step(st)
		ho, hc := have.step(st)
		stats.count(st, wo)
		if d := j.commit(i, st, wo, ho, wc, hc); d != nil {
			return d
		}
		if c.RoundTrip && wc != nil && st.Op != "schema" {
			wo, wc = want.roundTrip()
			ho, hc = have.roundTrip()
			if d := j.commit(i, &scenario.Step{Op: "round trip"}, wo, ho, wc, hc); d != nil {
				return d
			}
		}
	}
	return nil
}

// judge compares the outcomes of one case.
type judge struct {
	runner    *Runner
	c         *scenario.Case
	stats     *Stats
	reflected bool
	printed   bool
}

// commit compares the outcomes of a step. If the case may continue, it calls the last two
// arguments, which apply the step's changes to the states of the two engines. Both may be nil.
func (j *judge) commit(i int, st *scenario.Step, wo, ho *outcome, wc, hc func()) *Difference {
	d, ok := j.settle(i, st, wo, ho)
	if d != nil {
		return d
	}
	if ok && wc != nil && hc != nil {
		wc()
		hc()
	}
	return nil
}

// settle compares the outcomes of a step. It returns a difference, or it reports whether the
// case may continue. The case ends after a panic of the oracle. It also ends after an accepted
// difference, unless only facts or error texts differ.
func (j *judge) settle(i int, st *scenario.Step, want, have *outcome) (*Difference, bool) {
	differs := func(aspect, w, h string) (*Difference, bool) {
		return &Difference{Case: j.c, Step: i, Op: st.Op, Aspect: aspect, Want: w, Have: h}, false
	}
	want.reflected, have.reflected = j.reflected, j.reflected
	if have.panicked != "" {
		random := j.runner.Random && strings.Contains(have.panicked, "structured-merge-diff")
		if random || j.runner.oracle == j.runner.engine && want.panicked != "" {
			increase(&j.stats.OraclePanics, st.Op, 1)
			return nil, false
		}
		return differs("panic", "no panic"+oraclePanic(want), have.panicked)
	}
	if len(have.violations) > 0 {
		return differs(have.violations[0].aspect, "", have.violations[0].detail)
	}
	if want.panicked != "" {
		increase(&j.stats.OraclePanics, st.Op, 1)
		id := knownPanic(want, have, oddKeys(j.c, i))
		switch {
		case id != "":
			increase(&j.stats.Exempted, id, 1)
		case j.runner.KnowsPanics:
			return differs("panic of structured-merge-diff", want.panicked, "no panic")
		}
		return nil, false
	}
	m := compare(want, have, j.printed)
	if m == nil {
		for _, id := range have.noted {
			increase(&j.stats.Exempted, id, 1)
		}
		return nil, true
	}
	if j.runner.exempt {
		if ids := exempted(j, i, st, want, have, m); ids != nil {
			for _, id := range ids {
				increase(&j.stats.Exempted, id, 1)
			}
			return nil, sameButErrors(m)
		}
	}
	return differs(m.aspect, m.want, m.have)
}

// sameButErrors reports whether both engines have the same state despite a mismatch.
func sameButErrors(m *mismatch) bool { return m.aspect == "error text" || m.aspect == "fact" }

func oraclePanic(o *outcome) string {
	if o.panicked == "" {
		return ""
	}
	line, _, _ := strings.Cut(o.panicked, "\n")
	return fmt.Sprintf(" (the oracle panicked too: %s)", line)
}

func reflects(c *scenario.Case) bool {
	if c.Structs {
		return true
	}
	if c.Initial != nil && c.Initial.Flavor == tree.Struct {
		return true
	}
	for i := range c.Steps {
		if c.Steps[i].Op == "touch" {
			return true
		}
		for _, o := range []*scenario.Object{c.Steps[i].Object, c.Steps[i].Other} {
			if o != nil && o.Flavor == tree.Struct {
				return true
			}
		}
	}
	return false
}
