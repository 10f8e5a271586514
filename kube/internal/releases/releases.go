// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package releases finds what a package knows of a release of Kubernetes by its version. Of
// 1.37 and v1.37.2 the minor release counts.
package releases

import (
	"fmt"
	"slices"
	"strings"
)

// Minor is the minor release of a version, as 1.37; a version that has none is returned as it
// is.
func Minor(version string) string {
	parts := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	if len(parts) < 2 {
		return version
	}
	return parts[0] + "." + parts[1]
}

// Find returns the one of all whose version is of the minor release that is asked for. The
// error says that what of Kubernetes it is about is not known, and of which it is.
func Find[R any](all []R, version func(R) string, want, what string) (found R, err error) {
	i := slices.IndexFunc(all, func(r R) bool { return Minor(version(r)) == Minor(want) })
	if i >= 0 {
		return all[i], nil
	}
	return found, fmt.Errorf("%s of Kubernetes %s are not known; known are those of %s", what, want, strings.Join(Versions(all, version), ", "))
}

// Versions are the versions of all.
func Versions[R any](all []R, version func(R) string) []string {
	var names []string
	for _, r := range all {
		names = append(names, version(r))
	}
	return names
}
