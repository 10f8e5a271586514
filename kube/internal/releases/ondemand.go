// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build releasesondemand

package releases

import (
	"embed"
	"fmt"
	"path"
	"sync"
)

// With the build tag releasesondemand, a program embeds only the release.txt of each release. It
// must load the other files of a release before use; see openapi.LoadRelease.
//
//go:embed 1.*/release.txt
var folders embed.FS

// loaded maps the path of each loaded file to its content.
var loaded sync.Map

// Load adds files of a release. files maps the name of each file to its content. Adding a
// file again has no effect, because a release never changes.
func Load(minor string, files map[string]string) {
	for name, text := range files {
		loaded.LoadOrStore(path.Join(minor, name), text)
	}
}

// Loaded reports whether the program has loaded the files of this release.
func (r Release) Loaded() bool {
	for _, p := range Parts() {
		if has, _ := r.Has(p); has {
			if _, ok := loaded.Load(path.Join(r.Minor, p.File)); !ok {
				return false
			}
		}
	}
	return true
}

func read(folder, file string) string {
	if text, err := folders.ReadFile(path.Join(folder, file)); err == nil {
		return string(text)
	}
	text, ok := loaded.Load(path.Join(folder, file))
	if !ok {
		panic(fmt.Sprintf("the release %s is used before it is loaded", folder))
	}
	return text.(string)
}
