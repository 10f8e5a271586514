// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// writeProxy writes modules to a folder in the layout of a module proxy, for
// GOPROXY=file://DIR.
func writeProxy(tree, dir string, all []released, at time.Time) error {
	for _, m := range all {
		path, err := module.EscapePath(m.Path)
		if err != nil {
			return err
		}
		versions := filepath.Join(dir, path, "@v")
		if err := os.MkdirAll(versions, 0o755); err != nil {
			return err
		}
		file := func(ending string) string { return filepath.Join(versions, m.Version.Version+ending) }
		mod, err := os.ReadFile(filepath.Join(tree, m.dir, "go.mod"))
		if err != nil {
			return err
		}
		info, err := json.Marshal(struct {
			Version string
			Time    time.Time
		}{m.Version.Version, at})
		if err != nil {
			return err
		}
		for name, data := range map[string][]byte{file(".mod"): mod, file(".info"): info} {
			if err := os.WriteFile(name, data, 0o644); err != nil {
				return err
			}
		}
		out, err := os.Create(file(".zip"))
		if err != nil {
			return err
		}
		if err := zip.CreateFromDir(out, m.Version, filepath.Join(tree, m.dir)); err != nil {
			return err
		}
		if err := out.Close(); err != nil {
			return err
		}
		list, err := os.OpenFile(filepath.Join(versions, "list"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		if _, err := list.WriteString(m.Version.Version + "\n"); err != nil {
			return err
		}
		if err := list.Close(); err != nil {
			return err
		}
	}
	return nil
}
