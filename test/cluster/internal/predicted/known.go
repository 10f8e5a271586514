// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predicted

import "regexp"

// known lists the accepted differences: a pattern of "kind: request: path", and the reason.
// docs/prediction.md explains them.
var known = []struct {
	where *regexp.Regexp
	why   string
}{
	{regexp.MustCompile(`^(predicted\.example\.com/v[23] Knob|apiextensions\.crossplane\.io/v2 CompositeResourceDefinition): .*: (\.metadata\.resourceVersion|changed)$`),
		"a request in a version that is not stored does not store defaults of the stored version: reads add them, and the next request stores them"},
	{regexp.MustCompile(`^(example\.com/v1 Bar|kyverno\.io/v1 Policy|metallb\.io/v1beta1 L2Advertisement): .*: (\.metadata\.resourceVersion|changed)$`),
		"a server stores the object merged by an apply to status before pruning it; nobody can read the pruned fields, and the next write drops them"},
}

// listed returns the reason why a difference is accepted, or "" if it is not accepted.
func (d Difference) listed() string {
	for _, k := range known {
		if k.where.MatchString(d.Kind + ": " + d.Request + ": " + d.Path) {
			return k.why
		}
	}
	return ""
}

// keyless matches the server's log of an update that removes the key of a list item, such as a
// random request on .secrets of a ServiceAccount. The server stores the object and keeps the
// old managed fields. Before 1.37, the server removes them instead. Predictions include this
// behavior. The test compares managed fields, so an unexpected line also causes a difference.
var keyless = regexp.MustCompile(`failed to update managedFields.* omits all key fields`)

// Logged reports whether such requests cause this line of the server's log.
func Logged(line string) bool { return keyless.MatchString(line) }
