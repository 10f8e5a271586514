// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// buildAgain builds the release a second time, as a user would do to verify it. It uses a clone
// in a different folder, a different umask and a different time zone. If cold is true, it starts
// with an empty build cache. It fails if the files of the two builds differ.
func (b *build) buildAgain(top string, cold bool) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	dir := filepath.Join(b.tree, ".again")
	clone, out := filepath.Join(dir, "somewhere/else/clone"), filepath.Join(dir, "out")
	if _, err := output("", "git", "clone", "-q", "-n", top, clone); err != nil {
		return err
	}
	if _, err := output(clone, "git", "checkout", "-q", b.commit); err != nil {
		return err
	}
	cmd := exec.Command("sh", "-c", `umask 077 && exec "$@"`, "sh",
		self, "build", b.version, "-prepare", "-platforms", strings.Join(b.platforms, ","), "-native", strings.Join(b.native, ","), "-out", out)
	cmd.Dir, cmd.Stderr = clone, os.Stderr
	cmd.Env = append(os.Environ(), "TZ=Asia/Kathmandu")
	if cold {
		cmd.Env = append(cmd.Env, "GOCACHE="+filepath.Join(dir, "cache"))
	}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("building a second time: %w", err)
	}
	one, err := files(b.out)
	if err != nil {
		return err
	}
	two, err := files(out)
	if err != nil {
		return err
	}
	if err := differing(one, two); err != nil {
		return err
	}
	var size, served int64
	for _, name := range slices.Sorted(maps.Keys(one)) {
		size += one[name].size
		if strings.HasPrefix(name, "proxy/") {
			served++
			continue
		}
		fmt.Printf("built twice, equal: %-34s %9d bytes, sha256 %s\n", name, one[name].size, one[name].sha256)
	}
	fmt.Printf("built twice, equal: %d files of the module proxy; %d files with %d bytes in all\n", served, len(one), size)
	return nil
}

// file has the properties that buildAgain compares.
type file struct {
	size   int64
	sha256 string
}

// files returns all files below a folder, by name.
func files(dir string) (map[string]file, error) {
	all := map[string]file{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		h := sha256.New()
		n, err := io.Copy(h, f)
		all[filepath.ToSlash(name)] = file{n, hex.EncodeToString(h.Sum(nil))}
		return err
	})
	return all, err
}

// differing returns an error that lists the files that differ between two builds.
func differing(one, two map[string]file) error {
	var names []string
	for name, f := range one {
		if two[name] != f {
			names = append(names, name)
		}
	}
	for name := range two {
		if _, ok := one[name]; !ok {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	return fmt.Errorf("two builds differ in %s", strings.Join(names, ", "))
}
