// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predicted

import "regexp"

// known lists accepted differences. Each entry has a pattern for "kind: request: path", and a
// reason. docs/prediction.md explains the reasons.
var known = []struct {
	where *regexp.Regexp
	why   string
}{
	{regexp.MustCompile(`^(predicted\.example\.com/v[23] Knob|apiextensions\.crossplane\.io/v2 CompositeResourceDefinition): .*: (\.metadata\.resourceVersion|changed)$`),
		"a request in a version that is not stored does not store defaults of the stored version: reads add them, and the next request stores them"},
}

// unpruned is the reason for a write after an apply of nulls, empty metadata or undeclared fields.
const unpruned = "a server stores the custom resource merged by an apply before pruning it; nobody can read the pruned values, and the next write drops them"

// listed returns the reason why this difference is accepted, or "".
func (d Difference) listed() string {
	if d.unpruned && (d.Path == ".metadata.resourceVersion" || d.Path == "changed") {
		return unpruned
	}
	for _, k := range known {
		if k.where.MatchString(d.Kind + ": " + d.Request + ": " + d.Path) {
			return k.why
		}
	}
	return ""
}

// keyless matches an error that a server logs if an update removes the key of a list item. The
// random updates of this test cause it, because they sometimes remove such a key from .secrets of
// a ServiceAccount. The server then stores the object with its old managed fields, or before 1.37
// without managed fields. The predictions cover this case. If the error has another cause, the
// comparison of managed fields fails.
var keyless = regexp.MustCompile(`failed to update managedFields.* omits all key fields`)

// Logged reports whether a line of the server's log is the error that keyless matches.
func Logged(line string) bool { return keyless.MatchString(line) }
