// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build releasesondemand

package openapi

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/dovetail-ssa/dovetail/kube/internal/releases"
)

// IsLoaded reports whether the files of a release are loaded. With the build tag releasesondemand,
// files are not embedded, so a program must load a release before using it. IsLoaded returns true
// for releases that Releases does not list.
func IsLoaded(version string) bool {
	for _, r := range releases.All() {
		if r.Minor == releases.Minor(version) {
			return r.Loaded()
		}
	}
	return true
}

// LoadRelease loads the files of a release, such as 1.37, for all packages of Dovetail. data
// contains the files one after the other, compressed with gzip. Before the content of each file, data
// has a line with the name and the size of the file in bytes.
func LoadRelease(version string, data io.Reader) error {
	files, err := readFiles(data)
	if err != nil {
		return fmt.Errorf("the types of Kubernetes %s: %w", version, err)
	}
	releases.Load(releases.Minor(version), files)
	if !IsLoaded(version) {
		return fmt.Errorf("the types of Kubernetes %s: a part of the release is missing", version)
	}
	return nil
}

// maxFile is the maximum size of one file of a release.
const maxFile = 16 << 20

func readFiles(data io.Reader) (map[string]string, error) {
	unpacked, err := gzip.NewReader(data)
	if err != nil {
		return nil, err
	}
	in, files := bufio.NewReader(unpacked), map[string]string{}
	for {
		line, err := in.ReadString('\n')
		if err == io.EOF && line == "" {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		name, size, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		n, err := strconv.Atoi(size)
		if err != nil || n < 0 || n > maxFile {
			return nil, fmt.Errorf("%q: want the name and the size of a file", line)
		}
		var text strings.Builder
		text.Grow(n)
		if _, err := io.CopyN(&text, in, int64(n)); err != nil {
			return nil, err
		}
		files[name] = text.String()
	}
}
