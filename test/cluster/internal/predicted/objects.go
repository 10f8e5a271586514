// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predicted

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// Objects returns the objects in the files of a folder.
func Objects(folder string) ([]map[string]any, error) {
	names, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s has no files", folder)
	}
	var all []map[string]any
	for _, name := range slices.Sorted(slices.Values(names)) {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		objects, err := manifest.Read(name, data)
		if err != nil {
			return nil, err
		}
		for _, o := range objects {
			all = append(all, o.Content)
		}
	}
	return all, nil
}
