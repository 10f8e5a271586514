package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// manifestSuffixes are the files of a directory that kubectl reads.
var manifestSuffixes = []string{".json", ".yaml", ".yml"}

// all returns the files, with those of its directories in the place of a directory, by
// name: what kubectl reads of it, of the directories below with --recursive only. What is
// wrong with a directory is in errs.
func (f files) all() (names []string, errs manifest.Errors) {
	for _, name := range f.names {
		info, err := os.Stat(name)
		if name == "-" || err != nil || !info.IsDir() {
			names = append(names, name) // what is wrong with it is found when it is read
			continue
		}
		found, bad := f.manifestsIn(name)
		if bad != nil {
			errs = append(errs, bad)
			continue
		}
		names = append(names, found...)
	}
	return names, errs
}

func (f files) manifestsIn(dir string) (found []string, bad *manifest.Error) {
	deeper := false
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			bad = fileError(name, err)
			return bad
		case entry.IsDir():
			if name != dir && !f.recursive {
				deeper = true
				return fs.SkipDir
			}
		case slices.Contains(manifestSuffixes, filepath.Ext(name)):
			found = append(found, name)
		}
		return nil
	})
	if err != nil {
		return nil, bad
	}
	if len(found) == 0 {
		message := "is a directory without a .yaml, .yml or .json file"
		if deeper && f.flag == "-f" {
			message += "; -R reads the directories below, too"
		}
		return nil, &manifest.Error{File: dir, Message: message}
	}
	return found, nil
}
