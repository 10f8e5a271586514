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
	{regexp.MustCompile(`^networking\.k8s\.io/v1 NetworkPolicy: .*: \.metadata\.generation$`),
		"the server counts an empty map in place of none, though both are stored alike"},
	{regexp.MustCompile(`: patch to scale by scaler: (\.metadata\.managedFields\.creator .*\.f:replicas|\.metadata\.resourceVersion|changed)$`),
		"a scale to the replicas that there are takes them from who created the object"},
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
