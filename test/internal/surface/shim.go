// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package surface

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/dovetail-ssa/dovetail/test/internal/repo"
)

// OfModule returns the API of a module that has the same packages as structured-merge-diff, such
// as a drop-in. It uses the versions that the module in the folder dir requires. It passes the
// last argument to Of.
func OfModule(dir, module string, alike ...string) (Surface, error) {
	var paths []string
	for _, p := range repo.Packages {
		paths = append(paths, module+"/"+p)
	}
	pkgs, err := Load(dir, paths...)
	if err != nil {
		return nil, err
	}
	return Of(pkgs, module, alike...), nil
}

// CompareShim compares the API of Dovetail's drop-in with the API of structured-merge-diff, in
// the version that the module in the folder modDir requires. It returns the names that are
// missing, different or additional, and a summary. A field or method may be additional if the
// last argument contains the same description.
func CompareShim(major repo.Major, modDir, root string, extra Surface) (wrong []Difference, summary string, err error) {
	want, err := OfModule(modDir, major.Path)
	if err != nil {
		return nil, "", err
	}
	got, err := OfModule(filepath.Join(root, "compat", major.Name), major.Path, repo.Module)
	if err != nil {
		return nil, "", err
	}
	wrong, added := Compare(want, got)
	summary = fmt.Sprintf("%d names of %s compared: %d missing or different; %d additions to aliased types",
		len(want), major.Module(), len(wrong), len(added))
	for _, d := range added {
		packageLevel := strings.Count(d.Name, ".") == 1
		if packageLevel || extra[d.Name] != d.Got {
			wrong = append(wrong, d)
		}
	}
	return wrong, summary, nil
}
