// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predicted

import "regexp"

// known are the differences that are understood and stay: a pattern of "kind: request: path", and
// why. docs/prediction.md tells of them.
var known = []struct {
	where *regexp.Regexp
	why   string
}{
	{regexp.MustCompile(`^(predicted\.example\.com/v[23] Knob|apiextensions\.crossplane\.io/v2 CompositeResourceDefinition): .*: (\.metadata\.resourceVersion|changed)$`),
		"a request in a version that is not stored leaves defaults of the stored one to whoever reads the object; the next one writes them"},
	{regexp.MustCompile(`^(example\.com/v1 Bar|kyverno\.io/v1 Policy|metallb\.io/v1beta1 L2Advertisement): .*: (\.metadata\.resourceVersion|changed)$`),
		"a server stores what an apply to status merged before it prunes it; nobody can read that, and the next write drops it"},
}

// listed is why a difference is known, empty if it is not.
func (d Difference) listed() string {
	for _, k := range known {
		if k.where.MatchString(d.Kind + ": " + d.Request + ": " + d.Path) {
			return k.why
		}
	}
	return ""
}

// keyless is what the server logs of an update that takes the key out of an item of a list, as
// requests at random do, to .secrets of a ServiceAccount for one: it stores the object, and leaves
// managed fields as they were, or takes them out before 1.37. Predictions say so; managed fields are
// compared, and so a line that nobody predicted is a difference besides.
var keyless = regexp.MustCompile(`failed to update managedFields.* omits all key fields`)

// Logged says of a line of the server's log whether it is one of those that requests make.
func Logged(line string) bool { return keyless.MatchString(line) }
