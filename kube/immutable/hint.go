// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package immutable

import (
	"slices"
	"strings"
)

// maxNamedFields is the maximum number of fields that a hint lists.
const maxNamedFields = 12

// hint returns a hint for a rejected change of a field, for example "in .spec, only replicas may
// change". The hint lists the fields of the same parent that may change. If there are none or too many,
// hint returns "".
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
	if len(free) == 0 || len(free) > maxNamedFields {
		return ""
	}
	names := free[0]
	if last := len(free) - 1; last > 0 {
		names = strings.Join(free[:last], ", ") + " and " + free[last]
	}
	return "in " + parent + ", only " + names + " may change"
}
