// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package immutable

import (
	"slices"
	"strings"
)

// mostNamed is how many fields that may change are named.
const mostNamed = 12

// hint says what helps where a rule forbids a change at a pattern: which fields beside it
// may change, if these are few.
func (c *check) hint(pattern string) string {
	end := strings.LastIndexByte(pattern, '.')
	if end <= 0 {
		return ""
	}
	parent := pattern[:end]
	at := c.root()
	for name := range strings.SplitSeq(strings.TrimPrefix(parent, "."), ".") {
		at = at.child(c.t.Schema, strings.TrimRight(name, "[]{}"))
	}
	atom, _ := c.t.Schema.Resolve(at.ref)
	if atom.Map == nil || strings.ContainsAny(parent, "[{") {
		return ""
	}
	var free []string
	for _, f := range atom.Map.Fields {
		path := parent + "." + f.Name
		if !slices.ContainsFunc(c.kind.rules, func(r TransitionRule) bool { return r.Path == path }) {
			free = append(free, f.Name)
		}
	}
	if len(free) == 0 || len(free) > mostNamed {
		return ""
	}
	names := free[0]
	if last := len(free) - 1; last > 0 {
		names = strings.Join(free[:last], ", ") + " and " + free[last]
	}
	return "of " + parent + ", only " + names + " may change"
}
