// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package repo

import "fmt"

// Release is a Kubernetes release whose programs the tests build with both engines.
type Release struct {
	Name     string // as users write it, such as "1.36"
	Consumer string // name of the module in test/consumers that pins the release
	Major    Major  // the major version of structured-merge-diff
}

// Releases lists the releases, oldest first.
var Releases = []Release{
	{Name: "1.36", Consumer: "server-1.36", Major: V6},
	{Name: "1.37", Consumer: "server-1.37", Major: V6},
	{Name: "1.38", Consumer: "server-1.38", Major: V7},
}

// FindRelease returns the release with the given name.
func FindRelease(name string) (Release, error) {
	for _, r := range Releases {
		if r.Name == name {
			return r, nil
		}
	}
	return Release{}, fmt.Errorf("no release %q of Kubernetes", name)
}
