// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package releases embeds data about each minor release of Kubernetes. Each release has a
// folder, such as 1.37. All folders are embedded, so adding or removing a folder adds or
// removes a release. make.sh creates a folder.
package releases

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A Part is one kind of data about a release, stored in one file.
type Part struct {
	// File is the name of the file. The field What describes its content for messages, for example
	// "the types".
	File, What string
}

// Every release has the part OpenAPI. The other parts can be missing. In that case, the release's
// release.txt says why.
var (
	OpenAPI      = Part{"openapi.types", "the types"}
	Defaults     = Part{"defaults.txt", "the defaults"}
	GoForm       = Part{"goform.txt", "the Go types"}
	Immutability = Part{"immutable.txt", "the immutability rules"}
	Validation   = Part{"validation.txt", "the rules for values"}
)

// Parts returns all parts.
func Parts() []Part { return []Part{OpenAPI, Defaults, GoForm, Immutability, Validation} }

// A Release is a minor release of Kubernetes.
type Release struct {
	// Minor is the minor release, such as 1.37. Version is the version that the files were
	// made from, such as v1.37.2.
	Minor, Version string
	// unknown maps the file name of each missing part to the reason why the part is missing.
	unknown map[string]string
}

// All returns all releases, oldest first. Callers must not modify the result.
func All() []Release { return all() }

var all = sync.OnceValue(func() []Release {
	entries, err := folders.ReadDir(".")
	if err != nil {
		panic(err) // cannot happen: the folders are embedded
	}
	var found []Release
	for _, e := range entries {
		found = append(found, readRelease(e.Name(), read(e.Name(), "release.txt")))
	}
	slices.SortFunc(found, func(a, b Release) int { return Compare(a.Minor, b.Minor) })
	return found
})

// readRelease parses a release.txt, for example:
//
//	version v1.38.0-beta.0
//	unknown defaults.txt: why
func readRelease(minor, text string) Release {
	r := Release{Minor: minor, unknown: map[string]string{}}
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch key {
		case "version":
			r.Version = value
		case "unknown":
			file, reason, _ := strings.Cut(value, ": ")
			r.unknown[file] = reason
		}
	}
	return r
}

// Has reports whether the release has a part. If the release lacks the part, the second
// result is the reason.
func (r Release) Has(p Part) (ok bool, why string) {
	why, missing := r.unknown[p.File]
	return !missing, why
}

// Text returns the content of a part. It panics if the release does not have the part.
func (r Release) Text(p Part) string { return read(r.Minor, p.File) }

// Prerelease reports whether the files come from an alpha, a beta or a release candidate.
func (r Release) Prerelease() bool { return strings.Contains(r.Version, "-") }

// Compare compares two minor releases by number, so 1.9 comes before 1.10.
func Compare(a, b string) int {
	return slices.CompareFunc(strings.Split(a, "."), strings.Split(b, "."), func(a, b string) int {
		i, _ := strconv.Atoi(a)
		j, _ := strconv.Atoi(b)
		return cmp.Compare(i, j)
	})
}

// Minor returns the minor release of a version, such as 1.37 for v1.37.2. Any other text
// is returned unchanged.
func Minor(version string) string {
	parts := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	if len(parts) < 2 {
		return version
	}
	return parts[0] + "." + parts[1]
}

// A Family gives access to one part of the release data, such as the defaults, in every release
// that has this part. R is the type of the decoded part.
type Family[R any] struct {
	part Part
	open func() []R // in the order of Releases
}

// NewFamily returns the Family for the part p. The function open returns the value for one release. The
// first use of the Family calls open for all releases, so open should decode the text of the part only
// later.
func NewFamily[R any](p Part, open func(Release) R) *Family[R] {
	f := &Family[R]{part: p}
	f.open = sync.OnceValue(func() (opened []R) {
		for _, r := range f.Releases() {
			opened = append(opened, open(r))
		}
		return opened
	})
	return f
}

// Releases returns the releases that have the part, oldest first.
func (f *Family[R]) Releases() (have []Release) {
	for _, r := range All() {
		if ok, _ := r.Has(f.part); ok {
			have = append(have, r)
		}
	}
	return have
}

// Minors returns the minor releases that have the part, oldest first.
func (f *Family[R]) Minors() (minors []string) {
	for _, r := range f.Releases() {
		minors = append(minors, r.Minor)
	}
	return minors
}

// All returns the decoded part of each release that has this part, oldest first. Callers
// must not modify the result.
func (f *Family[R]) All() []R { return f.open() }

// Find returns the part for a version such as 1.37 or v1.37.2. The patch number makes no
// difference. The error lists the releases that have the part.
func (f *Family[R]) Find(version string) (R, error) {
	minors := f.Minors()
	if i := slices.Index(minors, Minor(version)); i >= 0 {
		return f.open()[i], nil
	}
	var none R
	return none, fmt.Errorf("dovetail does not know %s of Kubernetes %s; use one of %s", f.part.What, version, strings.Join(minors, ", "))
}
