// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package consumer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/dovetail-ssa/dovetail/test/internal/gocmd"
	"github.com/dovetail-ssa/dovetail/test/internal/repo"
)

// moved is a module that must change from structured-merge-diff v6 to another major version.
// Edits has the required changes, except the changes of imports.
type moved struct {
	Module string
	Edits  []edit
}

// edit replaces all occurrences of a text in a file. The file must contain the text.
type edit struct{ File, Old, New string }

// move makes some modules use another major version of structured-merge-diff. The first argument
// is a file that lists these modules. If it does not exist, all modules already use the right
// version. move changes copies of the modules in subfolders of the folder in the second argument,
// and adds replacements to the go.mod there.
func move(movedfile, dir string, to repo.Major) error {
	text, err := os.ReadFile(movedfile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var all []moved
	if err := json.Unmarshal(text, &all); err != nil {
		return fmt.Errorf("%s: %w", movedfile, err)
	}
	for _, m := range all {
		source, err := gocmd.DownloadFor(dir, m.Module, to.Env()...)
		if err != nil {
			return err
		}
		place := "./moved/" + path.Base(m.Module)
		copied := filepath.Join(dir, filepath.FromSlash(place))
		if err := Copy(source, copied, nil); err != nil {
			return err
		}
		if err := m.change(copied, repo.V6, to); err != nil {
			return fmt.Errorf("%s: %w", m.Module, err)
		}
		if _, err := gocmd.With(to.Env(), dir, "mod", "edit", "-replace="+m.Module+"="+place); err != nil {
			return err
		}
	}
	return nil
}

// change changes the imports of structured-merge-diff in the files of a module, and makes the
// edits for this module.
func (m moved) change(dir string, from, to repo.Major) error {
	for _, e := range m.Edits {
		name := filepath.Join(dir, filepath.FromSlash(e.File))
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if !bytes.Contains(text, []byte(e.Old)) {
			return fmt.Errorf("%s does not contain %q", e.File, e.Old)
		}
		if err := os.WriteFile(name, bytes.ReplaceAll(text, []byte(e.Old), []byte(e.New)), 0o644); err != nil {
			return err
		}
	}
	return filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil || !bytes.Contains(text, []byte(from.Path+"/")) {
			return err
		}
		return os.WriteFile(name, bytes.ReplaceAll(text, []byte(from.Path+"/"), []byte(to.Path+"/")), 0o644)
	})
}
