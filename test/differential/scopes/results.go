// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package scopes

import (
	"fmt"
	"strings"

	"github.com/dovetail-ssa/dovetail/spec/cases"
	"github.com/dovetail-ssa/dovetail/spec/model"
)

// Results runs the cases of the given levels. For each level, it returns a line with the
// number of passed cases, and then one line for each kind of failure. It skips cases that are
// for a different profile.
func Results(name string, by Answerer, profile model.Profile, levels ...int) (string, error) {
	groups, err := cases.All()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, level := range levels {
		passed, all := 0, 0
		alike := map[string][]string{}
		var kinds []string
		for _, g := range groups {
			for _, c := range g.Cases {
				if c.Level != level || c.Profile != "" && c.Profile != profile {
					continue
				}
				all++
				got, err := by(Request{c, g.Schema, g.Versions})
				if err != nil {
					got = cases.Want{Error: err.Error()}
				}
				wrong := c.Want.Wrong(got)
				if wrong == "" {
					passed++
					continue
				}
				if strings.Contains(wrong, "omits key field") {
					wrong = "an item that lacks a key without a default is rejected"
				}
				if alike[wrong] == nil {
					kinds = append(kinds, wrong)
				}
				alike[wrong] = append(alike[wrong], c.Name)
			}
		}
		fmt.Fprintf(&b, "%s, level %d: %d of %d\n", name, level, passed, all)
		for _, k := range kinds {
			fmt.Fprintf(&b, "  %s: %s\n", strings.ReplaceAll(k, "\n", " "), strings.Join(alike[k], " "))
		}
	}
	return b.String(), nil
}
