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

// manifestSuffixes lists the suffixes of the files that kubectl reads in a directory.
var manifestSuffixes = []string{".json", ".yaml", ".yml"}

// namedFile is a file to read. Listed is true if a directory contained the file, and false if the
// user named it.
type namedFile struct {
	Name   string
	Listed bool
}

// All returns the files to read. It replaces each directory by the manifests in it, sorted by
// name. With --recursive, these include the manifests in subdirectories. Like kubectl, All expands
// a pattern such as 'dir/*.yaml'. The returned errors are about directories.
func (f Files) All() (found []namedFile, errs manifest.Errors) {
	var names []string
	for _, name := range f.Names {
		names = append(names, expand(name)...)
	}
	for _, name := range names {
		info, err := os.Stat(name)
		if name == "-" || err != nil || !info.IsDir() {
			found = append(found, namedFile{Name: name}) // an error is reported when the file is read
			continue
		}
		w := &directoryWalk{recursive: f.recursive(), seen: map[string]bool{}}
		w.directory(name)
		if len(w.found) == 0 && len(w.errs) == 0 {
			message := "this directory has no .yaml, .yml or .json file"
			if w.skipped && f.flags != nil && f.flags.Lookup("recursive") != nil {
				message += "; use -R to include subdirectories"
			}
			w.errs = manifest.Errors{{File: name, Message: message}}
		}
		found, errs = append(found, w.found...), append(errs, w.errs...)
	}
	return found, errs
}

// expand returns the files that match a pattern. It returns name itself if name is not a pattern,
// if a file has this name, or if no file matches.
func expand(name string) []string {
	if _, err := os.Stat(name); err == nil || !strings.ContainsAny(name, "*?[") {
		return []string{name}
	}
	if matches, err := filepath.Glob(name); err == nil && len(matches) > 0 {
		return matches
	}
	return []string{name}
}

// directoryWalk finds the manifests in a directory. It follows symbolic links. It skips files and
// directories that it has already found, so that it ends even if links form a loop.
type directoryWalk struct {
	recursive bool
	// seen holds the resolved names of all files and directories that were found so far.
	seen  map[string]bool
	found []namedFile
	errs  manifest.Errors
	// skipped is set if the walk has skipped a subdirectory, because --recursive is not set.
	skipped bool
}

func (w *directoryWalk) directory(dir string) {
	if !w.markSeen(dir) {
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
			w.skipped = true
		case !manifests:
		case !info.Mode().IsRegular():
			w.errs = append(w.errs, notRegularError(name, info))
		case w.markSeen(name):
			w.found = append(w.found, namedFile{name, true})
		}
	}
}

// markSeen records a file or directory. It returns false if the same file has already been
// recorded, possibly under a different name.
func (w *directoryWalk) markSeen(name string) bool {
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return true // the error is reported when the file is read
	}
	if seen, err := filepath.Abs(real); err == nil {
		real = seen
	}
	again := w.seen[real]
	w.seen[real] = true
	return !again
}

// checkRegular rejects devices and named pipes, because reading them may block or never end.
// It allows standard input, the null device, and the pipe that a shell opens for <(command).
func checkRegular(name string) *manifest.Error {
	info, err := os.Stat(name)
	if err != nil || info.Mode().IsRegular() || info.IsDir() || name == os.DevNull || isDescriptor(name) {
		return nil // other errors are reported when the file is read
	}
	return notRegularError(name, info)
}

// isDescriptor reports whether a name refers to an open file of this process.
func isDescriptor(name string) bool {
	name = filepath.ToSlash(filepath.Clean(name))
	return name == "/dev/stdin" || strings.HasPrefix(name, "/dev/fd/") || strings.HasPrefix(name, "/proc/") && strings.Contains(name, "/fd/")
}

func notRegularError(name string, info fs.FileInfo) *manifest.Error {
	problem := "is not a regular file"
	switch mode := info.Mode(); {
	case mode&fs.ModeNamedPipe != 0:
		problem = "is a named pipe"
	case mode&fs.ModeSocket != 0:
		problem = "is a socket"
	case mode&fs.ModeDevice != 0:
		problem = "is a device"
	}
	return &manifest.Error{File: name, Message: problem + ": name a file or a directory, or use - for standard input"}
}
