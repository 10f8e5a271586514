// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"

	"github.com/dovetail-ssa/dovetail/test/differential/engine"
	"github.com/dovetail-ssa/dovetail/test/differential/scenario"
	"github.com/dovetail-ssa/dovetail/test/differential/structs"
)

// probes has a function for each accepted difference that random operations cannot show. To
// show it, both engines run the same probe (see engine.Engine.Probe). The function gets both
// results, and reports whether they differ as DIFFERENCES.md says.
var probes = map[string]func(n int, want, have string) bool{
	"depth": func(_ int, want, have string) bool {
		levels, _, _ := strings.Cut(want, " ")
		return levels > "10000" && len(levels) == 5 && want == levels+" levels, error false" && have == levels+" levels, error true"
	},
	"shared-nan": func(_ int, want, have string) bool { return want == "nan equals false" && have == "nan equals true" },
	"changed-data": func(_ int, want, have string) bool {
		return want == "merge error true, validation error true" && have == "merge error false, validation error true"
	},
	"deep-embedding": func(n int, _, have string) bool { return sameJSON(have, structs.NewDeep(n)) },
	"odd-structs": func(n int, want, have string) bool {
		return want == engine.Panics && sameJSON(have, structs.NewHolder(n))
	},
	"nil-elements": func(_ int, want, have string) bool {
		return want == engine.Panics && (strings.HasSuffix(have, " error true") || have == "left 0")
	},
	"matcher-members": func(_ int, want, have string) bool {
		return strings.HasPrefix(want, "false") && strings.HasPrefix(have, "true") && sortedRunes(want[5:]) == sortedRunes(have[4:])
	},
	"stream-errors": func(_ int, want, have string) bool {
		return want == "error true, wrote true" && have == "error true, wrote false"
	},
	"shared-leaves": func(n int, want, have string) bool {
		// With structured-merge-diff, the result contains the empty map of the config, or the
		// empty map of the live object if the config has no empty map.
		right := n/4%3 != 1
		return want == fmt.Sprintf("live is written to: false, %v, config: true, %v", !right, right) &&
			have == "live is written to: true, false, config: false, false"
	},
	"shared-subtrees": func(_ int, want, have string) bool {
		result, ok := strings.CutSuffix(want, "the same: true")
		return ok && have == result+"the same: false"
	},
}

// sameJSON reports whether a text is the JSON encoding of a value, with the fields in any order.
func sameJSON(text string, v any) bool {
	var have, want any
	b, err := json.Marshal(v)
	if err != nil || json.Unmarshal(b, &want) != nil || json.Unmarshal([]byte(text), &have) != nil {
		return false
	}
	a, err1 := json.Marshal(have)
	b, err2 := json.Marshal(want)
	return err1 == nil && err2 == nil && string(a) == string(b)
}

// probed returns the id of a probe if its two results differ in the way that DIFFERENCES.md
// describes, and "" if not.
func probed(st *scenario.Step, want, have *outcome) string {
	if st.Op == "probe" && probes[st.Manager] != nil && probes[st.Manager](st.Schema, want.facts[0], have.facts[0]) {
		return st.Manager
	}
	return ""
}

// Probes returns the ids of differences that have a probe.
func Probes() []string {
	var out []string
	for id := range probes {
		out = append(out, id)
	}
	sort.Strings(out)
	return out
}
