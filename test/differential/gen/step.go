// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"strings"

	"github.com/dovetail-ssa/dovetail/test/differential/engine"
	"github.com/dovetail-ssa/dovetail/test/differential/scenario"
	"github.com/dovetail-ssa/dovetail/test/differential/tree"
)

var managerNames = []string{"m1", "m2", "m3", "kube\"ctl"}

// Probes has the ids of the differences in DIFFERENCES.md for which there is a probe.
var Probes = []string{
	"changed-data", "deep-embedding", "depth", "matcher-members", "nil-elements", "odd-structs",
	"shared-leaves", "shared-nan", "shared-subtrees", "stream-errors",
}

// stateful returns a random step that changes the live object or its managers.
func (g *cases) stateful() scenario.Step {
	st := scenario.Step{
		Manager: managerNames[g.weighted(5, 4, 2, 1)],
		Version: Pick(g.Source, "v1", "v1", "v1", "v2", "v2", "v3"),
		Force:   g.Chance(1, 3),
	}
	if g.structured && st.Version != "v2" && g.Chance(1, 6) {
		st.Op, st.Schema = "touch", 8*g.N(4)+g.N(8)
		return st
	}
	noisy := g.Chance(1, 12)
	switch g.weighted(18, 6, 6, 3, 1, 1, 1, 1) {
	case 1:
		st.Op = "update"
		st.Object = g.object(st.Version, g.edited(st.Manager, st.Version, noisy))
	case 2:
		st.Op = "patch"
		st.Object = g.object(st.Version, g.edited(st.Manager, st.Version, noisy))
	case 3:
		st.Op = "extract-apply"
		st.Object = g.object(st.Version, g.edited(st.Manager, st.Version, false))
	case 4:
		st.Op = "forget"
	case 5:
		st.Op = "schema"
		st.Schema = g.N(len(g.models))
		g.schema = st.Schema
	case 6:
		st.Op = "retire"
	case 7:
		st.Op = "claim"
		st.Set = g.set(st.Version, g.edited(st.Manager, st.Version, false))
	default:
		st.Op = "apply"
		v := g.edited(st.Manager, st.Version, noisy)
		st.Object = g.object(st.Version, v)
		g.last[st.Manager] = scenario.Convert(v, g.find(st.Version), &scenario.Version{})
	}
	return st
}

// single returns a random step that changes neither the live object nor its managers. Most of
// these steps have an object of their own. All others read the live object.
func (g *cases) single() scenario.Step {
	st := scenario.Step{Version: Pick(g.Source, "v1", "v1", "v2", "v3"), Force: g.N(2) == 1}
	noisy := g.Chance(1, 3)
	if g.Chance(3, 4) {
		st.Object = g.anyObject(st.Version, g.edited("m1", st.Version, noisy))
	}
	ops := []string{
		"merge", "compare", "remove", "extract", "fieldset", "validate", "reconcile", "ensure",
		"sets", "codec", "values", "element", "matcher", "range", "empty", "decode",
		"walk", "write", "parts", "schemas", "managers", "probe",
	}
	st.Op = ops[g.weighted(16, 12, 12, 12, 6, 6, 8, 4, 6, 4, 4, 2, 1, 1, 1, 2, 3, 1, 2, 1, 2, 1)]
	switch st.Op {
	case "probe":
		st = scenario.Step{Op: "probe", Manager: Pick(g.Source, Probes...), Schema: g.N(1 << 16)}
		if st.Manager == "depth" && !g.Chance(1, 3) {
			st.Manager = "shared-nan" // the probe "depth" is slow, so usually run another probe instead
		}
	case "walk", "write":
		if st.Object == nil {
			st.Object = g.anyObject(st.Version, g.fresh(st.Version, noisy))
		}
		st.Other = g.anyObject(st.Version, g.otherObject(&st, noisy))
		st.Manager = Pick(g.Source, "a", "name", "k1")
	case "merge", "compare", "values":
		st.Other = g.anyObject(st.Version, g.otherObject(&st, noisy))
	case "remove", "extract", "reconcile", "ensure", "range":
		st.Set = g.anySet(&st)
	case "managers":
		st.Manager = Pick(g.Source, managerNames...)
		st.Set = g.anySet(&st)
	case "schemas":
		st.Schema = g.N(len(g.models))
	case "parts":
		st.Set, st.Set2 = g.anySet(&st), g.anySet(&st)
	case "sets":
		st.Set, st.Set2 = g.anySet(&st), g.anySet(&st)
		f := g.filter(st.Version, g.set(st.Version, g.fresh(st.Version, false)))
		st.Filter = &f
		st.Manager = g.serializedElement(st.Set)
	case "codec":
		st.Set = g.damaged(g.anySet(&st))
	case "decode":
		st.Set = g.damaged(tree.Text(g.edited("m1", st.Version, true)))
	case "element":
		st.Manager = g.damaged(g.serializedElement(g.anySet(&st)))
	case "matcher":
		st.Manager = g.serializedElement(g.anySet(&st))
	}
	return st
}

// anyObject returns an object for a step, with a random validation mode. Sometimes it has no
// value, or contains Go types that do not occur in decoded JSON.
func (g *cases) anyObject(version string, v any) *scenario.Object {
	o := g.object(version, v)
	o.Mode = Pick(g.Source, engine.Validated, engine.AllowDuplicates, engine.Unvalidated)
	if g.Chance(1, 25) {
		o.Flavor = tree.Strange
	}
	if g.Chance(1, 80) {
		o.Mode = engine.Absent
	}
	return o
}

func (g *cases) otherObject(st *scenario.Step, noisy bool) any {
	if st.Object == nil || g.Chance(1, 3) {
		return g.fresh(st.Version, noisy)
	}
	return Tweak(g.Source, g.model(), g.ref(st.Version), st.Object.Tree)
}

// anySet returns the set for a step. It is either a reference to the set of a manager, such as
// "@m1", or a set with random paths of an object.
func (g *cases) anySet(st *scenario.Step) string {
	if g.Chance(1, 6) {
		return "@" + Pick(g.Source, managerNames...)
	}
	if st.Object == nil || g.Chance(1, 4) {
		return g.set(st.Version, g.fresh(st.Version, false))
	}
	return g.set(st.Version, st.Object.Tree)
}

// serializedElement returns a random element at the top level of a set.
func (g *cases) serializedElement(set string) string {
	v, err := tree.Parse(set)
	m, ok := v.(map[string]any)
	if keys := tree.Keys(m); err == nil && ok && len(keys) > 0 {
		return keys[g.N(len(keys))]
	}
	return Pick(g.Source, "f:a", `k:{"name":"a","port":80}`, "v:1", "i:3", `v:"\u003c<"`, "v:1.50", `k:{"a":null,"A":[1]}`, "k:{}")
}

// damaged returns the text with up to two random changes.
func (g *cases) damaged(text string) string {
	for i, n := 0, g.N(3); i < n && text != "" && text[0] != '@'; i++ {
		p := g.N(len(text))
		switch g.N(6) {
		case 0:
			text = text[:p] + text[p+1:]
		case 1:
			text = text[:p] + Pick(g.Source, "{", "}", ",", ":", `"`, "null", " ", "1", "\\", "[]", "k:", "\x00", "é") + text[p:]
		case 2:
			text = text[:p]
		case 3:
			text = strings.Replace(text, "{}", Pick(g.Source, "null", "[]", "1", `"x"`, "{ }", `{".":{}}`), 1)
		case 4:
			text += Pick(g.Source, " ", "{}", "x", "\n")
		case 5:
			text = strings.Replace(text, `"f:`, Pick(g.Source, `"x:`, `"v:`, `"i:`, `"`, `"\u0066:`), 1)
		}
	}
	return text
}
