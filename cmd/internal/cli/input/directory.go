// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package input

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// manifestSuffixes are the files of a directory that kubectl reads.
var manifestSuffixes = []string{".json", ".yaml", ".yml"}

// namedFile is a file to be read; listed says that it was found in a directory, and not
// given by its name.
type namedFile struct {
	Name   string
	Listed bool
}

// All returns the files, with those of its directories in the place of a directory, by
// name: what kubectl reads of it, of the directories below with --recursive only. What is
// wrong with a directory is in errs.
func (f Files) All() (found []namedFile, errs manifest.Errors) {
	for _, name := range f.Names {
		info, err := os.Stat(name)
		if name == "-" || err != nil || !info.IsDir() {
			found = append(found, namedFile{Name: name}) // what is wrong with it is found when it is read
			continue
		}
		w := &directoryWalk{recursive: f.recursive(), seen: map[string]bool{}}
		w.directory(name)
		if len(w.found) == 0 && len(w.errs) == 0 {
			message := "is a directory without a .yaml, .yml or .json file"
			if w.deeper && f.flags != nil && f.flags.Lookup("recursive") != nil {
				message += "; -R reads the directories below, too"
			}
			w.errs = manifest.Errors{{File: name, Message: message}}
		}
		found, errs = append(found, w.found...), append(errs, w.errs...)
	}
	return found, errs
}

// directoryWalk finds the manifests in a directory. Links are followed, and what is
// reached again by one is passed over, so that loops end.
type directoryWalk struct {
	recursive bool
	// seen are the real names of the files and directories found.
	seen  map[string]bool
	found []namedFile
	errs  manifest.Errors
	// deeper says that there are directories below, which were not looked at.
	deeper bool
}

func (w *directoryWalk) directory(dir string) {
	if !w.first(dir) {
		return
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		w.errs = append(w.errs, FileError(dir, err))
		return
	}
	for _, entry := range entries {
		name := filepath.Join(dir, entry.Name())
		manifests := slices.Contains(manifestSuffixes, filepath.Ext(name))
		info, err := os.Stat(name)
		switch {
		case err != nil && manifests:
			w.errs = append(w.errs, FileError(name, err))
		case err != nil:
		case info.IsDir() && w.recursive:
			w.directory(name)
		case info.IsDir():
			w.deeper = true
		case !manifests:
		case !info.Mode().IsRegular():
			w.errs = append(w.errs, noRegularFile(name, info))
		case w.first(name):
			w.found = append(w.found, namedFile{name, true})
		}
	}
}

// first says whether a file or directory was not found before under another name.
func (w *directoryWalk) first(name string) bool {
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return true // that is found when it is read
	}
	if seen, err := filepath.Abs(real); err == nil {
		real = seen
	}
	again := w.seen[real]
	w.seen[real] = true
	return !again
}

// checkRegular refuses what cannot be read to its end, or only once somebody writes to
// it: devices, and pipes that have a name in a directory. The pipes that a shell makes for
// <(command), and standard input, are open already.
func checkRegular(name string) *manifest.Error {
	info, err := os.Stat(name)
	if err != nil || info.Mode().IsRegular() || info.IsDir() || name == os.DevNull || isDescriptor(name) {
		return nil // what else is wrong with it is found when it is read
	}
	return noRegularFile(name, info)
}

// isDescriptor says whether a name stands for an open file of this process.
func isDescriptor(name string) bool {
	name = filepath.ToSlash(filepath.Clean(name))
	return name == "/dev/stdin" || strings.HasPrefix(name, "/dev/fd/") || strings.HasPrefix(name, "/proc/") && strings.Contains(name, "/fd/")
}

func noRegularFile(name string, info fs.FileInfo) *manifest.Error {
	what := "is no regular file"
	switch mode := info.Mode(); {
	case mode&fs.ModeNamedPipe != 0:
		what = "is a named pipe"
	case mode&fs.ModeSocket != 0:
		what = "is a socket"
	case mode&fs.ModeDevice != 0:
		what = "is a device"
	}
	return &manifest.Error{File: name, Message: what + "; want a file or a directory, or - for standard input"}
}
