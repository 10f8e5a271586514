// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package surface

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/dovetail-ssa/dovetail/test/internal/repo"
)

// OfModule returns the API of the packages of structured-merge-diff in a module, such as a
// drop-in. It uses the versions that the module in dir requires. alike is described at Of.
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

// CompareShim compares Dovetail's drop-in for a major version with structured-merge-diff. The
// module in modDir selects the version of structured-merge-diff. CompareShim returns names
// that are missing or different. It also returns additions, except additions to types that
// extra lists.
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
