// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package input

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
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
// a pattern such as 'dir/*.yaml'. It returns each file only once, even if several names refer to it.
// The returned errors are about directories. All adds a note about subdirectories that are not read.
func (f Files) All(r *command.Run) (found []namedFile, errs manifest.Errors) {
	var names, skipped []string
	for _, name := range f.Names {
		names = append(names, expand(name)...)
	}
	seen := map[string]bool{}
	canRecurse := f.flags != nil && f.flags.Lookup("recursive") != nil
	for _, name := range names {
		w := &directoryWalk{recursive: f.recursive(), seen: seen}
		info, err := os.Stat(name)
		if name == "-" || err != nil || !info.IsDir() {
			if name == "-" || w.markSeen(name) {
				found = append(found, namedFile{Name: name}) // an error is reported when the file is read
			}
			continue
		}
		w.directory(name)
		switch {
		case !w.hasManifests && len(w.errs) == 0:
			message := "this directory has no .yaml, .yml or .json file"
			if len(w.skipped) > 0 && canRecurse {
				message += "; use -R to include subdirectories"
			}
			w.errs = manifest.Errors{{File: name, Message: message}}
		case canRecurse:
			skipped = append(skipped, w.skipped...)
		}
		found, errs = append(found, w.found...), append(errs, w.errs...)
	}
	var parents []string
	for _, dir := range skipped {
		if parent := filepath.Dir(dir); !slices.Contains(parents, parent) && !seen[resolvedName(dir)] && containsManifest(dir) {
			parents = append(parents, parent)
		}
	}
	if len(parents) > 0 {
		r.NoteOnce("manifests in subdirectories of %s are not read: use -R to include them", words.ShortList(parents))
	}
	return found, errs
}

// containsManifest reports whether a directory or one of its subdirectories contains a file with
// the suffix of a manifest.
func containsManifest(dir string) bool {
	found := false
	_ = filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil: // the directory cannot be read, so there is nothing to recommend
		case !entry.IsDir() && isManifest(name):
			found = true
			return fs.SkipAll
		}
		return nil
	})
	return found
}

// isManifest reports whether kubectl reads a file with this name in a directory.
func isManifest(name string) bool { return slices.Contains(manifestSuffixes, filepath.Ext(name)) }

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
	// seen holds the resolved names of all files and directories that were found so far. A flag
	// with several names has one such map.
	seen  map[string]bool
	found []namedFile
	errs  manifest.Errors
	// skipped lists the subdirectories that the walk has skipped, because --recursive is not set.
	skipped []string
	// hasManifests is set if there are manifests in the directory. The names of these manifests may
	// be missing in found, because an earlier walk has found them.
	hasManifests bool
}

func (w *directoryWalk) directory(dir string) {
	if !w.markSeen(dir) {
		w.hasManifests = true
		return
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		w.errs = append(w.errs, FileError(dir, err))
		return
	}
	for _, entry := range entries {
		name := filepath.Join(dir, entry.Name())
		info, err := os.Stat(name)
		switch {
		case err != nil && isManifest(name):
			w.errs = append(w.errs, FileError(name, err))
		case err != nil:
		case info.IsDir() && w.recursive:
			w.directory(name)
		case info.IsDir():
			w.skipped = append(w.skipped, name)
		case !isManifest(name):
		case !info.Mode().IsRegular():
			w.errs = append(w.errs, notRegularError(name, info))
		default:
			w.hasManifests = true
			if w.markSeen(name) {
				w.found = append(w.found, namedFile{name, true})
			}
		}
	}
}

// markSeen records a file or directory. It returns false if the same file has already been
// recorded, possibly under a different name.
func (w *directoryWalk) markSeen(name string) bool {
	real := resolvedName(name)
	if real == "" {
		return true // the error is reported when the file is read
	}
	again := w.seen[real]
	w.seen[real] = true
	return !again
}

// resolvedName returns the absolute name of a file or directory without symbolic links. It returns
// "" if the file does not exist.
func resolvedName(name string) string {
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return ""
	}
	if absolute, err := filepath.Abs(real); err == nil {
		return absolute
	}
	return real
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
